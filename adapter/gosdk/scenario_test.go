package gosdk_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/streamhttp"
)

// step is one HTTP request and what comes back.
type step struct {
	name   string
	method string // POST if empty
	header string // "Name: value" lines beyond those of every request; "-Name" takes one away
	body   string
	status int
	want   []string // texts of the response, in this order
	never  string   // a text that is not in it
}

const (
	initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},` +
		`"clientInfo":{"name":"raw","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	meta        = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"progressToken":"tok"}`
	ofModern = "Mcp-Protocol-Version: 2026-07-28\n"
)

func toolCall(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","_meta":{"progressToken":"tok"}}}`
}

func modernCall(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},` + meta + `}}`
}

func modernHeaders(method, name string) string {
	h := ofModern + "Mcp-Method: " + method + "\n"
	if name != "" {
		h += "Mcp-Name: " + name + "\n"
	}
	return h
}

// scenarios are sequences of requests: with sessions, or without.
var scenarios = []struct {
	name  string
	opts  mcp.StreamableHTTPOptions
	steps []step
}{
	{"a session", mcp.StreamableHTTPOptions{}, []step{
		{"open", "", "", initialize, 200, []string{`"protocolVersion":"2025-11-25"`}, ""},
		{"confirm", "", "", initialized, 202, nil, "jsonrpc"},
		{"a call", "", "", toolCall("1", "wait-not"), 200, []string{`"id":1`, `-32602`}, ""},
		{"ping", "", "", ping(`"p"`), 200, []string{`{"jsonrpc":"2.0","id":"p","result":{}}`}, ""},
		{"progress in its stream", "", "", toolCall("2", "progress"), 200, []string{
			`"progress":1`, `"progress":2`, `"progress":3`, `"id":2,"result"`,
		}, ""},
		{"unknown method", "", "", `{"jsonrpc":"2.0","id":3,"method":"no/such"}`, 200, []string{`"id":3`, `-32601`}, ""},
		{"an id too large for a float", "", "", ping("9007199254740993"), 200, []string{`"id":9007199254740993`}, ""},
		{"an id once more", "", "", ping("1"), 200, []string{`"id":1,"result"`}, ""},
		{"an answer to nothing", "", "", `{"jsonrpc":"2.0","id":99,"result":{}}`, 202, nil, ""},
		{"no JSON", "", "", `{"jsonrpc":`, 400, []string{`-32700`}, ""},
		{"still there", "", "", ping("4"), 200, []string{`"id":4`}, ""},
		{"the end", "DELETE", "", "", 204, nil, ""},
		{"is one", "", "", ping("5"), 404, nil, ""},
	}},
	{"requests that are refused", mcp.StreamableHTTPOptions{}, []step{
		{"no session", "", "Mcp-Session-Id: none", ping("1"), 404, nil, ""},
		{"GET of none", "GET", "", "", 400, nil, ""},
		{"DELETE of none", "DELETE", "", "", 400, nil, ""},
		{"no JSON type", "", "Content-Type: text/plain", initialize, 415, nil, ""},
		{"nothing to accept", "", "Accept: text/html", initialize, 406, nil, ""},
		{"unknown version", "", "Mcp-Protocol-Version: 1999-01-01", ping("1"), 400, []string{"2025-11-25"}, ""},
		{"another method", "PUT", "", "", 405, nil, ""},
		{"a stranger's page", "", "Origin: https://evil.example", initialize, 403, nil, ""},
		{"a name of its own", "", "Host: evil.example", initialize, 403, nil, ""},
		{"2026-07-28 where it is not served", "", modernHeaders("tools/call", "echo"), modernCall("1", "echo"), 400, []string{`-32022`, `2025-11-25`}, ""},
	}},
	{"a batch", mcp.StreamableHTTPOptions{}, []step{
		{"open", "", "", strings.Replace(initialize, "2025-11-25", "2025-03-26", 1), 200, []string{`2025-03-26`}, ""},
		{"confirm", "", "", initialized, 202, nil, ""},
		{"three", "", "", `[` + ping("1") + `,` + toolCall("2", "progress") + `,` + ping("1") + `]`, 200, []string{`"progress":3`, `]`}, ""},
		{"nothing to answer", "", "", `[` + initialized + `]`, 202, nil, ""},
	}},
	{"JSON answers", mcp.StreamableHTTPOptions{JSONResponse: true}, []step{
		{"open", "", "", initialize, 200, []string{`{"jsonrpc"`}, "data:"},
		{"progress goes elsewhere", "", "", toolCall("2", "progress"), 200, []string{`{"jsonrpc":"2.0","id":2`}, "data:"},
	}},
	{"without sessions", mcp.StreamableHTTPOptions{Stateless: true}, []step{
		{"GET", "GET", "", "", 405, nil, ""},
		{"DELETE", "DELETE", "", "", 405, nil, ""},
		{"a call", "", "", toolCall("1", "progress"), 200, []string{`"progress":3`, `"id":1,"result"`}, ""},
		{"log messages", "", "", toolCall("2", "log"), 200, []string{`careful`, `"id":2`}, ""},
		{"nobody can be asked", "", "", toolCall("3", "sample"), 200, []string{`"id":3`, `error`}, ""},
		{"initialize", "", "", initialize, 200, []string{`2025-11-25`}, ""},
		{"initialize again", "", "", initialize, 200, []string{`"protocolVersion"`}, ""},
		{"level", "", "", `{"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"emergency"}}`, 200, []string{`"id":4,"result"`}, ""},
		{"a level is not kept", "", "", toolCall("5", "log"), 200, []string{`careful`}, ""},
		{"a batch", "", "", `[` + ping("1") + `,` + ping("2") + `]`, 200, []string{`[`, `]`}, ""},
	}},
	{"2026-07-28", mcp.StreamableHTTPOptions{Stateless: true}, []step{
		{"discover", "", modernHeaders("server/discover", ""), `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`, 200,
			[]string{`"id":1`, `supportedVersions`, `2026-07-28`}, ""},
		{"a call", "", modernHeaders("tools/call", "progress"), modernCall(`"x"`, "progress"), 200, []string{`"progress":1`, `"id":"x"`}, ""},
		{"the same id", "", modernHeaders("tools/call", "echo"), modernCall(`"x"`, "echo"), 200, []string{`"id":"x"`}, ""},
		{"another name in the header", "", modernHeaders("tools/call", "echo"), modernCall("1", "progress"), 400, []string{`-32020`}, ""},
		{"no method header", "", ofModern, modernCall("1", "echo"), 400, []string{`-32020`}, ""},
		{"a version nobody has", "", "Mcp-Protocol-Version: 2099-01-01\nMcp-Method: tools/call\nMcp-Name: echo\n",
			strings.Replace(modernCall("1", "echo"), "2026-07-28", "2099-01-01", 1), 400, []string{`-32022`}, ""},
		{"unknown method", "", modernHeaders("no/such", ""), `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{` + meta + `}}`, 404, []string{`-32601`}, ""},
		{"a method of before", "", modernHeaders("ping", ""), `{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + meta + `}}`, 404, []string{`-32601`}, ""},
		{"no capabilities", "", modernHeaders("tools/list", ""),
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, 400, []string{`-32602`}, ""},
		{"a request with no key still is of before", "", "", toolCall("3", "progress"), 200, []string{`"progress":3`}, ""},
		{"an argument that its header contradicts", "", modernHeaders("tools/call", "mirror") + "Mcp-Param-Region: east",
			strings.Replace(modernCall("1", "mirror"), `{}`, `{"region":"west"}`, 1), 400, []string{`-32020`}, ""},
		{"an argument without its header", "", modernHeaders("tools/call", "mirror"),
			strings.Replace(modernCall("1", "mirror"), `"arguments":{}`, `"arguments":{"region":"west"}`, 1), 400, []string{`-32020`}, ""},
		{"an argument that is mirrored", "", modernHeaders("tools/call", "mirror") + "Mcp-Param-Region: west",
			strings.Replace(modernCall("1", "mirror"), `"arguments":{}`, `"arguments":{"region":"west"}`, 1), 200, []string{`"id":1,"result"`}, ""},
	}},
}

// rig is an endpoint in memory, and the session that was opened there.
type rig struct {
	t       *testing.T
	mcp     *mcp.Server // what is served, where the test adds tools later
	srv     *memhttp.Server
	session string
}

func newRig(t *testing.T, h http.Handler) *rig {
	r := &rig{t: t, srv: memhttp.Start(h, nil)}
	t.Cleanup(r.srv.Close)
	if c, ok := h.(io.Closer); ok {
		t.Cleanup(func() { _ = c.Close() })
	}
	return r
}

func (r *rig) do(s *step) *http.Response {
	r.t.Helper()
	method := s.method
	if method == "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.srv.URL()+"/mcp", strings.NewReader(s.body))
	require.NoError(r.t, err)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.session != "" {
		req.Header.Set("Mcp-Session-Id", r.session)
	}
	for line := range strings.Lines(s.header) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name == "Host" {
			req.Host = value
		} else {
			req.Header.Set(name, value)
		}
	}
	resp, err := r.srv.Client().Do(req)
	require.NoError(r.t, err)
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		r.session = id
	}
	return resp
}

// run does one step.
func (r *rig) run(s *step) {
	r.t.Helper()
	resp := r.do(s)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	require.Equal(r.t, s.status, resp.StatusCode, "%s: %s", s.name, body)
	rest := string(body)
	for _, want := range s.want {
		_, after, found := strings.Cut(rest, want)
		require.True(r.t, found, "%s: no %s in %q", s.name, want, body)
		rest = after
	}
	if s.never != "" {
		require.NotContains(r.t, string(body), s.never, s.name)
	}
}

// TestScenarios runs the table. Each handler with sessions serves it with a log too.
func TestScenarios(t *testing.T) {
	for _, tt := range scenarios {
		kinds := map[string]func(*mcp.Server) http.Handler{
			"plain": func(s *mcp.Server) http.Handler { return gosdk.NewStreamableHTTPHandler(always(s), &tt.opts) },
		}
		if !tt.opts.Stateless {
			kinds["with a log"] = func(s *mcp.Server) http.Handler {
				o := tt.opts
				o.EventStore = gosdk.NewEventStore(newLog(t), nil)
				return gosdk.NewStreamableHTTPHandler(always(s), &o)
			}
		}
		for kind, handler := range kinds {
			t.Run(tt.name+"/"+kind, func(t *testing.T) {
				srv := newServer(nil)
				srv.AddTool(mirroring(), nothing)
				r := newRig(t, handler(srv))
				for _, s := range tt.steps {
					r.run(&s)
				}
			})
		}
	}
}

// mirroring returns a tool with an argument that is mirrored in a header.
func mirroring() *mcp.Tool {
	tool := raw("mirror")
	tool.InputSchema = jsonSchema(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)
	return tool
}

// TestParamsFollowTools: what a tool has mirrored is known after the tool changed.
func TestParamsFollowTools(t *testing.T) {
	srv := newServer(nil)
	r := newRig(t, gosdk.NewHandler(always(srv), &streamhttp.Options{Stateless: true}))
	call := step{"call", "", modernHeaders("tools/call", "mirror"),
		strings.Replace(modernCall("1", "mirror"), `"arguments":{}`, `"arguments":{"region":"west"}`, 1), 200, nil, ""}
	srv.AddTool(raw("mirror"), nothing)
	r.run(&call)
	srv.AddTool(mirroring(), nothing)
	require.Eventually(t, func() bool {
		resp := r.do(&call)
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusBadRequest
	}, pollFor, pollEvery)
}
