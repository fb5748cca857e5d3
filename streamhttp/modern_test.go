package streamhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
)

// statusCase is one request and what it is answered with.
type statusCase struct {
	name    string
	body    string
	headers []string // on top of those every client sends
	status  int
	want    string // pattern that the body matches; "" is an empty body
}

// modernCases are the statuses of 2026-07-28 and their order (SH26).
func modernCases() []statusCase {
	v := "MCP-Protocol-Version: 2026-07-28"
	meta := func(version string) string {
		return `{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":` + version + `,"io.modelcontextprotocol/clientCapabilities":{}}}`
	}
	callX, callHeaders := modernCall("1", "tools/call", `"name":"x"`)
	with := func(more ...string) []string { return append(append([]string{}, callHeaders...), more...) }
	list, listHeaders := modernCall(`"a"`, "tools/list", "")
	unknown, unknownHeaders := modernCall("1", "no/such", "")
	read, readHeaders := modernCall("1", "resources/read", `"uri":"file:///données.txt"`)
	task, taskHeaders := modernCall("1", "tasks/get", `"taskId":"t1"`)
	refuse := func(id, code string) string {
		return `^{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,`
	}
	none := func(code string) string { return `^{"jsonrpc":"2.0","error":{"code":` + code + `,` }
	legacyMethod := func(method string) statusCase {
		body, headers := modernCall("1", method, `"protocolVersion":"2025-11-25"`)
		return statusCase{"SH26-15 " + method, body, headers, 404, refuse("1", "-32601")}
	}
	cases := []statusCase{
		{"a call", callX, with("Mcp-Name: x"), 200, `^{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",.*"content":\[\]}}$`},
		{"string id", list, listHeaders, 200, `^{"jsonrpc":"2.0","id":"a","result":`},
		{"SH26-08 no version header", callX, []string{"Mcp-Method: tools/call", "Mcp-Name: x"}, 400, refuse("1", "-32020")},
		{"SH26-09 no _meta", request("1", "tools/list", ""), []string{v, "Mcp-Method: tools/list"}, 400, refuse("1", "-32602") + `.*clientCapabilities`},
		{"SH26-09 no version in _meta", request("1", "tools/list", `{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}`), []string{v, "Mcp-Method: tools/list"}, 400, refuse("1", "-32602")},
		{"SH26-09 no capabilities", request("1", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), []string{v, "Mcp-Method: tools/list"}, 400, refuse("1", "-32602")},
		{"SH26-09 version of another type", request("1", "tools/list", meta("7")), []string{v, "Mcp-Method: tools/list"}, 400, refuse("1", "-32602")},
		{"SH26-11 header differs", request("1", "tools/call", meta(`"v999.0.0"`)), with("Mcp-Name: x"), 400, refuse("1", "-32020")},
		{"SH26-12 version not implemented", request("1", "tools/call", meta(`"v999.0.0"`)), []string{"MCP-Protocol-Version: v999.0.0"}, 400,
			refuse("1", "-32022") + `.*"data":{"supported":\["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"\],"requested":"v999.0.0"}`},
		{"VN-31 a legacy version in _meta", request("1", "tools/call", meta(`"2025-11-25"`)), []string{"MCP-Protocol-Version: 2025-11-25"}, 400, refuse("1", "-32022")},
		{"HD-08 version header twice", callX, with("Mcp-Name: x", v), 400, refuse("1", "-32020")},
		{"SH26-13 no Mcp-Method", list, []string{v}, 400, refuse(`"a"`, "-32020")},
		{"SH26-13 Mcp-Method of another case", list, []string{v, "Mcp-Method: TOOLS/LIST"}, 400, refuse(`"a"`, "-32020")},
		{"SH26-13 no sentinel in Mcp-Method", list, []string{v, "Mcp-Method: =?base64?dG9vbHMvbGlzdA==?="}, 400, refuse(`"a"`, "-32020")},
		{"HD-01 names in any case, HD-03 blanks around", list, []string{"mcp-protocol-version: 2026-07-28", "MCP-METHOD:   tools/list  "}, 200, "result"},
		{"SH26-15 unknown method", unknown, unknownHeaders, 404, refuse("1", "-32601")},
		{"SH26-15 unknown before Mcp-Name", unknown, append(unknownHeaders, "Mcp-Name: =?base64?!?="), 404, refuse("1", "-32601")},
		legacyMethod("initialize"), legacyMethod("ping"), legacyMethod("logging/setLevel"), legacyMethod("resources/subscribe"), legacyMethod("resources/unsubscribe"),
		{"SH26-14 no Mcp-Name", callX, with(), 400, refuse("1", "-32020")},
		{"SH26-14 Mcp-Name differs", callX, with("Mcp-Name: delete"), 400, refuse("1", "-32020")},
		{"HD-02 Mcp-Name of another case", callX, with("Mcp-Name: X"), 400, refuse("1", "-32020")},
		{"HD-08 Mcp-Name twice", callX, with("Mcp-Name: x", "Mcp-Name: x"), 400, refuse("1", "-32020")},
		{"HD-08 joined by a comma", callX, with("Mcp-Name: x, x"), 400, refuse("1", "-32020")},
		{"HD-04 a sentinel", callX, with("Mcp-Name: =?base64?eA==?="), 200, "result"},
		{"HD-06 bad padding", callX, with("Mcp-Name: =?base64?eA?="), 400, refuse("1", "-32020")},
		{"HD-05 no sentinel", callX, with("Mcp-Name: =?BASE64?eA==?="), 400, refuse("1", "-32020")},
		{"HD-07 beyond ASCII", callX, with("Mcp-Name: x\x80"), 400, refuse("1", "-32020")},
		{"HD-04 uri in a sentinel", read, append(readHeaders, "Mcp-Name: =?base64?ZmlsZTovLy9kb25uw6llcy50eHQ=?="), 200, "result"},
		{"HD-07 uri as it is", read, append(readHeaders, "Mcp-Name: file:///données.txt"), 400, refuse("1", "-32020")},
		{"a task's Mcp-Name", task, append(taskHeaders, "Mcp-Name: t1"), 200, "result"},
		{"a task's Mcp-Name differs", task, append(taskHeaders, "Mcp-Name: t2"), 400, refuse("1", "-32020")},
		{"HD-12 no name in the body", request("1", "tools/call", "{"+modernMeta+"}"), with("Mcp-Name: x"), 400, refuse("1", "-32602")},
		{"SH26-10 no clientInfo needed, SH26-04 session and Last-Event-ID ignored", list, append(listHeaders, "Mcp-Session-Id: gone", "Last-Event-ID: 7"), 200, "result"},
		{"SH26-05 response", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{v}, 400, none("-32600")},
		{"CO-34 array", "[" + list + "]", listHeaders, 400, none("-32600")},
		{"CO-34 array with the modern key and no header", "[" + list + "]", nil, 400, `-32600`},
		{"CO-05 null id", strings.Replace(list, `"a"`, "null", 1), listHeaders, 400, none("-32600")},
		{"no JSON", `{"jsonrpc":"2.0",`, []string{v}, 400, none("-32700")},
		{"no JSON, no header", `{"jsonrpc":"2.0",`, nil, 400, `^{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"empty body", ``, []string{v}, 400, none("-32700")},
		{"CO-22 malformed with an id", `{"jsonrpc":"1.0","id":5,"method":"tools/list"}`, []string{v}, 400, refuse("5", "-32600")},
		{"a notification with an id", request("1", "notifications/initialized", "{"+modernMeta+"}"), []string{v, "Mcp-Method: notifications/initialized"}, 400, refuse("1", "-32600")},
		{"SH26-07 notification", `{"jsonrpc":"2.0","method":"notifications/odd"}`, []string{v}, 202, ""},
		{"SH26-29 stray cancellation", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, []string{v, "Mcp-Method: notifications/cancelled"}, 202, ""},
		{"SH26-29 notification whose header differs", `{"jsonrpc":"2.0","method":"notifications/odd","params":{` + modernMeta + `}}`, []string{"MCP-Protocol-Version: 2025-11-25"}, 400, `-32020`},
		{"SH26-29 notification with another Mcp-Method", `{"jsonrpc":"2.0","method":"notifications/odd"}`, []string{v, "Mcp-Method: x"}, 400, none("-32020")},
		{"SH26-29 notification of an unknown version", strings.ReplaceAll(`{"jsonrpc":"2.0","method":"n","params":{`+modernMeta+`}}`, "2026-07-28", "2099-01-01"), nil, 400, `-32022`},
		{"SH26-30 log level", request("1", "tools/list", `{`+strings.Replace(modernMeta, `"progressToken"`, `"io.modelcontextprotocol/logLevel":"loud","progressToken"`, 1)+`}`), []string{v, "Mcp-Method: tools/list"}, 200, refuse("1", "-32602")},
		{"JSON alone", list, append(listHeaders, "Accept: application/json"), 200, `^{"jsonrpc"`},
		{"events alone", list, append(listHeaders, "Accept: text/event-stream"), 200, `^data: {"jsonrpc".*\n\n$`},
		{"events alone, an error", unknown, append(unknownHeaders, "Accept: text/event-stream"), 404, `^{"jsonrpc"`},
		{"Accept unsuitable", list, append(listHeaders, "Accept: text/html"), 406, none("-32600")},
		{"Content-Type of another kind", list, append(listHeaders, "Content-Type: text/plain"), 415, none("-32600")},
		{"listen without events", strings.Replace(list, "tools/list", "subscriptions/listen", 1), []string{v, "Mcp-Method: subscriptions/listen", "Accept: application/json"}, 406, ""},
	}
	for code, status := range map[int]int{-32601: 404, -32020: 400, -32021: 400, -32022: 400, -32602: 200, -32603: 200, -32000: 200, 1001: 200, 0: 200} {
		name := fmt.Sprint("fail:", code)
		body, _ := modernCall("1", "tools/call", `"name":"`+name+`"`)
		cases = append(cases, statusCase{fmt.Sprint("SH26-25 handler error ", code), body, with("Mcp-Name: " + name), status, refuse("1", fmt.Sprint(code))})
	}
	return cases
}

func TestModernStatus(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		endpointOver(t, nil, &memhttp.Options{HTTP2: http2}, func(t *testing.T, r *rig) {
			for _, c := range modernCases() {
				a := r.do("POST", c.body, c.headers...)
				text := a.text()
				require.Equal(t, c.status, a.StatusCode, "%s: %s", c.name, text)
				require.Regexp(t, regexp.MustCompile(c.want), text, c.name)
				require.Empty(t, a.Header.Get("Mcp-Session-Id"), c.name)
				switch {
				case a.StatusCode == 202:
					require.Empty(t, text, c.name)
					require.Empty(t, a.Header.Get("Content-Type"), c.name)
				case strings.HasPrefix(text, "data:"):
					require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
					require.Equal(t, "no", a.Header.Get("X-Accel-Buffering"), c.name)
				default:
					require.Equal(t, "application/json", a.Header.Get("Content-Type"), c.name)
				}
				require.EqualValues(t, len(text), a.ContentLength, c.name)
			}
			require.Zero(t, r.h.Sessions())
		})
	}
}

// TestModernMethods: GET and DELETE with a modern version are refused (SH26-03),
// as they are by a server of that era alone, whose errors name what it speaks
// (VN-32).
func TestModernMethods(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		for _, method := range []string{"GET", "DELETE"} {
			a := r.do(method, "", "MCP-Protocol-Version: 2026-07-28")
			require.Equal(t, 405, a.StatusCode)
			require.Equal(t, "POST", a.Header.Get("Allow"))
		}
		a := r.do("PUT", "")
		require.Equal(t, 405, a.StatusCode)
		require.Equal(t, "POST, GET, DELETE", a.Header.Get("Allow"))
	})
	endpoint(t, &streamhttp.Options{Versions: []protocol.Revision{protocol.V20260728}}, func(t *testing.T, r *rig) {
		for _, method := range []string{"GET", "DELETE", "OPTIONS"} {
			a := r.do(method, "")
			require.Equal(t, 405, a.StatusCode)
			require.Equal(t, "POST", a.Header.Get("Allow"))
		}
		a := r.do("POST", initialize("2025-11-25"))
		require.Equal(t, 400, a.StatusCode)
		require.Regexp(t, `"code":-32020.*"supported":\["2026-07-28"\],"requested":"2025-11-25"`, a.text())
		a = r.do("POST", tool("1", "x"), "MCP-Protocol-Version: 2025-11-25")
		require.Equal(t, 400, a.StatusCode)
		require.Contains(t, a.text(), "-32022")
		require.Equal(t, 200, r.modernTool("1", "x").StatusCode)
	})
}

// TestModernStream: what is said before the answer makes the response a stream;
// errors are in it from then on (SH26-18, SH26-20).
func TestModernStream(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		endpointOver(t, nil, &memhttp.Options{HTTP2: http2}, func(t *testing.T, r *rig) {
			a := r.modernTool("1", "progress:x")
			require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
			for i := range 3 {
				id, retry, data, err := a.event()
				require.NoError(t, err)
				require.Empty(t, id+retry, "SE-09")
				require.Contains(t, data, fmt.Sprintf(`"progress":%d`, i+1))
			}
			require.Contains(t, a.data(), `"result"`)
			a.ends()
		})
	}
}

// TestModernLate: a silent call becomes a stream at the keep-alive time, with a
// comment, and another each time it passes (M2 of the field, SE-08).
func TestModernLate(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		begun := time.Now()
		a := r.modernTool("1", "sleep:40s")
		require.Equal(t, 15*time.Second, time.Since(begun))
		text := a.text()
		require.Equal(t, 40*time.Second, time.Since(begun))
		require.Regexp(t, `^:\n\n:\n\ndata: {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",.*"content":\[\]}}\n\n$`, text)

		begun = time.Now()
		a = r.modernTool("1", "sleep:40s", "Accept: application/json")
		require.Equal(t, 40*time.Second, time.Since(begun))
		require.Equal(t, "application/json", a.Header.Get("Content-Type"))

		a = r.modernTool("1", "commit:")
		require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
		require.Contains(t, a.data(), "result")
	})
}

// TestModernDisconnect: a client that leaves cancels its call, whether it waits
// for JSON or reads a stream, over both versions of HTTP (SH26-21, CA-09).
func TestModernDisconnect(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		for _, before := range []time.Duration{time.Second, 20 * time.Second} {
			endpointOver(t, nil, &memhttp.Options{HTTP2: http2}, func(t *testing.T, r *rig) {
				begun := time.Now()
				ctx, leave := context.WithCancel(t.Context())
				time.AfterFunc(before, leave)
				body, headers := modernCall("1", "tools/call", `"name":"sleep:4m"`)
				done := make(chan struct{})
				go func() {
					defer close(done)
					if before > 15*time.Second { // the headers come before
						a := r.doContext(ctx, "POST", body, append(headers, "Mcp-Name: sleep:4m")...)
						_, _ = io.ReadAll(a.body)
						return
					}
					req := r.prepare(ctx, "POST", body, append(headers, "Mcp-Name: sleep:4m"))
					_, err := r.http.Client().Do(req)
					require.ErrorIs(t, err, context.Canceled)
				}()
				<-done
				synctest.Wait()
				require.NoError(t, r.h.Shutdown(t.Context()), "nothing runs any more")
				require.Equal(t, before, time.Since(begun))
			})
		}
	}
}

// TestModernListen: a subscription is an event stream even in JSON mode, waits
// without limit, and ends with its result when the endpoint drains (SU-06, SU-10).
func TestModernListen(t *testing.T) {
	endpoint(t, &streamhttp.Options{JSON: true}, func(t *testing.T, r *rig) {
		body, headers := modernCall(`"s"`, "subscriptions/listen", `"notifications":{}`)
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Hour, errors.New("the subscription has outlived the drain"))
		defer cancel()
		a := r.doContext(ctx, "POST", body, headers...)
		require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
		require.Contains(t, a.data(), "acknowledged")
		begun := time.Now()
		stopped := make(chan error, 1)
		time.AfterFunc(time.Hour, func() { stopped <- r.h.Shutdown(ctx) })
		require.Regexp(t, `^{"jsonrpc":"2.0","id":"s","result":{"_meta":{.*"io.modelcontextprotocol/subscriptionId":"s"},"resultType":"complete"}}$`, a.data())
		a.ends()
		require.Equal(t, time.Hour, time.Since(begun))
		require.NoError(t, <-stopped)
		synctest.Wait()
		require.Equal(t, 503, r.modernTool("1", "x").StatusCode)
	})
}

// TestModernSameID: strangers who use one id do not meet (CO-10), and leave nothing
// behind (K12 of the field).
func TestModernSameID(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		done := make(chan string)
		for range 20 {
			go func() { done <- r.modernTool("1", "sleep:1s").text() }()
		}
		for range 20 {
			require.Contains(t, <-done, `"id":1,"result"`)
		}
		peers := 0
		for range r.srv.Peers {
			peers++
		}
		require.Equal(t, 1, peers)
	})
}

