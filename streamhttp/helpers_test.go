package streamhttp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// rig is an endpoint with a dispatch server behind it, in virtual time.
type rig struct {
	t    *testing.T
	srv  *dispatch.Server
	h    *streamhttp.Handler
	http *memhttp.Server
	log  *eventlog.Memory // nil for an endpoint without
}

// everything announces what the tests use.
var everything = dispatch.Info{
	Name: "test", Version: "1",
	Capabilities: codec.Value(`{"tools":{"listChanged":true},"logging":{}}`),
}

// endpoint runs a test in virtual time with an endpoint of its own.
func endpoint(t *testing.T, o *streamhttp.Options, f func(*testing.T, *rig)) {
	endpointOver(t, o, nil, f)
}

func endpointOver(t *testing.T, o *streamhttp.Options, mem *memhttp.Options, f func(*testing.T, *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := open(t, o, mem)
		defer r.close()
		f(t, r)
	})
}

func open(t *testing.T, o *streamhttp.Options, mem *memhttp.Options) *rig {
	r := &rig{t: t, srv: dispatch.NewServer(&dispatch.Options{Info: everything})}
	register(r.srv)
	if o != nil {
		r.log, _ = o.Log.(*eventlog.Memory)
	}
	r.h = streamhttp.NewHandler(r.srv, o)
	r.http = memhttp.Start(r.h, mem)
	return r
}

func (r *rig) close() {
	_ = r.h.Close()
	r.http.Close()
	soon, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	require.NoError(r.t, r.h.Shutdown(soon), "what was closed has not ended")
	require.NoError(r.t, r.srv.Shutdown(context.Background()))
}

// register adds the methods that tests call.
func register(s *dispatch.Server) {
	s.Handle("tools/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"tools":[]}`...), nil
	})
	s.Handle("tools/call", callTool)
	s.Handle("prompts/get", echoParams)
	s.Handle("resources/read", echoParams)
	s.Handle("tasks/get", echoParams)
	s.Handle("subscriptions/listen", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		if err := r.Notify(ctx, protocol.NotificationSubscriptionsAcknowledged, []byte(`{"notifications":{}}`)); err != nil {
			return nil, err
		}
		r.Wait(func() { <-ctx.Done() })
		return dst, ctx.Err()
	})
}

func echoParams(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	return append(append(append(dst, `{"params":`...), r.Params()...), '}'), nil
}

// callTool does what the name of the tool says.
func callTool(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	name, _ := r.Fact(codec.FactName).Text()
	tool, arg, _ := strings.Cut(string(name), ":")
	switch tool {
	case "sleep":
		d, err := time.ParseDuration(arg)
		if err != nil {
			return nil, err
		}
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case "progress":
		for i := range 3 {
			if err := r.Progress(ctx, float64(i+1), 3, arg); err != nil {
				return nil, err
			}
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	case "ask":
		res, err := r.Call(ctx, "ping", nil)
		if err != nil {
			return nil, err
		}
		res.Release()
	case "fail":
		var code int64
		_, _ = fmt.Sscan(arg, &code)
		return nil, &codec.Error{Code: code, Message: "as asked"}
	case "poll":
		retry, _ := time.ParseDuration(arg)
		if err := r.Exchange().(transport.Poller).CloseStream(retry); err != nil {
			return nil, err
		}
		<-time.After(5 * time.Second)
	case "commit":
		if err := r.Exchange().(transport.Committer).Commit(); err != nil {
			return nil, err
		}
	case "who":
		from := r.Exchange().(transport.Requester)
		return fmt.Appendf(dst, `{"who":%q,"trace":%q}`, from.Principal(), strings.Join(from.Header()["X-Trace"], "|")), nil
	case "stuck": // deaf to cancellation
		<-time.After(40 * time.Second)
	case "notify":
		_ = r.Notify(ctx, "notifications/odd", nil)
	case "panic":
		panic("as asked")
	}
	return append(dst, `{"content":[]}`...), nil
}

// reply is a response, read as far as the test wants.
type reply struct {
	*http.Response
	t    *testing.T
	body *bufio.Reader
}

// do sends one request. Header lines are "Name: value"; those that every client
// sends are there unless the test says otherwise ("Accept:" alone removes one).
func (r *rig) do(method, body string, headers ...string) *reply {
	r.t.Helper()
	return r.doContext(context.Background(), method, body, headers...)
}

func (r *rig) doContext(ctx context.Context, method, body string, headers ...string) *reply {
	r.t.Helper()
	resp, err := r.http.Client().Do(r.prepare(ctx, method, body, headers))
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = resp.Body.Close() })
	return &reply{resp, r.t, bufio.NewReader(resp.Body)}
}

