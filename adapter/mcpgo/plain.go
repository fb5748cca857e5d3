package mcpgo

import (
	"bytes"
	"encoding/json"

	"github.com/wirespool/wirespool/codec"
)

// plain returns the Go value that encoding/json makes of v in an any, copied; v
// is known to be valid. It is false where encoding/json would fail. What nests
// deeper than depth it leaves to encoding/json.
func plain(v codec.Value, depth int) (value any, ok bool) {
	switch v.Kind() {
	case codec.Null:
		return nil, true
	case codec.Bool:
		b, _ := v.Bool()
		return b, true
	case codec.Number:
		return v.Float64()
	case codec.String:
		return plainString(v)
	}
	if depth == 0 {
		err := json.Unmarshal(v, &value)
		return value, err == nil
	}
	if v.Kind() == codec.Array {
		all := []any{}
		for element := range v.Elements() {
			x, ok := plain(element, depth-1)
			if !ok {
				return nil, false
			}
			all = append(all, x)
		}
		return all, true
	}
	members := make(map[string]any)
	for name, member := range v.Members() {
		key, ok := plainString(name)
		if !ok {
			return nil, false
		}
		if members[key], ok = plain(member, depth-1); !ok {
			return nil, false
		}
	}
	return members, true
}

func plainString(v codec.Value) (string, bool) {
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1]), true
	}
	text, ok := v.Text()
	return string(text), ok
}
