package demo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/demo"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// inMemory starts a server of its own for each connection, as a command does.
type inMemory struct {
	t   *testing.T
	new func() *dispatch.Server
}

func (d inMemory) Dial(context.Context) (transport.Conn, error) {
	ours, theirs := transport.Pipe(nil)
	srv := d.new()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.Serve(context.WithoutCancel(d.t.Context()), theirs) // how it ends is the client's affair
	}()
	d.t.Cleanup(func() {
		<-served
		require.NoError(d.t, srv.Shutdown(context.Background()))
	})
	return ours, nil
}

func example() *dispatch.Server { return everything.New(nil).Server }

func TestEverything(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, demo.Everything(t.Context(), &demo.Trace{Out: &out}, inMemory{t, example}))
	for _, want := range []string{
		"== 2025-03-26", "== 2025-11-25", "== 2026-07-28",
		"negotiated 2025-03-26 (legacy era) with everything",
		"--> initialize ", "--> notifications/initialized ",
		"Echo: Hello from MCP client!", `"text":"100"`, "info://server-info", "--> prompts/get ",
		"--> batch ", "<-- batch ",
		"<-- notifications/tools/list_changed ", "Hello from extra_hello!",
		`"isError":true`, "--> notifications/cancelled ", "--> invalid ", "-32700", "Echo: still here",
		"--> server/discover ", "negotiated 2026-07-28 (modern era) with everything",
	} {
		require.Contains(t, out.String(), want)
	}
	require.NotContains(t, out.String(), "\x1b")
}

