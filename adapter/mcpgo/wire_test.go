package mcpgo_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// wire is a peer that speaks to a server line by line.
type wire struct {
	t     *testing.T
	conn  net.Conn
	lines chan string
	to    atomic.Pointer[chan string]
	ended chan error // what Serve returned
}

// pause has lines go to a channel that holds none.
func (w *wire) pause(lines chan string) { w.to.Store(&lines) }

// dial connects a wire to a server for s.
func dial(t *testing.T, s *server.MCPServer, o *mcpgo.Options) *wire {
	t.Helper()
	near, far := net.Pipe()
	w := &wire{t: t, conn: near, lines: make(chan string, 4096), ended: make(chan error, 1)}
	w.to.Store(&w.lines)
	go func() {
		a := mcpgo.NewServer(s, o)
		err := a.Serve(context.WithoutCancel(t.Context()), transport.Stream(far, framing.Newline, nil))
		_ = far.Close()
		_ = a.Shutdown(context.Background())
		w.ended <- err
	}()
	go func() {
		defer close(w.lines)
		for in := bufio.NewScanner(near); in.Scan(); {
			select {
			case *w.to.Load() <- in.Text():
			case <-t.Context().Done():
				return
			}
		}
	}()
	t.Cleanup(func() { _ = near.Close() })
	return w
}

func (w *wire) write(lines ...string) {
	w.t.Helper()
	for _, line := range lines {
		_, err := w.conn.Write([]byte(line + "\n"))
		require.NoError(w.t, err)
	}
}

// read returns the next line.
func (w *wire) read() string {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		require.True(w.t, ok, "the stream has ended")
		return line
	case <-time.After(time.Minute):
		w.t.Fatal("no line")
		return ""
	}
}

// hello does the handshake of a revision.
func (w *wire) hello(version string) {
	w.t.Helper()
	w.write(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{"sampling":{},"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	require.Contains(w.t, w.read(), `"protocolVersion":"`+version+`"`)
	w.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func toolCall(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":%s}}}`, id, tool, arguments, id)
}

// meta26 is the _meta of 2026-07-28, without the closing bracket.
const meta26 = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}`

// Ids come back as they came (CO-07), and what is no id is refused (CO-22).
func TestIDs(t *testing.T) {
	for _, id := range []string{`1`, `"1"`, `9007199254740993`, `-9223372036854775809`, `"a\u0000\"b"`, `1e3`} {
		w := dial(t, newMCPServer(), nil)
		w.hello(legacy)
		w.write(toolCall(id, "echo", `{"text":"x"}`))
		require.JSONEq(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{"content":[{"type":"text","text":"x"}]}}`, w.read())
		w.write(toolCall(id, "missing", `{}`))
		require.Contains(t, w.read(), `"id":`+id+`,"error":{"code":-32602`)
	}
	for _, id := range []string{`null`, `1.5`, `{}`, `[1]`, `true`} {
		w := dial(t, newMCPServer(), nil)
		w.hello(legacy)
		w.write(toolCall(id, "echo", `{"text":"x"}`), toolCall(`2`, "echo", `{"text":"x"}`))
		require.Contains(t, w.read(), `"code":-32600`, id)
		require.Contains(t, w.read(), `"id":2,"result"`, id)
	}
}

// A progress token comes back as it came, though the handler has it as a float64.
func TestProgressToken(t *testing.T) {
	w := dial(t, newMCPServer(), nil)
	w.hello(legacy)
	w.write(toolCall(`9007199254740993`, "progress", `{"n":1}`))
	require.Contains(t, w.read(), `"progressToken":9007199254740993`)
	require.Contains(t, w.read(), `"id":9007199254740993,"result"`)
}

