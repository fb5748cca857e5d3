package bridge_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/streamhttp"
)

// client is a client of Streamable HTTP, request by request.
type client struct {
	t       testing.TB
	s       *memhttp.Server
	headers http.Header
}

func (r *rig) client(s *memhttp.Server) *client {
	return &client{t: r.t, s: s, headers: http.Header{}}
}

// response is one that is being read.
type response struct {
	*http.Response
	t    testing.TB
	body *bufio.Reader
}

func (c *client) do(ctx context.Context, method, body string) *response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, c.s.URL()+"/mcp", strings.NewReader(body))
	require.NoError(c.t, err)
	req.Header = c.headers.Clone()
	req.Header.Set("Accept", "application/json, text/event-stream")
	if req.Header.Get("X-Plain") != "" {
		req.Header.Set("Accept", "application/json")
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.s.Client().Do(req)
	if err != nil { // on a goroutine of its own as a rule
		return &response{&http.Response{Status: err.Error(), Header: http.Header{}, Body: http.NoBody}, c.t, bufio.NewReader(strings.NewReader(""))}
	}
	c.t.Cleanup(func() { _ = resp.Body.Close() })
	return &response{resp, c.t, bufio.NewReader(resp.Body)}
}

func (c *client) post(body string) *response {
	c.t.Helper()
	return c.do(context.Background(), http.MethodPost, body)
}

// start posts without waiting for the response.
func (c *client) start(body string) <-chan *response {
	got := make(chan *response, 1)
	go func() { got <- c.post(body) }()
	return got
}

// modern makes the client one of 2026-07-28 that calls a method.
func (c *client) modern(ctx context.Context, id, method, name, params string) *response {
	c.t.Helper()
	own := client{c.t, c.s, c.headers.Clone()}
	own.headers.Set("MCP-Protocol-Version", "2026-07-28")
	own.headers.Set("Mcp-Method", method)
	if name != "" {
		own.headers.Set("Mcp-Name", name)
	}
	return own.do(ctx, http.MethodPost, request(id, method, params))
}

// text is the whole body.
func (r *response) text() string {
	r.t.Helper()
	text, err := io.ReadAll(r.body)
	require.NoError(r.t, err)
	return string(text)
}

// event is the data of the next event.
func (r *response) event() string {
	r.t.Helper()
	for {
		line, err := r.body.ReadString('\n')
		require.NoError(r.t, err)
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return strings.TrimSuffix(data, "\n")
		}
	}
}

// session opens a session over HTTP with the next back.
func (r *rig) webSession(s *memhttp.Server) (*client, *peer) {
	r.t.Helper()
	c := r.client(s)
	got := c.start(request("1", "initialize", hello))
	back := r.to.next()
	back.want(request("1", "initialize", hello))
	back.send(result("1", welcome))
	resp := <-got
	require.Equal(r.t, result("1", welcome), resp.text())
	c.headers.Set("Mcp-Session-Id", resp.Header.Get("Mcp-Session-Id"))
	c.headers.Set("MCP-Protocol-Version", "2025-11-25")
	require.Equal(r.t, http.StatusAccepted, c.post(notification("notifications/initialized", "")).StatusCode)
	back.want(notification("notifications/initialized", ""))
	return c, back
}

// TestSessions: each session has a back of its own, ids and tokens that are equal
// do not meet, and the end of a session ends its back and nobody else's (L3, L4,
// L9 of the field).
func TestSessions(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		s := r.web(nil)
		const n = 3
		var clients [n]*client
		var servers [n]*peer
		for i := range n {
			clients[i], servers[i] = r.webSession(s)
		}
		require.Equal(t, n, r.b.Backs())
		var got [n]<-chan *response
		call := request("7", "tools/call", `{"name":"x","_meta":{"progressToken":7}}`)
		for i, c := range clients {
			got[i] = c.start(call)
		}
		for i, back := range servers {
			back.want(request("2", "tools/call", `{"name":"x","_meta":{"progressToken":2}}`))
			back.send(notification("notifications/progress", fmt.Sprintf(`{"progressToken":2,"progress":%d}`, i)))
		}
		for i := range n {
			resp := <-got[i]
			require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
			require.Equal(t, notification("notifications/progress", fmt.Sprintf(`{"progressToken":7,"progress":%d}`, i)), resp.event())
			servers[i].send(result("2", fmt.Sprintf(`{"of":%d}`, i)))
			require.Equal(t, result("7", fmt.Sprintf(`{"of":%d}`, i)), resp.event())
		}
		require.Equal(t, http.StatusNoContent, clients[0].do(context.Background(), http.MethodDelete, "").StatusCode)
		servers[0].ends()
		require.NoError(t, servers[1].conn.Close())
		synctest.Wait()
		require.Equal(t, 1, r.b.Backs())
		got[2] = clients[2].start(request("7", "ping", ""))
		servers[2].want(request("3", "ping", ""))
		servers[2].send(result("3", "{}"))
		require.Equal(t, result("7", "{}"), (<-got[2]).text())
	})
}

