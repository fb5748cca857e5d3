package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/streamhttp"
)

const (
	greeting   = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{},"tasks":{}},"serverInfo":{"name":"old","version":"3"},"instructions":"read\nme"}`
	serverMeta = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"old","version":"3"}}`
)

// old opens the back of a rig whose clients speak 2026-07-28: it is one that
// wants initialize. trigger is what makes the bridge open it.
func (r *rig) old(trigger func()) *peer {
	r.t.Helper()
	trigger()
	back := r.to.next()
	back.want(`{"jsonrpc":"2.0","id":1,"method":"server/discover",…}`)
	back.send(failed("1", `{"code":-32601,"message":"Method not found"}`)) // VN-24: whatever the code
	back.want(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"sampling":{},"elicitation":{}},"clientInfo":{"name":"wirespool","version":"0"}}}`)
	back.send(result("2", greeting))
	back.want(notification("notifications/initialized", ""))
	return back
}

func meta(capabilities string, more ...string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + capabilities + strings.Join(more, "") + `}`
}

// modernRig is a bridge behind Streamable HTTP and a client of 2026-07-28.
type modernRig struct {
	*rig
	s    *memhttp.Server
	c    *client
	back *peer
}

func modernWeb(t *testing.T, o *bridge.Options, f func(t *testing.T, m *modernRig)) {
	virtual(t, o, func(t *testing.T, r *rig) {
		m := &modernRig{rig: r, s: r.web(&streamhttp.Options{})}
		m.c = r.client(m.s)
		discovered := make(chan *response, 1)
		m.back = r.old(func() {
			go func() {
				discovered <- m.c.modern(context.Background(), "0", "server/discover", "", "{"+meta("{}")+"}")
			}()
		})
		require.Equal(t, result("0", `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},"serverInfo_":0}`)[:100], (<-discovered).text()[:100])
		f(t, m)
	})
}

// start makes a call without waiting for the response.
func (m *modernRig) start(id, method, name, params string) <-chan *response {
	return m.startContext(context.Background(), id, method, name, params)
}

func (m *modernRig) startContext(ctx context.Context, id, method, name, params string) <-chan *response {
	got := make(chan *response, 1)
	go func() { got <- m.c.modern(ctx, id, method, name, params) }()
	return got
}

// TestDownward: requests of 2026-07-28 to a server that wants initialize.
func TestDownward(t *testing.T) {
	modernWeb(t, nil, func(t *testing.T, m *modernRig) {
		got := m.start("1", "server/discover", "", "{"+meta("{}")+"}")
		require.JSONEq(t, result("1", `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},
			"instructions":"read\nme","ttlMs":0,"cacheScope":"private",`+serverMeta+`}`), (<-got).text())

		// The keys of the era go, everything else stays; results become complete.
		got = m.start(`"t"`, "tools/call", "x", `{"name":"x", "arguments":{"a":[1, 2]},"task":{},`+meta("{}", `,"traceparent":"p","progressToken":"q"`)+"}")
		m.back.want(request("5", "tools/call", `{"name":"x","arguments":{"a":[1, 2]},"_meta":{"traceparent":"p","progressToken":5}}`))
		m.back.send(notification("notifications/progress", `{"progressToken":5,"progress":1}`))
		resp := <-got
		require.Equal(t, notification("notifications/progress", `{"progressToken":"q","progress":1}`), resp.event())
		m.back.send(result("5", `{"content":[],"_meta":{"x":1}}`))
		require.Equal(t, result(`"t"`, `{"content":[],"resultType":"complete","_meta":{"x":1,"io.modelcontextprotocol/serverInfo":{"name":"old","version":"3"}}}`), resp.event())

		got = m.start("2", "tools/list", "", "{"+meta("{}")+"}")
		m.back.want(request("6", "tools/list", "{}"))
		m.back.send(result("6", `{"tools":[]}`))
		require.Equal(t, result("2", `{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private",`+serverMeta+`}`), (<-got).text())

		got = m.start("3", "resources/read", "a://b", `{"uri":"a://b",`+meta("{}")+"}")
		m.back.want(request("7", "resources/read", `{"uri":"a://b"}`))
		m.back.send(failed("7", `{"code":-32002,"message":"Resource not found","data":{"uri":"a://b"}}`)) // CO-26
		require.Equal(t, failed("3", `{"code":-32602,"message":"Resource not found","data":{"uri":"a://b"}}`), (<-got).text())

		for _, method := range []string{"ping", "resources/subscribe", "logging/setLevel", "initialize"} {
			resp := <-m.start("4", method, "", `{"uri":"x","level":"info",`+meta("{}")+"}")
			require.Equal(t, http.StatusNotFound, resp.StatusCode, method)
			require.Contains(t, resp.text(), "-32601")
		}
		m.back.silent()

		// A client that leaves cancels.
		ctx, leave := context.WithCancel(t.Context())
		m.startContext(ctx, "5", "vendor/slow", "", "{"+meta("{}")+"}")
		m.back.want(request("8", "vendor/slow", "{}"))
		leave()
		m.back.want(notification("notifications/cancelled", `{"requestId":8,"reason":"the client has left"}`))
		m.back.send(request("1", "ping", ""), request("2", "vendor/ask", ""))
		m.back.want(result("1", "{}"), `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,…}}`)
	})
}

