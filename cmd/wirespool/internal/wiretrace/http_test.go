package wiretrace_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/wiretrace"
)

// respond answers every request with a body.
type respond struct {
	contentType string
	body        io.Reader
}

func (r respond) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {r.contentType}}, ContentLength: -1, Body: io.NopCloser(r.body)}, nil
}

// traced returns the trace of a response.
func traced(t *testing.T, url, contentType string, body io.Reader) string {
	t.Helper()
	var out bytes.Buffer
	rt := wiretrace.New(&out).RoundTripper(respond{contentType, body})
	req := httptest.NewRequest(http.MethodGet, url, nil)
	resp, err := rt.RoundTrip(req)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return out.String()
}

// TestLineEnds: servers end the lines of their events in any of three ways, and
// networks cut where they like.
func TestLineEnds(t *testing.T) {
	const stream = ": hello\n\nevent: endpoint\ndata: /x?secret\n\nevent: message\ndata: {\"id\":1}\n\nid: 7\n\ndata: {\"id\":\ndata: 2}\n\n"
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		for _, cut := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
			trace := traced(t, "/mcp", "text/event-stream", cut(strings.NewReader(strings.ReplaceAll(stream, "\n", end))))
			require.Contains(t, trace, `"msg":{"id":1}`, name)
			require.Contains(t, trace, `"msg":{"id":2}`, name)
			require.NotContains(t, trace, "secret", name)
			require.Equal(t, 3, strings.Count(trace, "\n"), trace)
		}
	}
}

// TestLargeEvent: an event that is too large to be recorded costs no other one.
func TestLargeEvent(t *testing.T) {
	large := "data: " + strings.Repeat("x", 17<<20) + "\n\n"
	for _, cut := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, func(r io.Reader) io.Reader { return struct{ io.Reader }{r} }} {
		trace := traced(t, "/mcp", "text/event-stream", cut(strings.NewReader("data: {\"id\":1}\n\n"+large+"data: {\"id\":2}\n\n")))
		require.Contains(t, trace, `"msg":{"id":1}`)
		require.Contains(t, trace, `"raw":"not recorded: beyond the limit of 16777216 bytes"`)
		require.Contains(t, trace, `"msg":{"id":2}`)
	}
	trace := traced(t, "/mcp", "application/json", strings.NewReader(large))
	require.Contains(t, trace, `"raw":"not recorded: beyond the limit of 16777216 bytes"`)
	require.Less(t, len(trace), 1000)
}

// TestSecretsInURL: nothing of a query but the names is recorded.
func TestSecretsInURL(t *testing.T) {
	trace := traced(t, "http://user:pass-word@host/mcp?api_key=secret1&secret2&=secret3&a=b=secret4&secret5", "application/json", strings.NewReader("{}"))
	require.NotContains(t, trace, "secret")
	require.NotContains(t, trace, "pass-word")
	require.Contains(t, trace, "api_key=masked:")
}