// TestOutsideOfCalls: what the server says while one call runs goes to its
// stream, what it says while none does to the session's, which it may have to
// wait for; and nobody waits for an answer that cannot come (N8 of the field).
func TestOutsideOfCalls(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		s := r.web(nil)
		c, back := r.webSession(s)
		// The server asks at once, before the client has opened its stream.
		back.send(request("1", "roots/list", ""), notification("notifications/tools/list_changed", ""))
		<-time.After(3 * time.Second)
		stream := c.do(context.Background(), http.MethodGet, "")
		require.Equal(t, request("2", "roots/list", ""), stream.event())
		require.Equal(t, notification("notifications/tools/list_changed", ""), stream.event())
		require.Equal(t, http.StatusAccepted, c.post(result("2", `{"roots":[]}`)).StatusCode)
		back.want(result("1", `{"roots":[]}`))

		got := c.start(request("9", "tools/call", `{"name":"x"}`))
		back.want(request("3", "tools/call", `{"name":"x"}`))
		back.send(request("2", "sampling/createMessage", "{}"))
		resp := <-got
		require.Equal(t, request("4", "sampling/createMessage", "{}"), resp.event())
		back.send(notification("notifications/message", `{"level":"info","data":"x"}`))
		require.Equal(t, notification("notifications/message", `{"level":"info","data":"x"}`), resp.event())
		require.Equal(t, http.StatusAccepted, c.post(failed("4", `{"code":-1,"message":"no"}`)).StatusCode)
		back.want(failed("2", `{"code":-1,"message":"no"}`))
		back.send(result("3", "{}"))
		require.Equal(t, result("9", "{}"), resp.event())
		require.NoError(t, stream.Body.Close())
		synctest.Wait()

		begun := time.Now()
		back.send(request("3", "roots/list", ""))
		back.want(`{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"front: …","data":{"io.github.wirespool/hop":"front"}}}`)
		require.Equal(t, 10*time.Second, time.Since(begun).Round(time.Second))
	})
}

// TestUnknownRevision: a session in a revision that the bridge does not know is one
// like others: whether the client can speak it is the client's to judge (VN-03).
func TestUnknownRevision(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		c := r.client(r.web(nil))
		got := c.start(request("1", "initialize", hello))
		back := r.to.next()
		back.want(request("1", "initialize", hello))
		back.send(result("1", `{"protocolVersion":"2024-10-07"}`))
		resp := <-got
		require.Equal(t, result("1", `{"protocolVersion":"2024-10-07"}`), resp.text())
		c.headers.Set("Mcp-Session-Id", resp.Header.Get("Mcp-Session-Id"))
		got = c.start(request("2", "a", ""))
		back.want(request("2", "a", ""))
		back.send(result("2", "{}"))
		require.Equal(t, result("2", "{}"), (<-got).text())
		require.Equal(t, http.StatusNoContent, c.do(context.Background(), http.MethodDelete, "").StatusCode)
		back.ends()
	})
}

// TestLeaving: a client of a session that drops its connection does not cancel,
// and what it asked for goes on (CA-11); a client that reads nothing holds up
// nobody.
func TestLeaving(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		s := r.web(nil)
		c, back := r.webSession(s)
		ctx, leave := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() {
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/mcp", strings.NewReader(request("1", "slow", "")))
			req.Header = c.headers.Clone()
			req.Header.Set("Accept", "application/json, text/event-stream")
			if req.Header.Get("X-Plain") != "" {
				req.Header.Set("Accept", "application/json")
			}
			req.Header.Set("Content-Type", "application/json")
			_, err := s.Client().Do(req)
			require.ErrorIs(t, err, context.Canceled)
		})
		back.want(request("2", "slow", ""))
		leave()
		done.Wait()
		back.silent()
		back.send(result("2", "{}"))
		back.silent() // and the id is free again
		got := c.start(request("1", "a", ""))
		back.want(request("3", "a", ""))
		back.send(result("3", "{}"))
		require.Equal(t, result("1", "{}"), (<-got).text())
	})
}

// TestSSE: the transport of 2024-11-05 beside it; its session is its stream.
func TestSSE(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		h, err := sse.NewHandler(r.b, nil)
		require.NoError(t, err)
		s := memhttp.Start(h, nil)
		defer s.Close()
		defer func() { _ = h.Close() }()
		d := sse.URL(s.URL()+"/sse", &sse.ClientOptions{Transport: s.Client().Transport})
		conn, err := d.Dial(t.Context())
		require.NoError(t, err)
		near, far := net.Pipe()
		front := newPeer(t, far)
		go relayLines(conn, near)
		back := r.session(front)
		front.send(request("1", "a", `{"_meta":{"progressToken":"p"}}`), request("2", "b", ""))
		back.want(request("2", "a", `{"_meta":{"progressToken":2}}`), request("3", "b", ""))
		back.send(notification("notifications/progress", `{"progressToken":2,"progress":1}`), result("3", "{}"), result("2", "{}"))
		front.want(notification("notifications/progress", `{"progressToken":"p","progress":1}`), result("2", "{}"), result("1", "{}"))
		require.NoError(t, conn.Close())
		back.ends()
		require.NoError(t, near.Close())
	})
}

