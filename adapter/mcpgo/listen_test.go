package mcpgo_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/mcpgo"
)

// events posts a request to a server and returns the data of what comes back, one
// event a receive; the channel is closed at its end.
func events(t *testing.T, url, body string, header ...string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	lines := make(chan string, 10_000)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(lines)
		defer resp.Body.Close()
		for in := bufio.NewScanner(resp.Body); in.Scan(); {
			if data, ok := strings.CutPrefix(in.Text(), "data:"); ok && data != "" {
				lines <- strings.TrimSpace(data)
			} else if strings.HasPrefix(in.Text(), "{") {
				lines <- in.Text()
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return lines
}

// next returns what comes next from events.
func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	select {
	case line, ok := <-lines:
		require.True(t, ok, "the stream has ended")
		return line
	case <-time.After(time.Minute):
		require.FailNow(t, "no event")
		return ""
	}
}

// headers26 are what a POST of 2026-07-28 must say besides its body.
func headers26(method, name string) []string {
	h := []string{"MCP-Protocol-Version", modern, "Mcp-Method", method}
	if name != "" {
		h = append(h, "Mcp-Name", name)
	}
	return h
}

func listenRequest(id, filter string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":` + filter + `,` + meta26 + `}}}`
}

// change makes a server say that its tools have changed.
func change(s *server.MCPServer, n int) {
	s.AddTool(mcp.NewTool(fmt.Sprint("new", n)), echo)
}

// Who listens gets what it asked for, tagged with its id as it sent that (SU-02,
// SU-03, SU-05), over a byte stream and over HTTP.
func TestListen(t *testing.T) {
	const id = `9007199254740993`
	for _, way := range []string{"pipe", "http"} {
		t.Run(way, func(t *testing.T) {
			s := newMCPServer()
			text := listenRequest(id, `{"toolsListChanged":true,"resourceSubscriptions":["test://a"]}`)
			var read func() string
			if way == "pipe" {
				w := dial(t, s, nil)
				w.write(text)
				read = w.read
			} else {
				lines := events(t, serveHTTP(t, s), text, headers26("subscriptions/listen", "")...)
				read = func() string { return next(t, lines) }
			}
			tag := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}`
			require.JSONEq(t, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://a"]},`+tag+`}}`, read())
			change(s, 1)
			require.JSONEq(t, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{`+tag+`}}`, read())
			s.SendNotificationToAllClients("notifications/prompts/list_changed", nil)
			s.SendNotificationToAllClients("notifications/custom", nil)
			s.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": "test://b"})
			s.SendNotificationToAllClients("notifications/resources/updated", map[string]any{"uri": "test://a"})
			require.JSONEq(t, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a",`+tag+`}}`, read())
		})
	}
}

// On a byte stream a subscription ends with its cancellation, others go on, and
// requests are served beside it (SU-08, SU-09).
func TestListenTwice(t *testing.T) {
	s := newMCPServer()
	w := dial(t, s, nil)
	w.write(listenRequest(`"a"`, `{"toolsListChanged":true}`))
	require.Contains(t, w.read(), "acknowledged")
	w.write(listenRequest(`"b"`, `{"toolsListChanged":true}`))
	require.Contains(t, w.read(), "acknowledged")
	change(s, 1)
	both := w.read() + w.read()
	require.Contains(t, both, `subscriptionId":"a"`)
	require.Contains(t, both, `subscriptionId":"b"`)
	w.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},`+meta26+`}}}`)
	require.Contains(t, w.read(), `"id":5`)
	change(s, 2)
	require.Contains(t, w.read(), `subscriptionId":"b"`)
	w.write(listenRequest(`"c"`, `{}`)) // to nothing: ends at once
	require.Contains(t, w.read(), "acknowledged")
	require.JSONEq(t, `{"jsonrpc":"2.0","id":"c","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"c"}}}`, w.read())
}

// What many changes leave behind for a client that does not read is one notice
// for each subject, not none and not all.
func TestListenSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newMCPServer()
		w := dial(t, s, nil)
		lines := make(chan string) // nothing more is read than one line ahead
		w.pause(lines)
		w.write(listenRequest(`1`, `{"toolsListChanged":true,"promptsListChanged":true}`))
		require.Contains(t, <-lines, "acknowledged")
		for i := range 2000 {
			change(s, i)
		}
		s.SendNotificationToAllClients("notifications/prompts/list_changed", nil)
		synctest.Wait() // mcp-go hands on what it was told in a goroutine
		for n := 1; !strings.Contains(<-lines, "prompts/list_changed"); n++ {
			require.Less(t, n, 10)
		}
	})
}

// Each of many calls at the same time gets its own notifications on its own
// stream, all of them, before its answer (SL-18).
func TestRouting(t *testing.T) {
	const calls, n = 16, 50
	url := serveHTTP(t, newMCPServer())
	var streams []<-chan string
	for i := range calls {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","arguments":{"n":%d,"text":"call %d"},%s,"progressToken":"t%d"}}}`, n, i, meta26, i)
		streams = append(streams, events(t, url, body, headers26("tools/call", "progress")...))
	}
	for i, stream := range streams {
		for k := range n {
			line := <-stream
			require.Contains(t, line, fmt.Sprintf(`"progress":%d,"progressToken":"t%d"`, k+1, i))
			require.Contains(t, line, fmt.Sprintf(`"message":"call %d"`, i))
		}
		require.Contains(t, <-stream, `"resultType":"complete"`)
	}
}

// A client that goes away cancels its request of 2026-07-28 (SH26-21).
func TestGone(t *testing.T) {
	s := newMCPServer()
	started, ended := make(chan struct{}), make(chan error, 1)
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(started)
		<-ctx.Done()
		ended <- ctx.Err()
		return echo(ctx, r)
	})
	cl, _ := connect(t, mcpgo.NewStreamableHTTP(serveHTTP(t, s), nil, nil), modern)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	_, err := callErr(ctx, cl, "wait", nil)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, <-ended, context.Canceled)
}
