package wiretrace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/cmd/wirespool/internal/wiretrace"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// line is one line of a trace.
type line struct {
	T    float64
	Dir  string
	Hop  string
	HTTP *struct {
		Method, Path string
		Status       int
		Headers      map[string]string
	}
	Msg   json.RawMessage
	Raw   string
	Error *struct {
		Code    int
		Message string
	}
}

func lines(t *testing.T, trace *bytes.Buffer) (all []line) {
	t.Helper()
	for text := range strings.Lines(trace.String()) {
		var l line
		require.NoError(t, json.Unmarshal([]byte(text), &l), text)
		all = append(all, l)
	}
	return all
}

func serveSomething(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch string(body) {
	case `{"stream":1}`:
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, ": hello\n\nid: 1\ndata:\n\nevent: endpoint\ndata: /sse?sessionId=topsecret\n\nid: 2\nevent: message\r\ndata: {\"a\":\ndata: 1}\n")
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, "\ndata: {\"b\":2}\n\n")
	case "":
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Mcp-Session-Id", "topsecret")
		_, _ = io.WriteString(w, `{"result":{}}`)
	}
}

// TestHTTP: requests and responses on both hops say the same, without secrets.
func TestHTTP(t *testing.T) {
	var front, back bytes.Buffer
	s := httptest.NewServer(wiretrace.New(&front).Handler(http.HandlerFunc(serveSomething)))
	defer s.Close()
	c := &http.Client{Transport: wiretrace.New(&back).RoundTripper(http.DefaultTransport)}
	do := func(method, path, body string, headers ...string) {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}
		resp, err := c.Do(req)
		require.NoError(t, err)
		_, err = io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	do("POST", "/mcp", "{\n\"call\":1}", "Authorization: Bearer topsecret", "Cookie: topsecret", "MCP-Protocol-Version: 2025-06-18", "X-Other: 1")
	do("POST", "/sse?sessionId=topsecret&x", `{"stream":1}`, "Mcp-Session-Id: topsecret", "Authorization: topsecret")
	do("GET", "/mcp", "")
	do("POST", "/mcp", "no JSON")
	for hop, trace := range map[string]*bytes.Buffer{"front": &front, "back": &back} {
		require.NotContains(t, trace.String(), "topsecret", hop)
		require.NotContains(t, trace.String(), "X-Other", hop)
		all := lines(t, trace)
		require.Len(t, all, 9, "%s: %s", hop, trace)
		for i, want := range []struct {
			dir, method, path string
			status            int
			msg, raw          string
		}{
			{"c2s", "POST", "/mcp", 0, `{ "call":1}`, ""},
			{"s2c", "POST", "/mcp", 200, `{"result":{}}`, ""},
			{"c2s", "POST", "/sse?sessionId=masked:", 0, `{"stream":1}`, ""},
			{"s2c", "POST", "/sse?sessionId=masked:", 200, `{"a":1}`, ""},
			{"s2c", "POST", "/sse?sessionId=masked:", 200, `{"b":2}`, ""},
			{"c2s", "GET", "/mcp", 0, "", ""},
			{"s2c", "GET", "/mcp", 202, "", ""},
			{"c2s", "POST", "/mcp", 0, "", "no JSON"},
			{"s2c", "POST", "/mcp", 200, `{"result":{}}`, ""},
		} {
			got := all[i]
			require.Equal(t, hop, got.Hop)
			require.Equal(t, want.dir, got.Dir, "%s %d", hop, i)
			require.Equal(t, want.method, got.HTTP.Method)
			require.True(t, strings.HasPrefix(got.HTTP.Path, want.path), got.HTTP.Path)
			require.Equal(t, want.status, got.HTTP.Status)
			require.Equal(t, want.msg, string(got.Msg))
			require.Equal(t, want.raw, got.Raw)
		}
		require.Equal(t, "2025-06-18", all[0].HTTP.Headers["Mcp-Protocol-Version"])
		require.Regexp(t, `^Bearer masked:[0-9a-f]{8}$`, all[0].HTTP.Headers["Authorization"])
		require.Regexp(t, `^masked:[0-9a-f]{8}$`, all[2].HTTP.Headers["Authorization"])
		// The same secret is the same wherever it is.
		require.Equal(t, all[1].HTTP.Headers["Mcp-Session-Id"], all[2].HTTP.Headers["Mcp-Session-Id"])
		require.True(t, strings.Contains(all[2].HTTP.Path, all[1].HTTP.Headers["Mcp-Session-Id"]+"&masked:"), all[2].HTTP.Path)
	}
	_, err := c.Get("http://127.0.0.1:1/")
	require.Error(t, err)
}