// Arrays are split before mcp-go sees them (CO-30), answers are no requests
// (CO-39), and neither ends anything.
func TestArraysAndAnswers(t *testing.T) {
	w := dial(t, newMCPServer(), nil)
	w.hello("2025-03-26")
	w.write(
		`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":7,"result":null}`,
		`[`+toolCall(`1`, "echo", `{"text":"a"}`)+`,7,`+toolCall(`"1"`, "echo", `{"text":"b"}`)+`]`,
	)
	var answers []map[string]any
	require.NoError(t, json.Unmarshal([]byte(w.read()), &answers))
	require.Len(t, answers, 3)
	require.EqualValues(t, 1, answers[0]["id"])
	require.Contains(t, answers[1], "error")
	require.Equal(t, "1", answers[2]["id"])
	w.write(`no JSON`, toolCall(`2`, "echo", `{"text":"c"}`))
	require.Contains(t, w.read(), `-32700`)
	require.Contains(t, w.read(), `"text":"c"`)
}

// A cancelled request is not answered (CA-06), and no other is cancelled with it
// (CA-13).
func TestCancel(t *testing.T) {
	s := newMCPServer()
	started, cancelled := make(chan string, 4), make(chan string, 4)
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		started <- r.GetString("text", "")
		<-ctx.Done()
		cancelled <- r.GetString("text", "")
		return echo(ctx, r)
	})
	w := dial(t, s, nil)
	w.hello(legacy)
	w.write(toolCall(`1`, "wait", `{"text":"number"}`), toolCall(`"1"`, "wait", `{"text":"string"}`))
	<-started
	<-started
	w.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`)
	require.Equal(t, "string", <-cancelled)
	require.Empty(t, cancelled)
	w.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}`)
	require.Equal(t, "number", <-cancelled)
	w.write(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	require.Contains(t, w.read(), `"id":3`) // and not 1
}

// A second request with an id in flight does not disturb the first (CO-08).
func TestIDInFlight(t *testing.T) {
	s := newMCPServer()
	started, release := make(chan struct{}), make(chan struct{})
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(started)
		<-release
		return echo(ctx, r)
	})
	w := dial(t, s, nil)
	w.hello(legacy)
	w.write(toolCall(`1`, "wait", `{"text":"first"}`))
	<-started
	w.write(toolCall(`1`, "echo", `{"text":"second"}`))
	require.Contains(t, w.read(), `"error":{"code":-32600`)
	close(release)
	require.Contains(t, w.read(), `"text":"first"`)
}

// A panic is the failure of its own request.
func TestPanic(t *testing.T) {
	w := dial(t, newMCPServer(), nil)
	w.hello(legacy)
	w.write(toolCall(`1`, "panic", `{}`))
	first := w.read()
	require.Contains(t, first, `"id":1,"error":{"code":-32603`)
	require.NotContains(t, first, "told to")
	w.write(toolCall(`2`, "echo", `{"text":"x"}`))
	require.Contains(t, w.read(), `"id":2,"result"`)
}

// However many notifications a handler sends, all come before its answer, in
// order, though mcp-go drops what finds a channel full.
func TestFlood(t *testing.T) {
	const n = 5000
	w := dial(t, newMCPServer(), nil)
	w.hello(legacy)
	w.write(toolCall(`1`, "progress", fmt.Sprintf(`{"n":%d}`, n)))
	for i := range n {
		require.Contains(t, w.read(), fmt.Sprintf(`"progress":%d,`, i+1))
	}
	require.Contains(t, w.read(), fmt.Sprintf(`"text":"%d"`, n))
}

// What a handler has left behind to notify goes out on the connection.
func TestLate(t *testing.T) {
	s := newMCPServer()
	answered := make(chan struct{})
	s.AddTool(mcp.NewTool("late"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx = context.WithoutCancel(ctx)
		go func() {
			<-answered
			_ = s.SendNotificationToClient(ctx, "notifications/late", nil)
		}()
		return echo(ctx, r)
	})
	w := dial(t, s, nil)
	w.hello(legacy)
	w.write(toolCall(`1`, "late", `{}`))
	require.Contains(t, w.read(), `"id":1`)
	close(answered)
	require.JSONEq(t, `{"jsonrpc":"2.0","method":"notifications/late"}`, w.read())
}