// TestDownwardLog: log messages reach the one who asked for them, from the level
// on that was asked for (LO-02, SH26-23).
func TestDownwardLog(t *testing.T) {
	modernWeb(t, nil, func(t *testing.T, m *modernRig) {
		log := func(level string) string {
			return notification("notifications/message", `{"level":"`+level+`","data":1}`)
		}
		got := m.start("1", "vendor/a", "", "{"+meta("{}", `,"io.modelcontextprotocol/logLevel":"warning"`)+"}")
		m.back.want(request("5", "logging/setLevel", `{"level":"warning"}`), request("4", "vendor/a", "{}"))
		m.back.send(result("5", "{}"), log("info"), log("error"), result("4", "{}"))
		resp := <-got
		require.Equal(t, log("error"), resp.event())
		require.Contains(t, resp.event(), `"id":1`)
		got = m.start("2", "vendor/a", "", "{"+meta("{}")+"}")
		m.back.want(request("6", "vendor/a", "{}"))
		m.back.send(log("error"), result("6", "{}"))
		resp = <-got
		require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
		got = m.start("2", "vendor/a", "", "{"+meta("{}", `,"io.modelcontextprotocol/logLevel":"debug"`)+"}")
		m.back.want(request("8", "logging/setLevel", `{"level":"debug"}`), request("7", "vendor/a", "{}"))
		m.back.send(result("7", "{}"))
		<-got
	})
}

