package bridge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

const (
	discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}},"instructions":"hi","ttlMs":0,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"9"}}}`
	// about is what the bridge says about the client of hello.
	about = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"sampling":{}}`
)

// upward opens a session with a server of 2026-07-28.
func (r *rig) upward(front *peer, params, answer string) *peer {
	r.t.Helper()
	front.send(request("0", "initialize", params))
	back := r.to.next()
	back.want(request("1", "initialize", params))
	back.send(failed("1", `{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}`)) // VN-32
	back.want(`{"jsonrpc":"2.0","id":2,"method":"server/discover",…}`)
	back.send(result("2", discovered))
	front.want(result("0", answer))
	return back
}

const upwardWelcome = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}},"serverInfo":{"name":"new","version":"9"},"instructions":"hi"}`

// TestUpward: a client that initializes, and a server of 2026-07-28.
func TestUpward(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.upward(front, hello, upwardWelcome)
		front.send(request("1", "ping", ""), request("2", "initialize", hello), request("3", "tools/call", `{"name":"x","_meta":{"progressToken":"p"}}`))
		front.want(result("1", "{}"), `{"jsonrpc":"2.0","id":2,"error":{"code":-32600,…}}`)
		back.want(request("5", "tools/call", `{"name":"x","_meta":{`+about+`,"progressToken":5}}`))
		back.send(notification("notifications/progress", `{"progressToken":5,"progress":1}`), result("5", `{"content":[],"resultType":"complete"}`))
		front.want(notification("notifications/progress", `{"progressToken":"p","progress":1}`), result("3", `{"content":[],"resultType":"complete"}`))

		front.send(request("4", "logging/setLevel", `{"level":"loud"}`), request("5", "logging/setLevel", `{"level":"error"}`), request("6", "tools/list", ""))
		front.want(`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,…}}`, result("5", "{}"))
		back.want(request("8", "tools/list", `{"_meta":{`+about+`,"io.modelcontextprotocol/logLevel":"error"}}`))
		back.send(notification("notifications/message", `{"level":"error","data":1}`), failed("8", `{"code":-32603,"message":"x"}`))
		front.want(notification("notifications/message", `{"level":"error","data":1}`), failed("6", `{"code":-32603,"message":"x"}`))

		front.send(notification("notifications/roots/list_changed", ""), notification("vendor/n", `{"a":1}`))
		back.want(notification("vendor/n", `{"a":1}`))
		back.send(request("1", "roots/list", ""))
		back.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,…}}`)

		// What 2026-07-28 has only a subscription for.
		front.send(notification("notifications/initialized", ""))
		back.want(request("9", "subscriptions/listen", `{"notifications":{"toolsListChanged":true},"_meta":{`+about+`,"io.modelcontextprotocol/logLevel":"error"}}`))
		back.send(notification("notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":9},"notifications":{}}`),
			notification("notifications/tools/list_changed", `{"_meta":{"io.modelcontextprotocol/subscriptionId":9}}`))
		front.want(notification("notifications/tools/list_changed", "{}"))
		front.send(request("7", "resources/subscribe", `{"uri":"a://b"}`), request("8", "resources/subscribe", `{}`))
		front.want(result("7", "{}"), `{"jsonrpc":"2.0","id":8,"error":{"code":-32602,…}}`)
		back.want(`{…"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a://b"]},…}}`,
			`{…"method":"notifications/cancelled","params":{"requestId":9,…}}`)
		front.send(request("9", "resources/unsubscribe", `{"uri":"a://b"}`))
		front.want(result("9", "{}"))
		back.want(`{…"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},…}}`, `{…"method":"notifications/cancelled",…}`)
		front.silent()

		// A lost one is opened again, and so is a lost server (SU-12, SU-13).
		require.NoError(t, back.conn.Close())
		synctest.Wait()
		front.send(request("10", "tools/list", ""))
		back = r.to.next()
		back.want(`{…"method":"server/discover",…}`)
		back.silent()
		back.send(result("15", discovered))
		first, second := back.next(), back.next()
		require.Contains(t, first+second, "subscriptions/listen")
		require.Contains(t, first+second, "tools/list")
		front.want(notification("notifications/tools/list_changed", ""))
	})
}

