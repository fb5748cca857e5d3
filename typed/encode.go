package typed

import (
	"bytes"

	"github.com/wirespool/wirespool/codec"
)

// Append appends the JSON of v to dst, on one line, in the manner of append. A
// [codec.Value] is JSON already and is copied. On error dst comes back as it
// was.
func Append(dst []byte, v any) ([]byte, error) {
	if raw, ok := v.(codec.Value); ok {
		if raw == nil {
			return append(dst, "null"...), nil
		}
		return codec.AppendOneLine(dst, raw), nil
	}
	out, err := appendValue(dst, v)
	if err != nil {
		return dst, err
	}
	oneLine(out[len(dst):])
	return out, nil
}

// oneLine turns line breaks into spaces. In valid JSON they stand only between
// tokens, and only where raw JSON was part of a value.
func oneLine(text []byte) {
	for _, brk := range [...]byte{'\n', '\r'} {
		for rest := text; ; {
			i := bytes.IndexByte(rest, brk)
			if i < 0 {
				break
			}
			rest[i] = ' '
			rest = rest[i+1:]
		}
	}
}
