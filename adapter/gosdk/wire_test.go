package gosdk_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// wire is the other end of a session, in bytes.
type wire struct {
	t testing.TB
	net.Conn
	lines *bufio.Reader
	ss    *mcp.ServerSession
}

// serveWire connects a server to a peer that is the test itself.
func serveWire(t testing.TB, srv *mcp.Server, o *gosdk.Options) *wire {
	near, far := net.Pipe()
	conn := transport.Stream(far, framing.Newline, nil)
	ss, err := srv.Connect(context.Background(), gosdk.Over(conn, o), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = near.Close() })
	return &wire{t, near, bufio.NewReader(near), ss}
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	for _, line := range lines {
		_, err := io.WriteString(w, line+"\n")
		require.NoError(w.t, err)
	}
}

func (w *wire) line() string {
	w.t.Helper()
	line, err := w.lines.ReadString('\n')
	require.NoError(w.t, err)
	return strings.TrimSuffix(line, "\n")
}

// open performs the handshake of a legacy revision.
func (w *wire) open(version string) {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":{"sampling":{}},"clientInfo":{"name":"wire","version":"1"}}}`)
	require.Contains(w.t, w.line(), `"protocolVersion":"`+version+`"`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

const pong = `{"jsonrpc":"2.0","id":%s,"result":{}}`

func ping(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

// TestIDs: whatever an id is, it comes back as it was written (CO-07).
func TestIDs(t *testing.T) {
	w := serveWire(t, newServer(nil), nil)
	w.open("2025-11-25")
	for _, id := range []string{
		`0`, `-1`, `9007199254740993`, `-9223372036854775808`, `123456789012345678901234567890`, `1e3`, `5.0`,
		`""`, `"x"`, `"\u0041\n\"é"`, `"` + strings.Repeat("x", 900) + `"`,
	} {
		w.send(ping(id))
		require.Equal(t, fmt.Sprintf(pong, id), w.line())
	}
}

// TestRefusals: what is wrong with one line is answered as far as it can be, and the
// next line is served (FR-03, CO-22).
func TestRefusals(t *testing.T) {
	w := serveWire(t, newServer(nil), nil)
	w.open("2025-11-25")
	for _, tt := range []struct{ name, line, want string }{
		{"no JSON", `{"jsonrpc":`, `"code":-32700`},
		{"two values", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, `"code":-32700`},
		{"a name twice", `{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`, `"code":-32600`},
		{"no version, readable id", `{"id":"keep","method":"ping"}`, `"id":"keep"`},
		{"fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `"code":-32600`},
		{"an array", `[` + ping("1") + `]`, `"code":-32600`},
		{"unknown method", `{"jsonrpc":"2.0","id":3,"method":"no/such"}`, `"code":-32601`},
		{"unknown tool", `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"none"}}`, `"code":-32602`},
	} {
		w.send(tt.line)
		require.Contains(t, w.line(), tt.want, tt.name)
		w.send(ping(`"still"`))
		require.Equal(t, fmt.Sprintf(pong, `"still"`), w.line(), tt.name)
	}
}

// TestTolerated: blank lines and CR are no messages, and what answers nothing is no
// reason to end (FR-04).
func TestTolerated(t *testing.T) {
	w := serveWire(t, newServer(nil), nil)
	w.open("2025-06-18")
	w.send("\r", "", `{"jsonrpc":"2.0","id":77,"result":{}}`, `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":{},"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/odd","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}`, ping("1")+"\r")
	require.Equal(t, fmt.Sprintf(pong, "1"), w.line())
}

// TestCancelled: a cancelled request gets no answer, whatever its id looks like
// (CA-05), and its id is free again.
func TestCancelled(t *testing.T) {
	for _, id := range []string{`5`, `"a\u0062c"`, `9007199254740993`} {
		synctest.Test(t, func(t *testing.T) {
			w := serveWire(t, newServer(nil), nil)
			w.open("2025-11-25")
			w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"wait"}}`)
			synctest.Wait()
			w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"enough"}}`)
			synctest.Wait()
			w.send(ping(id))
			require.Equal(t, fmt.Sprintf(pong, id), w.line())
			require.NoError(t, w.Close())
		})
	}
}

// TestInitializeNotCancelled: the handshake cannot be cancelled (CA-02).
func TestInitializeNotCancelled(t *testing.T) {
	w := serveWire(t, newServer(nil), nil)
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"open"}}`)
	w.open("2025-11-25")
}

// TestRepeatedID: a second request with an id in flight does not disturb the first,
// and is refused without that id (CO-08).
func TestRepeatedID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := serveWire(t, newServer(nil), nil)
		w.open("2025-11-25")
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample"}}`)
		ask := w.line()
		require.Contains(t, ask, `"method":"sampling/createMessage"`)
		w.send(ping("1.0"))
		require.Equal(t, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: the id 1.0 is in flight"}}`, w.line())
		var asked struct{ ID json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(ask), &asked))
		w.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"model":"m","role":"assistant","content":{"type":"text","text":"yes"}}}`)
		require.Contains(t, w.line(), `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"yes"}]`)
		require.NoError(t, w.Close())
	})
}

// TestBrokenAnswer: an answer that is none fails the call it is for, and no other.
func TestBrokenAnswer(t *testing.T) {
	w := serveWire(t, newServer(nil), nil)
	w.open("2025-11-25")
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample"}}`)
	var asked struct{ ID json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(w.line()), &asked))
	w.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{},"error":{"code":1,"message":"both"}}`)
	require.Contains(t, w.line(), `{"jsonrpc":"2.0","id":1,"error":`)
	w.send(ping("2"))
	require.Equal(t, fmt.Sprintf(pong, "2"), w.line())
}

// TestBatch: arrays are served where the revision has them (CO-30 to CO-34), each
// element by itself.
func TestBatch(t *testing.T) {
	w := serveWire(t, newServer(nil), nil)
	w.open("2025-03-26")
	w.send(`[` + strings.Join([]string{
		ping("1"), `{"jsonrpc":"2.0","method":"notifications/odd"}`, `{"id":2}`,
		`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{}}`,
		ping("1"), `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"t"}}}`,
	}, ",") + `]`)
	var answers []struct {
		ID    json.RawMessage
		Error *struct{ Code int }
	}
	require.NoError(t, json.Unmarshal([]byte(w.line()), &answers))
	got := map[string]int{}
	for _, a := range answers {
		if a.Error != nil {
			got[string(a.ID)] = a.Error.Code
		} else {
			got[string(a.ID)] = 0
		}
	}
	require.Equal(t, map[string]int{"1": 0, "2": -32600, `"i"`: -32600, "null": -32600, "3": 0}, got)
	w.send(`[{"jsonrpc":"2.0","method":"notifications/odd"}]`, `[]`)
	require.Contains(t, w.line(), `"code":-32600`) // of the empty one
	w.send(ping("9"))
	require.Equal(t, fmt.Sprintf(pong, "9"), w.line())
}

// TestEndOfInput: who closes its side after the last request still gets the answer
// (ST-20); a handler that never returns does not keep the session.
func TestEndOfInput(t *testing.T) {
	for name, run := range map[string]func(context.Context, *mcp.Server, *gosdk.Transport) error{
		"theirs": func(ctx context.Context, s *mcp.Server, tr *gosdk.Transport) error { return s.Run(ctx, tr) },
		"ours":   gosdk.Run,
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { endOfInput(t, run) }) })
	}
}

func endOfInput(t *testing.T, run func(context.Context, *mcp.Server, *gosdk.Transport) error) {
	in, feed := io.Pipe()
	out, sink := io.Pipe()
	srv := newServer(nil)
	srv.AddTool(raw("slow"), func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-time.After(3 * time.Second):
			return text("late"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	served := make(chan error, 1)
	go func() { served <- run(context.Background(), srv, gosdk.IO(in, sink, nil)) }()
	w := &wire{t: t, Conn: &half{feed}, lines: bufio.NewReader(out)}
	w.open("2025-11-25")
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
	require.NoError(t, feed.Close())
	require.Contains(t, w.line(), "late")
	require.NoError(t, <-served)
}

// half is a net.Conn that only writes.
type half struct{ *io.PipeWriter }

func (*half) Read([]byte) (int, error)         { return 0, errors.ErrUnsupported }
func (*half) LocalAddr() net.Addr              { return nil }
func (*half) RemoteAddr() net.Addr             { return nil }
func (*half) SetDeadline(time.Time) error      { return errors.ErrUnsupported }
func (*half) SetReadDeadline(time.Time) error  { return errors.ErrUnsupported }
func (*half) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }

// TestDrainWait: a handler that does not return is given up after the limit.
func TestDrainWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := serveWire(t, newServer(nil), &gosdk.Options{DrainWait: time.Minute})
		w.open("2025-11-25")
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
		synctest.Wait()
		began := time.Now()
		require.NoError(t, w.Close())
		require.NoError(t, w.ss.Wait())
		require.Equal(t, time.Minute, time.Since(began))
	})
}

// TestSubscriptionIDs: what belongs to a subscription names it as its client did
// (SU-05), and an ended one gets no answer (SU-09).
func TestSubscriptionIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(nil)
		w := serveWire(t, srv, nil)
		const id = `"s\u0075b"`
		w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"}},"notifications":{"toolsListChanged":true}}}`)
		ack := w.line()
		require.Contains(t, ack, `"method":"notifications/subscriptions/acknowledged"`)
		require.Contains(t, ack, `"io.modelcontextprotocol/subscriptionId":`+id)
		srv.AddTool(raw("new"), nothing)
		changed := w.line()
		require.Contains(t, changed, `"method":"notifications/tools/list_changed"`)
		require.Contains(t, changed, `"io.modelcontextprotocol/subscriptionId":`+id)
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub"}}`)
		synctest.Wait()
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"}}}}`)
		require.Contains(t, w.line(), `{"jsonrpc":"2.0","id":1,"result":`)
		require.NoError(t, w.Close())
	})
}

// TestJunkOfServers: a client reports what a server prints beside the protocol, and
// answers none of it.
func TestJunkOfServers(t *testing.T) {
	near, far := net.Pipe()
	client, _ := newClient()
	done := make(chan error, 1)
	go func() {
		cs, err := client.Connect(t.Context(), gosdk.Over(transport.Stream(far, framing.Newline, nil), nil), legacy)
		if err == nil {
			_, err = cs.ListTools(t.Context(), nil)
			_ = cs.Close()
		}
		done <- err
	}()
	w := &wire{t: t, Conn: near, lines: bufio.NewReader(near)}
	require.Contains(t, w.line(), `"method":"initialize"`)
	w.send("Starting server...", `{"also":"junk"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
	require.Contains(t, w.line(), `"method":"notifications/initialized"`)
	require.Contains(t, w.line(), `"method":"tools/list"`)
	w.send("more", `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
	require.NoError(t, <-done)
}
