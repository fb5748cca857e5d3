package codec

import "fmt"

// DuplicateError says that a member on the path of [Find] occurs twice, so
// that two readers could disagree about its value.
type DuplicateError struct {
	Name string
}

// Error names the member.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("codec: member %q occurs twice", e.Name)
}

// Find returns the value at a path of member names inside v, a view of v; nil
// when there is none. Names match byte for byte once escapes are gone. v must
// be valid JSON, as every value of a decoded message is. A name on the path
// that occurs twice in its object is a *[DuplicateError]: whoever decides from
// a payload must not read another value than the one behind him does.
func Find(v Value, path ...string) (Value, error) {
	for _, name := range path {
		var found Value
		for key, value := range v.Members() {
			if !isText(key, name) {
				continue
			}
			if found != nil {
				return nil, &DuplicateError{Name: name}
			}
			found = value
		}
		if v = found; v == nil {
			return nil, nil
		}
	}
	return v, nil
}
