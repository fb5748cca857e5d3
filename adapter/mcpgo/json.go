package mcpgo

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/wirespool/wirespool/codec"
)

// appendJSON appends any value, on one line.
func appendJSON(dst []byte, value any) ([]byte, error) { return appendValue(dst, value, plainDepth) }

// appendValue is appendJSON for a value that may nest depth times before
// encoding/json, which finds cycles, takes over.
func appendValue(dst []byte, value any, depth int) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return appendString(dst, v), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return strconv.AppendInt(dst, int64(v), 10), nil
		}
	case codec.Value:
		return codec.AppendOneLine(dst, v), nil
	case map[string]json.RawMessage:
		if v != nil {
			return appendRaw(dst, v), nil
		}
	case map[string]any:
		if v != nil && depth > 0 {
			return appendObject(dst, v, depth-1)
		}
	case []any:
		if v != nil && depth > 0 {
			return appendArray(dst, v, depth-1)
		}
	}
	return appendReflected(dst, value)
}

// appendString appends a string, for which it makes room in one go if it is
// large.
func appendString(dst []byte, s string) []byte {
	return codec.AppendString(roomFor(dst, len(s)), s)
}

// roomFor makes room for a large text and what comes behind it.
func roomFor(dst []byte, n int) []byte {
	if n < largeText {
		return dst
	}
	return slices.Grow(dst, n+roomBehind)
}

// appendRaw appends an object of values that encoding/json has made.
func appendRaw(dst []byte, members map[string]json.RawMessage) []byte {
	dst = append(dst, '{')
	from := len(dst)
	for name, value := range members {
		dst = append(codec.AppendString(comma(dst, from), name), ':')
		if value == nil {
			value = json.RawMessage("null")
		}
		dst = codec.AppendOneLine(roomFor(dst, len(value)), value)
	}
	return append(dst, '}')
}

func appendObject(dst []byte, members map[string]any, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	from := len(dst)
	for name, value := range members {
		dst = append(codec.AppendString(comma(dst, from), name), ':')
		if dst, err = appendValue(dst, value, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func appendArray(dst []byte, elements []any, depth int) (_ []byte, err error) {
	dst = append(dst, '[')
	from := len(dst)
	for _, value := range elements {
		if dst, err = appendValue(comma(dst, from), value, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// comma appends a comma unless nothing stands behind from.
func comma(dst []byte, from int) []byte {
	if len(dst) > from {
		dst = append(dst, ',')
	}
	return dst
}

// reflector is an encoder of encoding/json that appends.
type reflector struct {
	dst     []byte
	encoder *json.Encoder
}

var reflectors = sync.Pool{New: func() any {
	r := new(reflector)
	r.encoder = json.NewEncoder(r)
	r.encoder.SetEscapeHTML(false)
	return r
}}

// Write implements [io.Writer]. An Encoder writes once, a line.
func (r *reflector) Write(line []byte) (int, error) {
	r.dst = append(r.dst, line[:len(line)-1]...)
	return len(line), nil
}

func appendReflected(dst []byte, value any) ([]byte, error) {
	r := reflectors.Get().(*reflector)
	r.dst = dst
	err := r.encoder.Encode(value)
	dst, r.dst = r.dst, nil
	if err == nil {
		reflectors.Put(r) // one that has failed fails for ever
	}
	return dst, err
}