// TestConn: what byte streams carry, on either side.
func TestConn(t *testing.T) {
	for _, client := range []bool{true, false} {
		var trace bytes.Buffer
		r := wiretrace.New(&trace)
		near, far := net.Pipe()
		plain := transport.Stream(near, framing.Newline, nil)
		c := r.Conn(plain)
		in, out, hop := "c2s", "s2c", "front"
		if client {
			var err error
			c, err = r.Dialer(dialed{plain}).Dial(t.Context())
			require.NoError(t, err)
			in, out, hop = "s2c", "c2s", "back"
		}
		go func() { _, _ = io.WriteString(far, "{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\nnoise\n") }()
		var got transport.Inbound
		require.NoError(t, c.Read(&got))
		require.Equal(t, codec.Notification, got.Kind)
		via := got.Via
		require.NoError(t, c.Read(&got))
		require.Error(t, got.Err)
		go func() { _, _ = io.Copy(io.Discard, far) }()
		m := codec.Message{Kind: codec.Notification, Method: []byte("b")}
		require.NoError(t, c.Send(t.Context(), &m))
		require.NoError(t, via.Send(t.Context(), &m))
		require.NoError(t, far.Close())
		require.Error(t, c.Read(&got))
		all := lines(t, &trace)
		require.Len(t, all, 4)
		for i, dir := range []string{in, in, out, out} {
			require.Equal(t, dir, all[i].Dir)
			require.Equal(t, hop, all[i].Hop)
			require.Nil(t, all[i].HTTP)
		}
		require.Empty(t, all[1].Raw, "what the reader says of the bytes is not the bytes")
		require.Equal(t, -32700, all[1].Error.Code)
		require.Contains(t, all[1].Error.Message, "Parse error")
		entry, ok := explain.New(nil).ReadCapture(slices.Collect(bytes.Lines(trace.Bytes()))[1])
		require.True(t, ok)
		require.Regexp(t, "invalid: -32700 .*Parse error", string(entry.AppendText(nil)))
		require.NoError(t, c.Close())
	}
	_, err := wiretrace.New(io.Discard).Dialer(dialed{}).Dial(t.Context())
	require.ErrorIs(t, err, errNobody)
}

// dialed is a Dialer of one connection.
type dialed struct{ c transport.Conn }

var errNobody = errors.New("nobody is there")

func (d dialed) Dial(context.Context) (transport.Conn, error) {
	if d.c == nil {
		return nil, errNobody
	}
	return d.c, nil
}

// TestNil: no recorder, no trace.
func TestNil(t *testing.T) {
	var r *wiretrace.Recorder
	require.NoError(t, r.Err())
	require.Equal(t, dialed{}, r.Dialer(dialed{}))
	require.Nil(t, r.Conn(nil))
	require.Equal(t, http.DefaultTransport, r.RoundTripper(http.DefaultTransport))
	require.Nil(t, r.Handler(nil))
}

// TestWriteError: the first error stays, and nothing else suffers.
func TestWriteError(t *testing.T) {
	r := wiretrace.New(full{})
	s := httptest.NewServer(r.Handler(http.HandlerFunc(serveSomething)))
	defer s.Close()
	for range 2 {
		resp, err := http.Post(s.URL, "application/json", strings.NewReader("{}"))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	require.ErrorIs(t, r.Err(), errFull)
}

var errFull = errors.New("the disk is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