func (r *rig) prepare(ctx context.Context, method, body string, headers []string) *http.Request {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, r.http.URL()+"/mcp", strings.NewReader(body))
	require.NoError(r.t, err)
	switch method {
	case "POST":
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	case "GET":
		req.Header.Set("Accept", "text/event-stream")
	}
	set := map[string]bool{}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ":")
		name, value = http.CanonicalHeaderKey(name), strings.TrimPrefix(value, " ")
		switch {
		case name == "Host":
			req.Host = value
		case value == "" && !strings.HasSuffix(line, ": "):
			delete(req.Header, name)
		case set[name]:
			req.Header[name] = append(req.Header[name], value)
		default:
			req.Header[name] = []string{value}
		}
		set[name] = true
	}
	return req
}

// text reads the rest of the body.
func (a *reply) text() string {
	a.t.Helper()
	text, err := io.ReadAll(a.body)
	require.NoError(a.t, err)
	return string(text)
}

// event reads the next event as "id|retry|data", and io.EOF at the end.
func (a *reply) event() (id, retry, data string, err error) {
	for {
		line, err := a.body.ReadString('\n')
		if err != nil {
			return id, retry, data, err
		}
		line = strings.TrimSuffix(line, "\n")
		switch name, value, _ := strings.Cut(line, ":"); {
		case line == "":
			if id+retry+data != "" {
				return id, retry, data, nil
			}
		case name == "id":
			id = strings.TrimPrefix(value, " ")
		case name == "retry":
			retry = strings.TrimPrefix(value, " ")
		case name == "data":
			data = strings.TrimPrefix(value, " ")
		}
	}
}

// data reads the data of the next event that has any.
func (a *reply) data() string {
	a.t.Helper()
	for {
		_, _, data, err := a.event()
		require.NoError(a.t, err)
		if data != "" {
			return data
		}
	}
}

// ends says that the stream ends, with nothing but comments and events without
// data before.
func (a *reply) ends() {
	a.t.Helper()
	for {
		_, _, data, err := a.event()
		require.Empty(a.t, data)
		if err != nil {
			require.ErrorIs(a.t, err, io.EOF)
			return
		}
	}
}

func request(id, method, params string) string {
	if params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func tool(id, name string) string {
	return request(id, "tools/call", fmt.Sprintf(`{"name":%q,"_meta":{"progressToken":7}}`, name))
}

func result(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[]}}` }

func initialize(version string) string {
	return request("0", "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}`, version))
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// session opens a session and returns its headers.
func (r *rig) session(version string, headers ...string) []string {
	r.t.Helper()
	a := r.do("POST", initialize(version), headers...)
	require.Equal(r.t, 200, a.StatusCode, "%s", a.Header)
	require.Contains(r.t, a.text(), `"protocolVersion":"`+version+`"`)
	id := a.Header.Get("Mcp-Session-Id")
	require.NotEmpty(r.t, id)
	own := append([]string{"Mcp-Session-Id: " + id}, headers...)
	if version != "2025-03-26" {
		own = append(own, "MCP-Protocol-Version: "+version)
	}
	b := r.do("POST", initialized, own...)
	require.Equal(r.t, 202, b.StatusCode)
	return own
}

// modernMeta is the _meta of a request of 2026-07-28.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":7}`

// modernCall is a request of 2026-07-28 and the headers it needs.
func modernCall(id, method, params string) (body string, headers []string) {
	if params != "" {
		params += ","
	}
	headers = []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	return request(id, method, "{"+params+modernMeta+"}"), headers
}

// modernTool calls a tool in 2026-07-28.
func (r *rig) modernTool(id, name string, headers ...string) *reply {
	r.t.Helper()
	body, own := modernCall(id, "tools/call", fmt.Sprintf(`"name":%q`, name))
	return r.do("POST", body, append(append(own, "Mcp-Name: "+name), headers...)...)
}

// raw sends bytes and returns the response to them.
func (r *rig) raw(text string) (*http.Response, net.Conn) {
	r.t.Helper()
	c, err := r.http.Dial(context.Background())
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = c.Close() })
	go func() { _, _ = io.WriteString(c, text) }()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(r.t, err)
	return resp, c
}