func TestTraceJSON(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, demo.Everything(t.Context(), &demo.Trace{Out: &out, JSON: true}, inMemory{t, example}))
	sent, answered := map[string]int{}, map[string]int{}
	for line := range strings.Lines(out.String()) {
		var m struct {
			Part, Dir, Kind, Method, Text string
			ID                            json.RawMessage
			Bytes                         int
			Took                          int `json:"took_us"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		if m.Dir == "" {
			require.NotEmpty(t, m.Text)
			continue
		}
		require.Len(t, m.Text, m.Bytes, line)
		switch {
		case m.Kind == "request":
			sent[m.Part+string(m.ID)]++
		case m.Kind == "response" || m.Kind == "error" && m.ID != nil:
			answered[m.Part+string(m.ID)]++
			require.Positive(t, m.Took, line)
		}
	}
	require.NotEmpty(t, answered)
	for key, n := range answered {
		require.Equal(t, sent[key], n, key)
	}
}

func TestColour(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, demo.Any(t.Context(), &demo.Trace{Out: &out, Colour: true}, inMemory{t, example}))
	require.Contains(t, out.String(), "\x1b[36m")
	require.Contains(t, out.String(), "an unknown method is refused")
	require.Contains(t, out.String(), "--> resources/read ")
}

// TestAnyBareServer runs the general part with a server that offers nothing.
func TestAnyBareServer(t *testing.T) {
	var out bytes.Buffer
	bare := func() *dispatch.Server { return dispatch.NewServer(nil) }
	require.NoError(t, demo.Any(t.Context(), &demo.Trace{Out: &out}, inMemory{t, bare}))
	require.NotContains(t, out.String(), "tools/list")
}

// TestAnyCalls: no tool of a server that is not ours is called unless it says that
// it changes nothing.
func TestAnyCalls(t *testing.T) {
	const nothing = "no tool is called: none says readOnlyHint"
	for name, tt := range map[string]struct{ tools, called, note string }{
		"says nothing":       {`{"name":"wipe","inputSchema":{"type":"object"}}`, "", nothing},
		"destroys":           {`{"name":"wipe","annotations":{"destructiveHint":true}}`, "", nothing},
		"does not destroy":   {`{"name":"add","annotations":{"destructiveHint":false}}`, "", nothing},
		"says both":          {`{"name":"wipe","annotations":{"readOnlyHint":true,"destructiveHint":true}}`, "", nothing},
		"says it twice":      {`{"name":"wipe","annotations":{"readOnlyHint":true,"destructiveHint":false,"destructiveHint":true}}`, "", nothing},
		"a word":             {`{"name":"wipe","annotations":{"readOnlyHint":"true"}}`, "", nothing},
		"elsewhere":          {`{"name":"wipe","readOnlyHint":true}`, "", nothing},
		"no tools":           {``, "", nothing},
		"needs an argument":  {`{"name":"get","annotations":{"readOnlyHint":true},"inputSchema":{"required":["id"]}}`, "", "no tool is called: those that say readOnlyHint need arguments"},
		"reads":              {`{"name":"get","annotations":{"readOnlyHint":true}}`, "get", ""},
		"the second":         {`{"name":"wipe"},{"name":"get","annotations":{"readOnlyHint":true,"destructiveHint":false}},{"name":"got","annotations":{"readOnlyHint":true}}`, "get", ""},
		"another needs less": {`{"name":"a","annotations":{"readOnlyHint":true},"inputSchema":{"required":["id"]}},{"name":"b","annotations":{"readOnlyHint":true},"inputSchema":{"required":[]}}`, "b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			called := make(chan string, 10)
			server := func() *dispatch.Server {
				srv := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{Name: "foreign", Version: "1", Capabilities: []byte(`{"tools":{}}`)}})
				srv.Handle("tools/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
					return append(dst, `{"tools":[`+tt.tools+`]}`...), nil
				})
				srv.Handle("tools/call", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
					called <- string(r.Params())
					return append(dst, `{"content":[]}`...), nil
				})
				return srv
			}
			var out bytes.Buffer
			require.NoError(t, demo.Any(t.Context(), &demo.Trace{Out: &out}, inMemory{t, server}))
			close(called)
			var calls []string
			for params := range called {
				calls = append(calls, params)
			}
			if tt.called == "" {
				require.Empty(t, calls)
			} else {
				require.Len(t, calls, 1)
				require.Contains(t, calls[0], `"name":"`+tt.called+`"`)
			}
			if tt.note == "" {
				require.NotContains(t, out.String(), "no tool is called")
			} else {
				require.Contains(t, out.String(), "   # "+tt.note+"\n")
			}
		})
	}
}

// scripted is a server that answers each request with what a table says, and has a
// banner.
func scripted(t *testing.T, banner string, answers map[string]string) transport.Dialer {
	return transport.DialFunc(func(context.Context) (transport.Conn, error) {
		near, far := net.Pipe()
		go func() {
			_, _ = io.WriteString(far, banner)
			lines := bufio.NewScanner(far)
			for lines.Scan() {
				var m struct {
					ID     json.RawMessage
					Method string
				}
				_ = json.Unmarshal(lines.Bytes(), &m)
				if answer := answers[m.Method]; answer != "" {
					_, _ = io.WriteString(far, `{"jsonrpc":"2.0","id":`+string(m.ID)+","+answer+"}\n")
				}
			}
		}()
		t.Cleanup(func() { _ = far.Close() })
		return transport.Stream(near, framing.Newline, nil), nil
	})
}

// TestAnyOddServer: a server without ping is shown all the same, and so is what one
// says that is no message.
func TestAnyOddServer(t *testing.T) {
	none := `"error":{"code":-32601,"message":"no such method"}`
	answers := map[string]string{
		"server/discover": none, "ping": none, "demo/unknown": none,
		"initialize": `"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"odd","version":"1"}}`,
	}
	var out bytes.Buffer
	require.NoError(t, demo.Any(t.Context(), &demo.Trace{Out: &out}, scripted(t, "Welcome to \x1b[31mmy server\n", answers)))
	require.Regexp(t, `<-- invalid +25 B +Parse error at byte 0: .*; near «Welcome to \\x1b\[31mmy serve»`, out.String())
	require.Contains(t, out.String(), "# refused: ping: peer: -32601")
	require.Contains(t, out.String(), "an unknown method is refused")
	require.NotContains(t, out.String(), "\x1b")
}

// TestAnySilent: what is no server does not answer.
func TestAnySilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		err := demo.Any(t.Context(), &demo.Trace{Out: &out}, scripted(t, "", nil))
		require.ErrorIs(t, err, demo.ErrSilent)
		require.EqualError(t, err, "did not answer initialize within 30s: is it an MCP server on stdio?")
	})
}

// TestWrongServer runs the exchange with a server that lacks all of it.
func TestWrongServer(t *testing.T) {
	var out bytes.Buffer
	bare := func() *dispatch.Server { return dispatch.NewServer(nil) }
	err := demo.Everything(t.Context(), &demo.Trace{Out: &out}, inMemory{t, bare})
	require.ErrorContains(t, err, "tools/list")
}

// TestFailed: what the transport could not get answered is shown as that, with the id
// of the request and why, not as a message that is none.
func TestFailed(t *testing.T) {
	nobody := streamhttp.URL("http://127.0.0.1:1/mcp", nil)
	var text, lines bytes.Buffer
	require.Error(t, demo.Any(t.Context(), &demo.Trace{Out: &text}, nobody))
	require.Regexp(t, `<-- failed +id 1 .*HTTP POST: dial tcp 127\.0\.0\.1:1`, text.String())
	require.NotContains(t, text.String(), "invalid")
	require.Error(t, demo.Any(t.Context(), &demo.Trace{Out: &lines, JSON: true}, nobody))
	require.Regexp(t, `"dir":"s2c","kind":"failed","id":1,`, lines.String())
}

func TestWriteError(t *testing.T) {
	trace := &demo.Trace{Out: broken{}}
	require.NoError(t, demo.Any(t.Context(), trace, inMemory{t, example}))
	require.ErrorIs(t, trace.Err(), errBroken)
}

var errBroken = errors.New("nobody reads")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