// TestListenAgain: a subscription that the server ends, or refuses, is asked for again
// later each time (SU-12).
func TestListenAgain(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.upward(front, hello, upwardWelcome)
		front.send(notification("notifications/initialized", ""))
		ended := time.Now()
		// The last but one lives for a while, which begins the waits anew.
		for i, wait := range []time.Duration{0, 1, 2, 4, 8, 16, 30, 30, 30, 1} {
			var listen struct {
				ID     int
				Method string
			}
			require.NoError(t, json.Unmarshal([]byte(back.next()), &listen))
			require.Equal(t, "subscriptions/listen", listen.Method)
			require.Equal(t, wait*time.Second, time.Since(ended), "after %d ends", i)
			answer := result(fmt.Sprint(listen.ID), `{"resultType":"complete"}`)
			if i%2 == 1 {
				answer = failed(fmt.Sprint(listen.ID), `{"code":-32000,"message":"not now"}`)
			}
			if i == 8 {
				<-time.After(time.Minute)
			}
			ended = time.Now()
			back.send(answer)
		}
		front.silent()
		back.silent()
	})
}

// refusingBack is a back whose transport refuses to be listened on.
type refusingBack struct {
	*backs
	refuses *atomic.Bool
}

func (d refusingBack) Dial(ctx context.Context) (transport.Conn, error) {
	c, err := d.backs.Dial(ctx)
	return &refusingConn{c, d.refuses}, err
}

type refusingConn struct {
	transport.Conn
	refuses *atomic.Bool
}

func (c *refusingConn) Send(ctx context.Context, m *codec.Message) error {
	if string(m.Method) == "subscriptions/listen" && c.refuses.Load() {
		_ = c.Conn.Send(ctx, m)
		return &streamhttp.StatusError{Method: "POST", Status: 404}
	}
	return c.Conn.Send(ctx, m)
}

// TestListenRefused: a server that has no subscriptions is not asked for one again
// and again, and the log says so once; the one that takes its place is asked.
func TestListenRefused(t *testing.T) {
	for name, refused := range map[string]bool{"by an answer": false, "by a status": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				r := &rig{t: t, to: newBacks(t)}
				var d transport.Dialer = r.to
				if refused {
					always := new(atomic.Bool)
					always.Store(true)
					d = refusingBack{r.to, always}
				}
				r.b = bridge.New(d, &bridge.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
				front, _ := r.pipe()
				back := r.upward(front, hello, upwardWelcome)
				front.send(notification("notifications/initialized", ""))
				back.want(`{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen",…}`)
				if !refused {
					back.send(failed("3", `{"code":-32601,"message":"Method not found"}`))
				}
				<-time.After(time.Hour)
				front.send(request("1", "resources/subscribe", `{"uri":"a://b"}`))
				front.want(result("1", "{}"))
				<-time.After(time.Hour)
				back.silent()
				require.Equal(t, 1, strings.Count(log.String(), "the server has no subscriptions"), "%s", &log)

				require.NoError(t, back.conn.Close())
				back.ends()
				front.send(request("2", "ping", ""))
				back = r.to.next()
				back.want(`{…"server/discover"…}`)
				back.send(result("5", discovered))
				back.want(`{…"subscriptions/listen"…}`)
				front.wantAll(notification("notifications/tools/list_changed", ""), result("2", "{}"))
				require.NoError(t, r.b.Close())
			})
		})
	}
}

// TestListenGranted: a server that has subscriptions is asked again although a status
// once says that there is nothing at its place.
func TestListenGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, to: newBacks(t)}
		var away atomic.Bool
		r.b = bridge.New(refusingBack{r.to, &away}, nil)
		front, _ := r.pipe()
		back := r.upward(front, hello, upwardWelcome)
		front.send(notification("notifications/initialized", ""))
		back.want(`{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen",…}`)
		back.send(notification("notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":3},"notifications":{}}`))
		away.Store(true)
		back.send(result("3", `{"resultType":"complete"}`)) // the server is started anew
		back.want(`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen",…}`)
		synctest.Wait()
		away.Store(false)
		<-time.After(time.Minute)
		back.want(`{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen",…}`)
		back.silent()
		require.NoError(t, r.b.Close())
	})
}

