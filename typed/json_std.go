//go:build (!amd64 && !arm64) || go1.28 || wirespool_stdjson

package typed

import "encoding/json"

// appendValue relies on the encoder writing a value at once, or none of it.
func appendValue(dst []byte, v any) ([]byte, error) {
	out := appender{dst}
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return out.b[:len(out.b)-1], nil // without the encoder's line feed
}

type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}