// TestModernAsk: a server asks nothing in 2026-07-28 (SH26-19).
func TestModernAsk(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		a := r.modernTool("1", "ask")
		require.Equal(t, "application/json", a.Header.Get("Content-Type"))
		require.Contains(t, a.text(), "-32603")
	})
}

// TestStuckHandler: a handler that does not end when its time is up keeps neither
// the answer from its client nor others from theirs.
func TestStuckHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := dispatch.NewServer(&dispatch.Options{Info: everything, Limits: dispatch.Limits{HandlerTimeout: 20 * time.Second}})
		srv.Handle("stuck", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
			<-time.After(10 * time.Minute)
			return append(dst, "{}"...), nil
		})
		h := streamhttp.NewHandler(srv, nil)
		r := &rig{t: t, srv: srv, h: h, http: memhttp.Start(h, nil)}
		body, headers := modernCall("1", "stuck", "")
		begun := time.Now()
		a := r.do("POST", body, append(headers, "Accept: application/json", "Connection: close")...)
		text := make([]byte, a.ContentLength)
		_, err := io.ReadFull(a.body, text)
		require.NoError(t, err)
		require.Contains(t, string(text), "limit of 20s")
		require.Equal(t, 30*time.Second, time.Since(begun), "at the next keep-alive time")
		b := r.do("POST", body, headers...)
		require.Contains(t, b.data(), "limit of 20s")
		require.Equal(t, 50*time.Second, time.Since(begun))
		<-time.After(11 * time.Minute)
		r.close()
	})
}