// TestDownwardListen: changes reach the subscriptions that want them, each under
// its own id, and resources are subscribed to as long as somebody wants that
// (SU-02 to SU-08).
func TestDownwardListen(t *testing.T) {
	modernWeb(t, nil, func(t *testing.T, m *modernRig) {
		ctx, leave := context.WithCancel(t.Context())
		listen := func(ctx context.Context, id, filter string) *response {
			return <-m.startContext(ctx, id, "subscriptions/listen", "", `{"notifications":`+filter+`,`+meta("{}")+"}")
		}
		ack := func(id, honoured string) string {
			return notification("notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`},"notifications":`+honoured+`}`)
		}
		one := listen(ctx, "7", `{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["f://a","f://b"]}`)
		m.back.want(request("5", "resources/subscribe", `{"uri":"f://a"}`), request("6", "resources/subscribe", `{"uri":"f://b"}`))
		require.Equal(t, ack("7", `{"toolsListChanged":true,"resourceSubscriptions":["f://a","f://b"]}`), one.event())
		two := listen(t.Context(), `"7"`, `{"toolsListChanged":false,"resourceSubscriptions":["f://a"]}`)
		require.Equal(t, ack(`"7"`, `{"resourceSubscriptions":["f://a"]}`), two.event())
		m.back.send(result("5", "{}"), result("6", "{}"), notification("notifications/tools/list_changed", ""), notification("notifications/prompts/list_changed", ""),
			notification("notifications/resources/updated", `{"uri":"f://a/x"}`), notification("notifications/resources/updated", `{"uri":"f://ab"}`))
		require.Equal(t, notification("notifications/tools/list_changed", `{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}`), one.event())
		require.Equal(t, notification("notifications/resources/updated", `{"uri":"f://a/x","_meta":{"io.modelcontextprotocol/subscriptionId":7}}`), one.event())
		require.Equal(t, notification("notifications/resources/updated", `{"uri":"f://a/x","_meta":{"io.modelcontextprotocol/subscriptionId":"7"}}`), two.event())
		leave()
		m.back.want(`{…"method":"resources/unsubscribe","params":{"uri":"f://b"}}`)
		m.back.silent()
		require.NoError(t, m.back.conn.Close())
		require.Contains(t, two.event(), `"error"`)
	})
}

// TestDownwardListenDrained: at the orderly end of the endpoint a subscription gets
// its result, behind what came before (SU-10).
func TestDownwardListenDrained(t *testing.T) {
	modernWeb(t, nil, func(t *testing.T, m *modernRig) {
		stream := <-m.startContext(t.Context(), `"7"`, "subscriptions/listen", "", `{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["f://a"]},`+meta("{}")+"}")
		m.back.want(request("5", "resources/subscribe", `{"uri":"f://a"}`))
		require.Contains(t, stream.event(), "acknowledged")
		shut := make(chan error, 1)
		go func() { shut <- m.handler.Shutdown(context.Background()) }()
		like(t, result(`"7"`, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"7","io.modelcontextprotocol/serverInfo":…}}`), stream.event())
		require.Equal(t, "\n", stream.text(), "the end of the stream")
		require.NoError(t, <-shut)
		m.back.want(`{…"method":"resources/unsubscribe","params":{"uri":"f://a"}}`)
	})
}

// TestOrphans: what the server asks or logs for a call that was cancelled is shown to
// no other client, until it has answered that call or had its time (L4 of the field).
func TestOrphans(t *testing.T) {
	for name, answered := range map[string]bool{"answered": true, "silent": false} {
		t.Run(name, func(t *testing.T) {
			modernWeb(t, &bridge.Options{Limits: bridge.Limits{Disown: 5 * time.Second}}, func(t *testing.T, m *modernRig) {
				ctx, leave := context.WithCancel(t.Context())
				m.startContext(ctx, "1", "tools/call", "x", `{"name":"x",`+meta(able)+"}")
				m.back.want(request("4", "tools/call", `{"name":"x"}`))
				leave()
				m.back.want(notification("notifications/cancelled", `{"requestId":4,"reason":"the client has left"}`))
				got := m.start("1", "tools/call", "x", `{"name":"x",`+meta(able, `,"io.modelcontextprotocol/logLevel":"debug"`)+"}")
				m.back.wantAll(request("5", "tools/call", `{"name":"x"}`), request("6", "logging/setLevel", `{"level":"debug"}`))
				m.back.send(notification("notifications/message", `{"level":"error","data":"of the first"}`), request("1", "elicitation/create", `{"message":"of the first"}`))
				m.back.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"bridge: it cannot be told which client…}}`)
				if answered {
					m.back.send(result("4", "{}"))
				} else {
					<-time.After(5 * time.Second)
				}
				m.back.send(request("2", "elicitation/create", `{"message":"of the second"}`))
				text := (<-got).text()
				require.NotContains(t, text, "of the first")
				require.Contains(t, text, "of the second")
			})
		})
	}
}

// TestOrphansMany: calls that were cancelled long ago keep no place from one that was
// cancelled just now, nor do more than there is place for.
func TestOrphansMany(t *testing.T) {
	const most = 2
	for name, pause := range map[string]time.Duration{"after the others": 5 * time.Second, "with the others": time.Second} {
		t.Run(name, func(t *testing.T) {
			modernWeb(t, &bridge.Options{Limits: bridge.Limits{MaxCalls: most, Disown: 5 * time.Second}}, func(t *testing.T, m *modernRig) {
				for i := range most + 1 {
					if i == most {
						<-time.After(pause)
					}
					ctx, leave := context.WithCancel(t.Context())
					m.startContext(ctx, "1", "tools/call", "x", `{"name":"x",`+meta(able)+"}")
					m.back.want(request(fmt.Sprint(4+i), "tools/call", `{"name":"x"}`))
					leave()
					m.back.want(notification("notifications/cancelled", fmt.Sprintf(`{"requestId":%d,"reason":"the client has left"}`, 4+i)))
				}
				if pause < 5*time.Second {
					m.back.send(result("4", "{}"), result("5", "{}")) // the last one runs on
				}
				got := m.start("1", "tools/call", "x", `{"name":"x",`+meta(able)+"}")
				m.back.want(request("7", "tools/call", `{"name":"x"}`))
				m.back.send(request("1", "elicitation/create", `{"message":"of the cancelled"}`))
				m.back.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"bridge: it cannot be told which client…}}`)
				<-time.After(5 * time.Second)
				m.back.send(request("2", "elicitation/create", `{"message":"of the last"}`))
				text := (<-got).text()
				require.NotContains(t, text, "of the cancelled")
				require.Contains(t, text, "of the last")
			})
		})
	}
}

