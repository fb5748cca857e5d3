package bridge_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestReap: a client of a session that leaves during a call which is never
// answered keeps neither the session nor the back (L3 of the field).
func TestReap(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		h := streamhttp.NewHandler(r.b, &streamhttp.Options{Limits: streamhttp.Limits{SessionIdle: time.Minute}})
		c, back := r.webSession(serveMem(t, h))
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.do(ctx, http.MethodPost, request("1", "tools/call", `{"name":"hang"}`))
		}()
		back.want(request("2", "tools/call", `{"name":"hang"}`))
		leave()
		<-done
		back.silent()
		begun := time.Now()
		back.want(notification("notifications/cancelled", `{"requestId":2,"reason":"no answer within the limit of the bridge"}`))
		require.Equal(t, bridge.DefaultCall, time.Since(begun))
		require.Equal(t, 1, h.Sessions())
		back.ends()
		require.LessOrEqual(t, time.Since(begun), bridge.DefaultCall+2*time.Minute)
		require.Zero(t, h.Sessions())
		require.Zero(t, r.b.Backs())
	})
}

// TestPatience: what is never answered is answered here (N14 of the field), unless
// the back shows that it works on it.
func TestPatience(t *testing.T) {
	const lost = `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"child: no answer and no progress within the limit of 1m0s: outcome unknown","data":{"io.github.wirespool/hop":"child"}}}`
	cancelled := notification("notifications/cancelled", `{"requestId":2,"reason":"no answer within the limit of the bridge"}`)
	call := request("1", "tools/call", `{"name":"x","_meta":{"progressToken":"p"}}`)
	for name, test := range map[string]struct {
		limit time.Duration
		after func(t *testing.T, front, back *peer)
		want  time.Duration // since the call; 0 for never
	}{
		"nothing comes": {limit: time.Minute, want: time.Minute},
		"progress": {limit: time.Minute, want: 2*time.Minute + 50*time.Second, after: func(_ *testing.T, front, back *peer) {
			for range 2 {
				<-time.After(55 * time.Second)
				back.send(notification("notifications/progress", `{"progressToken":2,"progress":1}`))
				front.want(notification("notifications/progress", `{"progressToken":"p","progress":1}`))
			}
		}},
		"a question to the user": {limit: time.Minute, want: 2*time.Minute + 50*time.Second, after: func(_ *testing.T, front, back *peer) {
			<-time.After(55 * time.Second)
			back.send(request(`"e"`, "elicitation/create", "{}"))
			front.want(request("3", "elicitation/create", "{}"))
			<-time.After(55 * time.Second)
			front.send(result("3", `{"action":"accept"}`))
			back.want(result(`"e"`, `{"action":"accept"}`))
		}},
		"a sign of life of the connection alone": {limit: time.Minute, want: time.Minute, after: func(_ *testing.T, front, back *peer) {
			<-time.After(55 * time.Second)
			back.send(request(`"e"`, "ping", ""), notification("notifications/message", `{"level":"info","data":1}`))
			front.want(request("3", "ping", ""), notification("notifications/message", `{"level":"info","data":1}`))
			front.send(result("3", "{}"))
			back.want(result(`"e"`, "{}"))
		}},
		"no limit": {limit: -1, after: func(*testing.T, *peer, *peer) { <-time.After(1000 * time.Hour) }},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, &bridge.Options{Over: bridge.HopChild, Limits: bridge.Limits{Call: test.limit}}, func(t *testing.T, r *rig) {
				front, _ := r.pipe()
				back := r.session(front)
				front.send(call)
				back.want(request("2", "tools/call", `{"name":"x","_meta":{"progressToken":2}}`))
				begun := time.Now()
				if test.after != nil {
					test.after(t, front, back)
				}
				if test.want == 0 {
					front.silent()
					back.silent()
					return
				}
				front.want(lost)
				back.want(cancelled)
				require.Equal(t, test.want, time.Since(begun))
				require.Nil(t, r.b.Err(), "the back is there")

				// Its answer comes late, and the next call has its time.
				front.send(request("1", "tools/list", ""))
				back.want("…")
				back.send(result("2", "{}"))
				<-time.After(59 * time.Second)
				front.silent()
				back.send(result("3", "{}"), result("4", "{}"))
				front.want(result("1", "{}"))
				<-time.After(time.Hour)
				front.silent()
				back.silent()
			})
		})
	}
}

// TestPatienceModern: of clients that have no session; a subscription has no end.
func TestPatienceModern(t *testing.T) {
	modernWeb(t, &bridge.Options{Limits: bridge.Limits{Suspend: time.Hour}}, func(t *testing.T, m *modernRig) {
		listen := <-m.start(`"s"`, "subscriptions/listen", "", `{"notifications":{"toolsListChanged":true},`+meta("{}")+"}")
		require.Contains(t, listen.event(), "acknowledged")
		changed := make(chan string, 1)
		go func() { changed <- listen.event() }() // who does not read is given up

		// What waits for its client is not the back's to answer.
		params := `{"name":"x",` + meta(able) + "}"
		got := m.start("1", "tools/call", "x", params)
		m.back.want(request("5", "tools/call", `{"name":"x"}`))
		m.back.send(request("1", "elicitation/create", "{}"))
		a := (<-got).asked()
		<-time.After(50 * time.Minute)
		m.back.silent()
		begun := time.Now()
		got = m.start("2", "tools/call", "x", `{"name":"x","inputResponses":{"1":{}},"requestState":"`+a.Result.RequestState+`",`+meta(able)+"}")
		text := make(chan string, 1)
		go func() { text <- (<-got).text() }()
		m.back.want(result("1", "{}"), notification("notifications/cancelled", `{"requestId":5,"reason":"no answer within the limit of the bridge"}`))
		require.Contains(t, <-text, "pipe: no answer and no progress within the limit of 5m0s")
		require.Equal(t, bridge.DefaultCall, time.Since(begun))

		m.back.send(notification("notifications/tools/list_changed", ""))
		require.Contains(t, <-changed, "list_changed")
	})
}

// TestPatienceUpward: a client that does not answer what the server wants to know
// of it is the hop that failed.
func TestPatienceUpward(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.upward(front, hello, upwardWelcome)
		front.send(request("1", "tools/call", `{"name":"x"}`))
		back.want("{…}")
		back.send(result("3", `{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage"}}}`))
		front.want(request("5", "sampling/createMessage", ""))
		front.wantAll(notification("notifications/cancelled", `{"requestId":5}`),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"front: no answer and no progress within the limit of 5m0s: outcome unknown",…}}`)
		back.silent()
	})
}