// TestUpwardVersions: an offer that is unknown gets the newest legacy one and the
// others to choose from (VN-02, VN-04); a server that does not speak 2026-07-28
// either has its refusal passed on.
func TestUpwardVersions(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		for offer, answer := range map[string]string{
			"2024-11-05": `{"protocolVersion":"2024-11-05","capabilities"…`,
			"2026-07-28": `{"protocolVersion":"2025-11-25","supportedVersions":["2024-11-05","2025-03-26","2025-06-18","2025-11-25"],"capabilities"…`,
		} {
			front, _ := r.pipe()
			r.upward(front, `{"protocolVersion":"`+offer+`","capabilities":{}}`, answer)
		}
		front, _ := r.pipe()
		front.send(request("0", "initialize", hello))
		back := r.to.next()
		back.want("{…}")
		back.send(failed("1", `{"code":-32603,"message":"out of order"}`))
		back.want(`{…"server/discover"…}`)
		back.send(result("2", `{"supportedVersions":["2027-01-01"]}`))
		front.want(failed("0", `{"code":-32603,"message":"out of order"}`))
		front.send(request("0", "initialize", hello))
		back.want("{…}")
		back.send(failed("3", `{"code":-32603,"message":"out of order"}`))
		back.want(`{…"server/discover"…}`)
		begun := time.Now()
		front.want(failed("0", `{"code":-32603,"message":"out of order"}`)) // it never answers
		require.Equal(t, 3*time.Second, time.Since(begun))
	})
}

// TestUpwardInput: what the server wants before it answers is asked of the client,
// and the call goes out again with it under a new id (MR-04, MR-05, MR-10).
func TestUpwardInput(t *testing.T) {
	virtual(t, &bridge.Options{Limits: bridge.Limits{MaxRounds: 3}}, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.upward(front, hello, upwardWelcome)
		front.send(request(`"c"`, "tools/call", `{"name":"x","_meta":{"progressToken":"p"}}`))
		back.want(request("3", "tools/call", `{"name":"x","_meta":{`+about+`,"progressToken":3}}`))
		back.send(result("3", `{"resultType":"input_required","inputRequests":{"one":{"method":"sampling/createMessage","params":{"m":1}},"t\"wo":{"method":"roots/list"}},"requestState":"s\u0041"}`))
		front.want(request("5", "sampling/createMessage", `{"m":1}`), request("6", "roots/list", ""))
		front.send(result("6", `{"roots":[]}`))
		back.silent()
		front.send(result("5", `{"role":"assistant"}`))
		back.want(request("4", "tools/call", `{"name":"x","inputResponses":{"one":{"role":"assistant"},"t\"wo":{"roots":[]}},"requestState":"s\u0041","_meta":{`+about+`,"progressToken":4}}`))
		back.send(result("4", `{"resultType":"input_required","requestState":"later"}`))
		back.want(request("7", "tools/call", `{"name":"x","requestState":"later","_meta":{`+about+`,"progressToken":7}}`))
		back.send(notification("notifications/progress", `{"progressToken":7,"progress":1}`), result("7", `{"content":[]}`))
		front.want(notification("notifications/progress", `{"progressToken":"p","progress":1}`), result(`"c"`, `{"content":[]}`))

		// The client refuses: that is the answer, as an error cannot be an input.
		front.send(request("1", "tools/call", `{"name":"x"}`))
		back.want("{…}")
		back.send(result("8", `{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage"}}}`))
		front.want(request("10", "sampling/createMessage", ""))
		front.send(failed("10", `{"code":-1,"message":"User rejected"}`))
		front.want(failed("1", `{"code":-1,"message":"User rejected"}`))

		// It is cancelled meanwhile: the client need not answer any more.
		front.send(request("2", "tools/call", `{"name":"x"}`))
		back.want("{…}")
		back.send(result("11", `{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage"}}}`))
		front.want(request("13", "sampling/createMessage", ""))
		front.send(notification("notifications/cancelled", `{"requestId":2}`))
		front.want(notification("notifications/cancelled", `{"requestId":13}`))
		front.send(result("13", "{}"))
		front.silent()
		back.silent()

		// It never ends.
		front.send(request("3", "tools/call", `{"name":"x"}`))
		for _, id := range []string{"14", "15", "16", "17"} {
			back.want(`{"jsonrpc":"2.0","id":` + id + `,…}`)
			back.send(result(id, `{"resultType":"input_required","requestState":"more"}`))
		}
		front.want(`{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"bridge: the server asked for input more often than the limit of 3: outcome unknown","data":{"io.github.wirespool/hop":"bridge"}}}`)
	})
}