// TestSubscriptions: those that the engine serves: tagged notices, the result at
// the end of the endpoint, nothing left behind by a client that leaves (SU-03,
// SU-05, SU-09, SU-10).
func TestSubscriptions(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			srv := dispatch.NewServer(&dispatch.Options{Info: everything})
			h := streamhttp.NewHandler(srv, nil)
			r := &rig{t: t, srv: srv, h: h, http: memhttp.Start(h, &memhttp.Options{HTTP2: http2})}
			defer r.close()
			listen := func(ctx context.Context, id string) *reply {
				body, headers := modernCall(id, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
				a := r.doContext(ctx, "POST", body, headers...)
				require.Equal(t, 200, a.StatusCode)
				require.Contains(t, a.data(), "notifications/subscriptions/acknowledged")
				return a
			}
			ctx, leave := context.WithCancel(t.Context())
			listen(ctx, "1") // two strangers with one id
			a, b := listen(t.Context(), "1"), listen(t.Context(), `"1"`)
			leave()
			<-time.After(time.Second)
			srv.Publish("notifications/tools/list_changed", nil)
			require.Contains(t, a.data(), `"io.modelcontextprotocol/subscriptionId":1}`)
			require.Contains(t, b.data(), `"io.modelcontextprotocol/subscriptionId":"1"}`)
			begun := time.Now()
			ended := make(chan error, 1)
			go func() { ended <- h.Shutdown(context.Background()) }()
			require.Contains(t, a.data(), `"id":1,"result":`)
			require.Contains(t, b.data(), `"id":"1","result":`)
			a.ends()
			b.ends()
			require.NoError(t, <-ended)
			require.Zero(t, time.Since(begun))
		})
	}
}
