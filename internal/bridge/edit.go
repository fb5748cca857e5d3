package bridge

import (
	"slices"

	"github.com/wirespool/wirespool/codec"
)

// edit says how params or a result differ from what came: every member that it
// does not name is copied as it stood.
type edit struct {
	drop     []string    // members to leave out
	dropMeta []string    // members of _meta to leave out
	add      codec.Value // an object: its members are added, or replace others
	meta     codec.Value // an object: likewise in _meta
}

// apply returns v edited, in memory of its own. What is no object comes back as
// it is: there is no place in it. nil counts as an empty object.
func (e *edit) apply(v codec.Value) codec.Value {
	if k := v.Kind(); k != codec.Object && k != codec.Absent {
		return v
	}
	drop, dropMeta := appendNames(slices.Clone(e.drop), e.add), appendNames(slices.Clone(e.dropMeta), e.meta)
	var given codec.Value
	dst := append(make(codec.Value, 0, len(v)+len(e.add)+len(e.meta)+16), '{')
	for name, value := range v.Members() {
		text, _ := name.Text()
		switch {
		case slices.Contains(drop, string(text)):
		case string(text) == "_meta" && value.Kind() == codec.Object:
			given = value
		default:
			dst = appendMember(dst, name, value)
		}
	}
	for name, value := range e.add.Members() {
		dst = appendMember(dst, name, value)
	}
	meta := codec.Value{'{'}
	for name, value := range given.Members() {
		if text, _ := name.Text(); !slices.Contains(dropMeta, string(text)) {
			meta = appendMember(meta, name, value)
		}
	}
	for name, value := range e.meta.Members() {
		meta = appendMember(meta, name, value)
	}
	if len(meta) > 1 {
		dst = appendMember(dst, codec.Value(`"_meta"`), append(meta, '}'))
	}
	return append(dst, '}')
}

// appendMember appends a member to an object that is being written.
func appendMember(dst, name, value codec.Value) codec.Value {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(dst, name...), ':')
	return append(dst, value...)
}

// appendText is appendMember for a name and a string.
func appendText[S ~string | ~[]byte](dst codec.Value, name string, value S) codec.Value {
	return appendMember(dst, codec.AppendString(nil, name), codec.AppendString(nil, value))
}

func appendNames(names []string, object codec.Value) []string {
	for name := range object.Members() {
		text, _ := name.Text()
		names = append(names, string(text))
	}
	return names
}

// has reports whether an object has a member at a path, whatever it is.
func has(object codec.Value, path ...string) bool {
	v, _ := codec.Find(object, path...)
	return v != nil
}

// says reports whether the member at a path is true.
func says(object codec.Value, path ...string) bool {
	v, _ := codec.Find(object, path...)
	yes, _ := v.Bool()
	return yes
}

// object returns the object at a path, {} if there is none; copied.
func object(v codec.Value, path ...string) codec.Value {
	if found, _ := codec.Find(v, path...); found.Kind() == codec.Object {
		return slices.Clone(found)
	}
	return codec.Value("{}")
}