// asked is an input_required result.
type asked struct {
	ID     json.RawMessage
	Result struct {
		ResultType    string
		InputRequests map[string]struct {
			Method string
			Params json.RawMessage
		}
		RequestState string
	}
}

func (r *response) asked() asked {
	r.t.Helper()
	var a asked
	require.NoError(r.t, json.Unmarshal([]byte(r.text()), &a))
	require.Equal(r.t, "input_required", a.Result.ResultType)
	return a
}

const able = `{"sampling":{},"elicitation":{}}`

// TestInputRequired: what the server asks for while a call runs is a result of
// that call, and its client comes back (MR-01 to MR-09).
func TestInputRequired(t *testing.T) {
	modernWeb(t, nil, func(t *testing.T, m *modernRig) {
		call := `"name":"x","arguments":{"a":1}`
		got := m.start("1", "tools/call", "x", "{"+call+","+meta(able)+"}")
		m.back.want(request("4", "tools/call", "{"+call+"}"))
		m.back.send(request(`"e"`, "elicitation/create", `{"message":"who?"}`))
		a := (<-got).asked()
		require.Equal(t, "1", string(a.ID))
		require.Len(t, a.Result.InputRequests, 1)
		require.Equal(t, "elicitation/create", a.Result.InputRequests["1"].Method)
		require.JSONEq(t, `{"message":"who?"}`, string(a.Result.InputRequests["1"].Params))

		retry := func(id, state, responses string) <-chan *response {
			return m.start(id, "tools/call", "x", "{"+call+`,"inputResponses":`+responses+`,"requestState":"`+state+`",`+meta(able, `,"progressToken":9`)+"}")
		}
		require.Contains(t, (<-retry("2", "forged", "{}")).text(), "-32602")
		other := m.start("2", "tools/call", "x", `{"name":"x","arguments":{"a":2},"inputResponses":{},"requestState":"`+a.Result.RequestState+`",`+meta(able)+"}")
		require.Contains(t, (<-other).text(), "-32602", "MR-07: of another request")

		// It asks for two things at once, of which one comes late.
		m.back.send(request("7", "sampling/createMessage", `{"messages":[]}`))
		m.back.silent()
		got = retry(`"r"`, a.Result.RequestState, `{"1":{"action":"accept"},"unknown":{}}`)
		m.back.want(result(`"e"`, `{"action":"accept"}`))
		a = (<-got).asked()
		require.Equal(t, `"r"`, string(a.ID))
		require.Equal(t, "sampling/createMessage", a.Result.InputRequests["1"].Method)
		again := (<-retry("3", a.Result.RequestState, "{}")).asked() // MR-08
		require.NotEqual(t, a.Result.RequestState, again.Result.RequestState)
		got = retry("4", again.Result.RequestState, `{"1":{"role":"assistant"}}`)
		m.back.want(result("7", `{"role":"assistant"}`))
		m.back.send(result("4", `{"content":[]}`))
		require.Equal(t, result("4", `{"content":[],"resultType":"complete",`+serverMeta+`}`), (<-got).text())
		require.Contains(t, (<-retry("5", again.Result.RequestState, "{}")).text(), "-32602", "a state is good once")
		m.back.silent()
	})
}