// The end of input lets what runs be answered.
func TestEOF(t *testing.T) {
	s := newMCPServer()
	started, release := make(chan struct{}, 8), make(chan struct{})
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		started <- struct{}{}
		<-release
		_ = s.SendNotificationToClient(ctx, "notifications/last", nil)
		return echo(ctx, r)
	})
	a, b := newHalves()
	done := make(chan error, 1)
	go func() { done <- mcpgo.NewServer(s, nil).Serve(t.Context(), transport.Stream(b, framing.Newline, nil)) }()
	lines := make(chan string, 64)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(a); in.Scan(); {
			lines <- in.Text()
		}
	}()
	_, err := a.Write([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
	require.NoError(t, err)
	for i := range 5 {
		_, err := a.Write([]byte(toolCall(fmt.Sprint(i+1), "wait", `{}`) + "\n"))
		require.NoError(t, err)
	}
	for range 5 {
		<-started
	}
	require.NoError(t, a.CloseWrite())
	close(release)
	require.NoError(t, <-done)
	answers, notes := 0, 0
	for line := range lines {
		answers += strings.Count(line, `"result"`)
		notes += strings.Count(line, "notifications/last")
	}
	require.Equal(t, 6, answers)
	require.Equal(t, 5, notes)
}

// A human may think for longer than any transport's patience.
func TestSlowHuman(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, newMCPServer(), nil)
		w.hello(legacy)
		w.write(toolCall(`1`, "roots", `{}`))
		require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, w.read())
		<-time.After(30 * time.Minute)
		w.write(`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///slow"}]}}`)
		require.Contains(t, w.read(), `file:///slow`)
		_ = w.conn.Close()
		<-w.ended
	})
}

// TestRequestProtocolInfo: a handler finds the same about a request of 2026-07-28
// whether HandleMessage has seen its _meta or our hook has told it, and the result
// says the same (SH26-09).
func TestRequestProtocolInfo(t *testing.T) {
	s := newMCPServer()
	s.AddTool(mcp.NewTool("info"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session := server.ClientSessionFromContext(ctx)
		info := struct {
			*server.RequestProtocolInfo
			IsModern, Initialized bool
			Version               string
			Session               mcp.Implementation
			Token                 any
		}{
			server.RequestProtocolInfoFromContext(ctx), server.IsModernRequest(ctx), session.Initialized(), server.RequestProtocolVersion(ctx),
			session.(server.SessionWithClientInfo).GetClientInfo(), r.Params.Meta.ProgressToken,
		}
		text, err := json.Marshal(info)
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(text))}, Result: mcp.Result{
			Meta: &mcp.Meta{ProgressToken: 1, AdditionalFields: map[string]any{"k": []int{1}}},
		}}, err
	})
	w := dial(t, s, nil)
	for _, meta := range []string{``, `,"io.modelcontextprotocol/logLevel":"info"`, `,"progressToken":7`} {
		var answers []string
		for _, traced := range []string{``, `,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`} {
			w.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"info",` + meta26 + meta + traced + `}}}`)
			answers = append(answers, w.read())
		}
		require.JSONEq(t, answers[0], answers[1])
		for _, want := range []string{
			`\"Modern\":true`, `\"IsModern\":true`, `\"Version\":\"2026-07-28\"`, `\"Initialized\":true`, `\"ClientInfo\":{\"name\":\"c\"`,
			`\"elicitation\":{}`, `"resultType":"complete"`, `"io.modelcontextprotocol/serverInfo":{`, `"k":[1]`, `"progressToken":1`,
		} {
			require.Contains(t, answers[0], want)
		}
		if strings.Contains(meta, "logLevel") {
			require.Contains(t, answers[0], `\"LogLevel\":\"info\"`)
		}
	}
}