// TestModernPassing: both sides speak 2026-07-28: requests of all clients share a
// back; a client that leaves cancels (CA-09), and nothing is changed but ids,
// tokens and subscription ids (SU-05).
func TestModernPassing(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		s := r.web(&streamhttp.Options{})
		c := r.client(s)
		const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
		got := make(chan *response, 3)
		for range 3 {
			go func() {
				got <- c.modern(context.Background(), `"x"`, "tools/call", "t", `{"name":"t","_meta":{`+meta+`,"progressToken":7}}`)
			}()
		}
		back := r.to.next()
		back.want(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",…}}}`)
		back.send(result("1", `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`))
		for i := range 3 {
			id := fmt.Sprint(i + 2)
			back.want(request(id, "tools/call", `{"name":"t","_meta":{`+meta+`,"progressToken":`+id+`}}`))
		}
		back.send(notification("notifications/progress", `{"progressToken":3,"progress":1}`), result("4", `{"n":4}`), result("3", `{"n":3}`), result("2", `{"n":2}`))
		texts := map[string]bool{}
		for range 3 {
			text := (<-got).text()
			texts[text] = true
		}
		require.Len(t, texts, 3)
		require.Contains(t, texts, result(`"x"`, `{"n":4}`))
		require.Equal(t, 1, r.b.Backs())

		ctx, leave := context.WithCancel(t.Context())
		go func() {
			got <- c.modern(ctx, `"l"`, "subscriptions/listen", "", `{"notifications":{"toolsListChanged":true},"_meta":{`+meta+`}}`)
		}()
		back.want(request("5", "subscriptions/listen", `{"notifications":{"toolsListChanged":true},"_meta":{`+meta+`}}`))
		back.send(notification("notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":5},"notifications":{}}`))
		stream := <-got
		require.Equal(t, notification("notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"},"notifications":{}}`), stream.event())
		leave()
		back.want(notification("notifications/cancelled", `{"requestId":5,"reason":"the client has left"}`))

		go func() {
			got <- c.modern(context.Background(), `"m"`, "subscriptions/listen", "", `{"notifications":{},"_meta":{`+meta+`}}`)
		}()
		back.want(request("6", "subscriptions/listen", `{"notifications":{},"_meta":{`+meta+`}}`))
		back.send(result("6", `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":6}}`))
		require.Equal(t, result(`"m"`, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"m"}}`), (<-got).event())

		go func() {
			got <- c.modern(context.Background(), "1", "tools/list", "", `{"_meta":{`+meta+`}}`)
		}()
		back.want(request("7", "tools/list", `{"_meta":{`+meta+`}}`))
		back.send(request("1", "ping", ""))
		back.want(failed("1", `{"code":-32601,…}`))
		require.NoError(t, back.conn.Close())
		require.Contains(t, (<-got).text(), `"io.github.wirespool/hop":"pipe"`)

		// A subscription that the end of the endpoint ends gets its result (SU-10).
		go func() {
			got <- c.modern(context.Background(), "2", "subscriptions/listen", "", `{"notifications":{},"_meta":{`+meta+`}}`)
		}()
		back = r.to.next()
		back.want(`{…"method":"server/discover",…}`)
		back.send(result("8", `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`))
		back.want(request("9", "subscriptions/listen", `{"notifications":{},"_meta":{`+meta+`}}`))
		back.send(notification("notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":9},"notifications":{}}`))
		stream = <-got
		require.Contains(t, stream.event(), "acknowledged")
		shut := make(chan error, 1)
		go func() { shut <- r.handler.Shutdown(context.Background()) }()
		require.Equal(t, result("2", `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}}`), stream.event())
		require.NoError(t, <-shut)
		back.want(notification("notifications/cancelled", `{"requestId":9,"reason":"shutting down"}`))
	})
}

// TestNoSessionStream: a client that opens no stream of its own is asked on the
// stream of a call, whichever it is.
func TestNoSessionStream(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		c, back := r.webSession(r.web(nil))
		one, two := c.start(request("1", "a", "")), c.start(request("2", "a", ""))
		back.want("{…}", "{…}")
		back.send(request("7", "roots/list", ""))
		var asked *response
		select {
		case asked = <-one:
		case asked = <-two:
		}
		require.Equal(t, request("4", "roots/list", ""), asked.event())
		require.Equal(t, http.StatusAccepted, c.post(result("4", `{"roots":[]}`)).StatusCode)
		back.want(result("7", `{"roots":[]}`))

		// Not even that: it takes nothing but JSON.
		plain := &client{t, c.s, c.headers.Clone()}
		plain.headers.Set("X-Plain", "1")
		got := plain.start(request("3", "a", ""))
		back.want("{…}")
		back.send(result("2", "{}"), result("3", "{}"), request("8", "roots/list", ""))
		back.want(`{"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"front: …"}…}`)
		back.send(result("5", "{}"))
		require.Equal(t, result("3", "{}"), (<-got).text())
	})
}