// TestUpwardBroken: a result that is none of an answer to its method, or of no kind
// that the client knows, fails its call, which is not sent again (CO-25, MR-01,
// MR-02): a client that initializes would take it for the result.
func TestUpwardBroken(t *testing.T) {
	const extended = `{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}},"clientInfo":{"name":"c","version":"1"}}`
	for name, tt := range map[string]struct{ hello, method, result, want string }{
		"unknown kind":        {hello, "tools/call", `{"resultType":"task"}`, `resultType \"task\" is none of an answer to tools/call`},
		"no kind":             {hello, "tools/call", `{"resultType":5}`, `resultType 5 is none of an answer to tools/call`},
		"of an extension":     {extended, "tools/call", `{"resultType":"task"}`, ""},
		"complete":            {hello, "tools/call", `{"resultType":"complete"}`, ""},
		"not of this method":  {hello, "tools/list", `{"resultType":"input_required","requestState":"s"}`, `resultType \"input_required\" is none of an answer to tools/list`},
		"another method":      {hello, "tools/call", `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"tools/call"}}}`, `inputRequests asks for \"tools/call\"`},
		"ping":                {hello, "tools/call", `{"resultType":"input_required","inputRequests":{"b":{"method":"ping"}}}`, `inputRequests asks for \"ping\"`},
		"a notification":      {hello, "tools/call", `{"resultType":"input_required","inputRequests":{"b":{"method":"notifications/cancelled"}}}`, `inputRequests asks for \"notifications/cancelled\"`},
		"no method":           {hello, "tools/call", `{"resultType":"input_required","inputRequests":{"b":{"params":{}}}}`, `inputRequests asks for \"\"`},
		"nothing is required": {hello, "tools/call", `{"resultType":"input_required"}`, `input_required has neither inputRequests nor requestState`},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, nil, func(t *testing.T, r *rig) {
				front, _ := r.pipe()
				back := r.upward(front, tt.hello, upwardWelcome)
				front.send(request("1", tt.method, `{"name":"x"}`))
				back.want(`{"jsonrpc":"2.0","id":3,…}`)
				back.send(result("3", tt.result))
				want := result("1", tt.result)
				if tt.want != "" {
					want = failed("1", `{"code":-32000,"message":"remote: the answer is broken: `+tt.want+`","data":{"io.github.wirespool/hop":"remote"}}`)
				}
				front.want(want)
				back.silent()
			})
		})
	}
}

// cancelable is a back whose transport cancels by itself.
type cancelable struct {
	transport.Conn
	got chan codec.IDKey
}

func (c *cancelable) Cancel(id codec.IDKey) { c.got <- id }

type cancelDialer struct {
	*backs
	got chan codec.IDKey
}

func (d cancelDialer) Dial(ctx context.Context) (transport.Conn, error) {
	c, err := d.backs.Dial(ctx)
	return &cancelable{c, d.got}, err
}

// TestCanceler: a call of 2026-07-28 is cancelled as its transport does that, a
// legacy one by the notification, with its reason (CA-08, CA-09).
func TestCanceler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, to: newBacks(t)}
		d := cancelDialer{r.to, make(chan codec.IDKey, 10)}
		r.b = bridge.New(d, nil)
		defer func() { require.NoError(t, r.b.Close()) }()
		cancel := notification("notifications/cancelled", `{"requestId":1,"reason":"r"}`)
		front, _ := r.pipe()
		back := r.upward(front, hello, upwardWelcome)
		front.send(request("1", "tools/call", `{"name":"x"}`))
		back.want("{…}")
		front.send(cancel)
		require.Equal(t, codec.IntID(3).Key(), <-d.got)
		front.silent()
		back.silent()

		front, _ = r.pipe()
		back = r.session(front)
		front.send(request("1", "tools/call", `{"name":"x"}`))
		back.want("{…}")
		front.send(cancel)
		back.want(notification("notifications/cancelled", `{"requestId":2,"reason":"r"}`))
		require.Empty(t, d.got)
	})
}

// TestBothEras: one client speaks both eras on one connection, each to a
// back of its own.
func TestBothEras(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		old := r.session(front)
		front.send(request("1", "tools/list", "{"+meta("{}")+"}"))
		back := r.to.next()
		back.want(`{…"server/discover"…}`)
		back.send(result("1", discovered))
		back.want(request("2", "tools/list", "{"+meta("{}")+"}"))
		front.send(request("2", "tools/list", ""))
		old.want(request("2", "tools/list", ""))
		front.send(notification("notifications/cancelled", `{"requestId":1}`))
		back.want(notification("notifications/cancelled", `{"requestId":2}`))
		old.silent()
		front.send(request("3", "subscriptions/listen", `{"notifications":{},`+meta("{}")+"}"))
		back.want("{…}")
		back.send(notification("notifications/cancelled", `{"requestId":3}`)) // SU-11
		front.want(notification("notifications/cancelled", `{"requestId":3}`))
		front.silent()
	})
}
