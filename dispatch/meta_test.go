package dispatch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// TestMetaSent: every request of 2026-07-28 says who sends it; what the caller
// wrote stays, and wins (SC26-04).
func TestMetaSent(t *testing.T) {
	const (
		version      = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		info         = `"io.modelcontextprotocol/clientInfo":{"name":"c","version":"3"}`
		capabilities = `"io.modelcontextprotocol/clientCapabilities":{"roots":{}}`
		standing     = version + "," + info + "," + capabilities
	)
	progress := []dispatch.CallOption{dispatch.WithProgress(func(dispatch.Progress) {})}
	for name, tt := range map[string]struct {
		params string
		opts   []dispatch.CallOption
		sent   string
	}{
		"no params":         {``, nil, `{"_meta":{` + standing + `}}`},
		"empty":             {`{}`, nil, `{"_meta":{` + standing + `}}`},
		"params":            {`{"a":1,"b":[2]}`, nil, `{"_meta":{` + standing + `},"a":1,"b":[2]}`},
		"white space":       {"\n { \"a\" : 1 }\n", nil, `{"_meta":{` + standing + `},"a":1}`},
		"own meta":          {`{"a":1,"_meta":{"x":{"y":1}}}`, nil, `{"_meta":{"x":{"y":1},` + standing + `},"a":1}`},
		"own, escaped":      {`{"\u005fmeta":{"x":1}}`, nil, `{"_meta":{"x":1,` + standing + `}}`},
		"own version":       {`{"_meta":{` + `"io.modelcontextprotocol/protocolVersion":"2099-01-01"` + `}}`, nil, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01",` + info + "," + capabilities + `}}`},
		"meta null":         {`{"_meta":null}`, nil, `{"_meta":{` + standing + `}}`},
		"progress":          {``, progress, `{"_meta":{"progressToken":2,` + standing + `}}`},
		"progress and meta": {`{"_meta":{"x":1}}`, progress, `{"_meta":{"x":1,"progressToken":2,` + standing + `}}`},
		"own token":         {`{"_meta":{"progressToken":"t"}}`, progress, `{"_meta":{"progressToken":"t",` + standing + `}}`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := &dialer{t: t, scripts: []func(*wire){func(w *wire) {
					w.want(probed)
					w.send(discovered(`["2026-07-28"]`))
					w.want(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + tt.sent + `}`)
					w.send(empty("2"))
				}}}
				c, err := dispatch.Connect(t.Context(), d, &dispatch.ClientOptions{Options: dispatch.Options{
					Info: dispatch.Info{Name: "c", Version: "3", Capabilities: codec.Value(`{"roots":{}}`)},
				}})
				require.NoError(t, err)
				res, err := c.CallRaw(t.Context(), "tools/call", []byte(tt.params), tt.opts...)
				require.NoError(t, err)
				res.Release()
				require.NoError(t, c.Close())
			})
		})
	}
}

// TestMetaLegacy: before 2026-07-28 nothing is added but a progress token that
// somebody wants.
func TestMetaLegacy(t *testing.T) {
	progress := []dispatch.CallOption{dispatch.WithProgress(func(dispatch.Progress) {})}
	for name, tt := range map[string]struct {
		params string
		opts   []dispatch.CallOption
		sent   string
	}{
		"no params":           {``, nil, ``},
		"params":              {`{ "a" : 1}`, nil, `,"params":{ "a" : 1}`},
		"progress":            {``, progress, `,"params":{"_meta":{"progressToken":2}}`},
		"progress and params": {`{"a":1,"_meta":{"b":2}}`, progress, `,"params":{"_meta":{"b":2,"progressToken":2},"a":1}`},
		"own token":           {`{"_meta":{"progressToken":7}}`, progress, `,"params":{"_meta":{"progressToken":7}}`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, c := rawServer(t, nil, nil)
				go func() {
					w.want(`{"jsonrpc":"2.0","id":2,"method":"tools/call"` + tt.sent + `}`)
					w.send(empty("2"))
				}()
				res, err := c.CallRaw(t.Context(), "tools/call", []byte(tt.params), tt.opts...)
				require.NoError(t, err)
				res.Release()
			})
		})
	}
}