// TestInputRequiredEnds: who does not come back, an answer that does not wait, a
// question that is taken back, and clients that cannot be asked.
func TestInputRequiredEnds(t *testing.T) {
	modernWeb(t, nil, func(t *testing.T, m *modernRig) {
		params := `{"name":"x",` + meta(able) + "}"
		got := m.start("1", "tools/call", "x", params)
		m.back.want(request("4", "tools/call", `{"name":"x"}`))
		m.back.send(request("1", "elicitation/create", ""))
		require.Contains(t, (<-got).text(), `"inputRequests":{"1":{"method":"elicitation/create","params":{}}}`, "some clients want params")
		begun := time.Now()
		m.back.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"bridge: the client did not come back within the limit of 5m0s",…}}`,
			notification("notifications/cancelled", `{"requestId":4,"reason":"the client did not come back"}`))
		require.Equal(t, 5*time.Minute, time.Since(begun))
		<-time.After(time.Minute) // until it is taken to have ended

		got = m.start("1", "tools/call", "x", params)
		m.back.want("{…}")
		m.back.send(request("2", "elicitation/create", "{}"))
		a := (<-got).asked()
		m.back.send(notification("notifications/cancelled", `{"requestId":2}`), result("6", `{"content":[]}`))
		m.back.silent()
		got = m.start("2", "tools/call", "x", `{"name":"x","inputResponses":{"1":{}},"requestState":"`+a.Result.RequestState+`",`+meta(able)+"}")
		require.Contains(t, (<-got).text(), result("2", `{"content":[],"resultType":"complete",`+serverMeta+`}`))
		m.back.silent()

		// It answers without waiting for what it asked, which nobody answers then.
		got = m.start("1", "tools/call", "x", params)
		m.back.want(request("9", "tools/call", `{"name":"x"}`))
		m.back.send(request("2", "elicitation/create", "{}"))
		a = (<-got).asked()
		m.back.send(result("9", `{"content":[]}`))
		m.back.silent()
		got = m.start("2", "tools/call", "x", `{"name":"x","requestState":"`+a.Result.RequestState+`",`+meta(able)+"}")
		m.back.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"bridge: the call that it is for is over",…}}`)
		require.Contains(t, (<-got).text(), `"content"`)

		got = m.start("1", "tools/call", "x", `{"name":"x",`+meta("{}")+"}")
		m.back.want("{…}")
		m.back.send(request("3", "elicitation/create", "{}"), request("4", "roots/list", ""))
		m.back.want(`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,…}}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32601,…}}`)
		other := m.start("2", "tools/call", "x", params)
		m.back.want("{…}")
		m.back.send(request("5", "elicitation/create", "{}"))
		m.back.want(`{"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"bridge: it cannot be told which client…}}`)
		require.NoError(t, m.back.conn.Close())
		require.Contains(t, (<-got).text(), "pipe")
		require.Contains(t, (<-other).text(), "pipe")
	})
}

// TestSuspendedIsLost: the back of a call that waits for its client dies.
func TestSuspendedIsLost(t *testing.T) {
	modernWeb(t, &bridge.Options{Limits: bridge.Limits{MaxSuspended: 1}}, func(t *testing.T, m *modernRig) {
		params := func(id string) string { return `{"name":"x","arguments":{"id":` + id + `},` + meta(able) + "}" }
		got := m.start("1", "tools/call", "x", params("1"))
		m.back.want("{…}")
		m.back.send(request("1", "elicitation/create", "{}"))
		a := (<-got).asked()
		require.NoError(t, m.back.conn.Close())
		m.back.ends()
		var resp *response
		m.back = m.old2(func() {
			got := m.start("2", "tools/call", "x", `{"name":"x","arguments":{"id":1},"inputResponses":{"1":{}},"requestState":"`+a.Result.RequestState+`",`+meta(able)+"}")
			go func() { resp = <-got }()
		})
		m.back.silent()
		require.Contains(t, resp.text(), "-32602")
	})
}

// old2 is old for a back that takes the place of another one: its era is known.
func (m *modernRig) old2(trigger func()) *peer {
	m.t.Helper()
	trigger()
	back := m.to.next()
	var hello struct {
		ID     int
		Method string
	}
	require.NoError(m.t, json.Unmarshal([]byte(back.next()), &hello))
	require.Equal(m.t, "initialize", hello.Method)
	back.send(result(fmt.Sprint(hello.ID), greeting))
	back.want(notification("notifications/initialized", ""))
	return back
}
