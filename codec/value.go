package codec

import (
	"iter"
	"math"
	"strconv"
	"sync"

	"github.com/wirespool/wirespool/internal/scan"
)

// ValueKind is the JSON type of a [Value].
type ValueKind uint8

// The JSON types, and Absent for a nil Value.
const (
	Absent ValueKind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var valueKindText = [...]string{"absent", "null", "boolean", "number", "string", "array", "object"}

// String returns the JSON name of the type.
func (k ValueKind) String() string {
	if int(k) < len(valueKindText) {
		return valueKindText[k]
	}
	return "unknown"
}

// Value is the text of one JSON value as it stood on the wire, without white
// space around it. A nil Value is an absent one. Values that come from this
// package are valid JSON; the methods do not check again, and on text that is
// not valid JSON they return some answer or none, but never panic.
type Value []byte

// MarshalJSON implements json.Marshaler: a Value in a Go struct is the text it
// holds, and null when it is absent. The result is v itself.
func (v Value) MarshalJSON() ([]byte, error) {
	if len(v) == 0 {
		return []byte("null"), nil
	}
	return v, nil
}

// UnmarshalJSON implements json.Unmarshaler: text is copied, into memory of its
// own, since v may be a view of a frame.
func (v *Value) UnmarshalJSON(text []byte) error {
	*v = append(Value(nil), text...)
	return nil
}

// Kind returns the JSON type, read off the first byte.
func (v Value) Kind() ValueKind {
	if len(v) == 0 {
		return Absent
	}
	switch v[0] {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// Text returns the text of a string with its escapes resolved, and whether v
// is a string. The result is a view of v when nothing is escaped, else a copy.
// A lone surrogate, which UTF-8 cannot spell, becomes U+FFFD.
func (v Value) Text() (text []byte, ok bool) {
	if v.Kind() != String || len(v) < 2 {
		return nil, false
	}
	inner := v[1 : len(v)-1 : len(v)-1]
	if !hasEscape(inner) {
		return inner, true
	}
	return appendUnescaped(make([]byte, 0, len(inner)), inner), true
}

// AppendText appends what [Value.Text] returns to dst, without allocating when
// there is room. If v is not a string, dst comes back unchanged and ok false.
func (v Value) AppendText(dst []byte) (text []byte, ok bool) {
	if v.Kind() != String || len(v) < 2 {
		return dst, false
	}
	return appendUnescaped(dst, v[1:len(v)-1]), true
}

// Int64 returns the value of a number that is an integer within int64,
// however it is spelt: 5, 5.0 and 50e-1 are all five.
func (v Value) Int64() (n int64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	return parseInteger(v)
}

// Float64 returns the value of a number as the nearest float64; a number
// beyond its range is not ok.
func (v Value) Float64() (x float64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(v), 64)
	return x, err == nil && !math.IsInf(x, 0)
}

// Bool returns the value of true or false, and whether v is one of them.
func (v Value) Bool() (value, ok bool) {
	return len(v) > 0 && v[0] == 't', v.Kind() == Bool
}

// walkers holds the scratch of walks over values that are known to be valid: a
// long one has some kilobytes of it.
var walkers = sync.Pool{New: func() any { return &scan.Scanner{MaxDepth: math.MaxInt32} }}

// Elements yields the elements of an array in order, views of v; nothing for
// any other type.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		s := walkers.Get().(*scan.Scanner)
		defer walkers.Put(s)
		for i := s.Space(v, 1); i < len(v) && v[i] != ']'; {
			end, f := s.Value(v, i, 0)
			if f != scan.OK || !yield(v[i:end:end]) {
				return
			}
			i = behindComma(s, v, end)
		}
	}
}

// Members yields the members of an object in order, name (a string, raw) and
// value, views of v; nothing for any other type. Names may repeat.
func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if v.Kind() != Object {
			return
		}
		s := walkers.Get().(*scan.Scanner)
		defer walkers.Put(s)
		for i := s.Space(v, 1); i < len(v) && v[i] != '}'; {
			nameEnd, f := s.Value(v, i, 0)
			if f != scan.OK {
				return
			}
			start, f := s.Colon(v, nameEnd)
			if f != scan.OK {
				return
			}
			end, f := s.Value(v, start, 0)
			if f != scan.OK || !yield(v[i:nameEnd:nameEnd], v[start:end:end]) {
				return
			}
			i = behindComma(s, v, end)
		}
	}
}

// behindComma returns the index of what follows the value that ended before
// v[i]: the next value, or the closing bracket.
func behindComma(s *scan.Scanner, v []byte, i int) int {
	if i = s.Space(v, i); i < len(v) && v[i] == ',' {
		i = s.Space(v, i+1)
	}
	return i
}
