package bridge_test

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/bridge"
)

// TestPassing: a session, message by message, as the client and the server see
// it: ids, tokens and everything else that is restored (L5, L6 of the field).
func TestPassing(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, served := r.pipe()
		back := r.session(front)

		// Whatever the id looks like, it comes back byte for byte (CO-07).
		for i, id := range []string{`1`, `"1"`, `1.0e0`, `"\u0041 long id that does not fit into the little room there is for short ones"`, `-9007199254740993`} {
			front.send(request(id, "vendor/odd", `{"a":[1, 2],"A":"\u00e9"}`))
			at := fmt.Sprint(i + 2)
			back.want(request(at, "vendor/odd", `{"a":[1, 2],"A":"\u00e9"}`))
			back.send(result(at, `{"b":{ "c":1.50 }}`))
			front.want(result(id, `{"b":{ "c":1.50 }}`))
		}
		// An error, with a code that nobody knows (N12 of the field).
		front.send(request("7", "tools/call", `{"name":"x"}`))
		back.want(request("7", "tools/call", `{"name":"x"}`))
		back.send(failed("7", `{"code":0,"message":"boom","data":{"x":1}}`))
		front.want(failed("7", `{"code":0,"message":"boom","data":{"x":1}}`))

		// Progress, both ways.
		front.send(request("8", "tools/call", `{"name":"x","_meta":{"traceparent":"t","progressToken":"p"}}`))
		back.want(request("8", "tools/call", `{"name":"x","_meta":{"traceparent":"t","progressToken":8}}`))
		back.send(notification("notifications/progress", `{"progressToken":8,"progress":0.5,"total":1}`))
		front.want(notification("notifications/progress", `{"progressToken":"p","progress":0.5,"total":1}`))
		back.send(request(`"s"`, "sampling/createMessage", `{"messages":[],"_meta":{"progressToken":"p"}}`))
		front.want(request("9", "sampling/createMessage", `{"messages":[],"_meta":{"progressToken":9}}`))
		front.send(notification("notifications/progress", `{"progressToken":9,"progress":1}`))
		back.want(notification("notifications/progress", `{"progressToken":"p","progress":1}`))
		front.send(result("9", `{"role":"assistant"}`))
		back.want(result(`"s"`, `{"role":"assistant"}`))
		front.send(notification("notifications/progress", `{"progressToken":9,"progress":2}`))
		back.send(result("8", `{"content":[]}`))
		front.want(result("8", `{"content":[]}`))
		back.send(notification("notifications/progress", `{"progressToken":8,"progress":1}`)) // N6 of the field
		front.silent()
		back.silent()

		// Notifications, known and unknown.
		front.send(notification("notifications/roots/list_changed", ""), notification("vendor/note", `{"x":[]}`))
		back.want(notification("notifications/roots/list_changed", ""), notification("vendor/note", `{"x":[]}`))
		back.send(notification("notifications/tools/list_changed", ""), notification("vendor/other", `{"_meta":{"y":1}}`), notification("notifications/message", `{"level":"info","data":1}`))
		front.want(notification("notifications/tools/list_changed", ""), notification("vendor/other", `{"_meta":{"y":1}}`), notification("notifications/message", `{"level":"info","data":1}`))

		// Foreign layout becomes one line; a member that is nobody's does not pass.
		_, err := back.conn.Write([]byte("{\"jsonrpc\":\"2.0\",\r\"method\":\"vendor/lines\",\r\"params\":{\r\"a\":1},\"extra\":1}\n"))
		require.NoError(t, err)
		front.want(notification("vendor/lines", `{ "a":1}`))

		require.NoError(t, front.conn.Close())
		require.NoError(t, <-served)
		back.ends()
	})
}

// TestCancelling: by either side, of what runs, of what does not, and of
// initialize (CA-02, CA-05 to CA-07, LG-10).
func TestCancelling(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		cancel := func(id string) string {
			return notification("notifications/cancelled", `{"requestId":`+id+`,"reason":"enough"}`)
		}
		front.send(request("0", "initialize", hello), cancel("0"))
		back := r.to.next()
		back.want(request("1", "initialize", hello))
		back.send(result("1", welcome))
		front.want(result("0", welcome))

		front.send(request(`"1"`, "tools/call", `{"name":"x"}`), cancel("1"), cancel(`"2"`), cancel(`{}`))
		back.want(request("2", "tools/call", `{"name":"x"}`))
		back.silent()
		front.send(cancel(`"1"`))
		back.want(cancel("2"))
		back.send(failed("2", `{"code":-32800,"message":"Request cancelled"}`)) // N4 of the field
		front.send(cancel(`"1"`))
		front.silent()
		back.silent()

		back.send(request(`"s"`, "roots/list", ""))
		front.want(request("3", "roots/list", ""))
		back.send(cancel(`3`), cancel(`"s"`))
		front.want(cancel("3"))
		front.send(result("3", `{"roots":[]}`))
		front.silent()
		back.silent()
	})
}

// TestSameID: an id that runs already is refused without disturbing the one that
// runs, and may be used again afterwards (CO-08).
func TestSameID(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.session(front)
		front.send(request("1", "a", ""), request("1.0", "b", ""))
		back.want(request("2", "a", ""))
		front.want(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"bridge: a request with the id 1.0 runs already","data":{"io.github.wirespool/hop":"bridge","io.github.wirespool/notRun":true}}}`)
		back.send(result("2", "{}"))
		front.want(result("1", "{}"))
		front.send(request("1", "c", ""))
		back.want(request("3", "c", ""))
	})
}

// TestArrays: an array is taken apart, and its answers come back as one (CO-31);
// the server may answer in any order, or in arrays of its own.
func TestArrays(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		old := `{"protocolVersion":"2025-03-26","capabilities":{}}`
		front.send("["+request("0", "ping", "")+"]", request("0", "initialize", old))
		front.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"arrays are accepted in…"}}`)
		back := r.to.next()
		back.want(request("1", "initialize", old))
		back.send(result("1", old))
		front.want(result("0", old))

		front.send("[" + request("1", "a", "") + "," + notification("n", "") + ",7," + request(`"2"`, "b", `{"_meta":{"progressToken":1}}`) + "," + request("3", "initialize", "{}") + "]")
		back.want(request("2", "a", ""), notification("n", ""), request("3", "b", `{"_meta":{"progressToken":3}}`))
		back.send("["+notification("notifications/progress", `{"progressToken":3,"progress":1}`)+"]", "["+result("3", `{"x":1}`)+"]")
		front.want(notification("notifications/progress", `{"progressToken":1,"progress":1}`))
		front.silent()
		back.send(result("2", "{}"))
		front.want("[" + result("1", "{}") + `,{"jsonrpc":"2.0","id":null,"error":…},` + result(`"2"`, `{"x":1}`) + `,{"jsonrpc":"2.0","id":3,"error":{"code":-32600,…}}]`)

		front.send("["+request("1", "a", "")+","+request("2", "b", "")+"]", notification("notifications/cancelled", `{"requestId":1}`))
		back.want(request("4", "a", ""), request("5", "b", ""), notification("notifications/cancelled", `{"requestId":4}`))
		back.send(result("5", "{}"))
		front.want("[" + result("2", "{}") + "]")
		front.send("["+request("1", "a", "")+"]", notification("notifications/cancelled", `{"requestId":1}`), "["+notification("n", "")+"]")
		back.want(request("6", "a", ""), "…", "…")
		front.silent()
	})
}

// TestGarbage: what is no message is answered in front and survived at the back,
// and a broken answer fails its call (L11, N11, N15 of the field).
func TestGarbage(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.session(front)
		front.send(`{"jsonrpc":"2.0"`, `{"jsonrpc":"2.0","id":5,"method":7}`, `{"jsonrpc":"1.0","id":6,"method":"ping"}`)
		front.want(`{"jsonrpc":"2.0","error":{"code":-32700,…}}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,…}}`, `{"jsonrpc":"2.0","id":6,"error":{"code":-32600,…}}`)
		front.send(request("1", "a", ""), request("2", "b", ""))
		back.want(request("2", "a", ""), request("3", "b", ""))
		back.send("Listening on stdio...", `{"jsonrpc":"2.0","id":2,"result":{},"error":{}}`)
		front.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"remote: the answer is broken: …","data":{"io.github.wirespool/hop":"remote"}}}`)
		back.send(failed("null", `{"code":-32700,"message":"Parse error"}`))
		front.want(failed("2", `{"code":-32700,"message":"Parse error"}`))
		back.send(failed("null", `{"code":-32700,"message":"Parse error"}`), result("99", "{}"))
		front.send(result("99", "{}"))
		front.silent()
		back.silent()
	})
}

// TestTask: the progress token of a request that became a task outlives its
// answer (TK-01).
func TestTask(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.session(front)
		front.send(request("1", "tools/call", `{"name":"x","task":{},"_meta":{"progressToken":"p"}}`))
		back.want(request("2", "tools/call", `{"name":"x","task":{},"_meta":{"progressToken":2}}`))
		back.send(result("2", `{"task":{"taskId":"t"}}`), notification("notifications/progress", `{"progressToken":2,"progress":1}`))
		front.want(result("1", `{"task":{"taskId":"t"}}`), notification("notifications/progress", `{"progressToken":"p","progress":1}`))
	})
}

// TestDrain: a client that has ended its side still gets its answers, for a while
// (D3, D4 of the field).
func TestDrain(t *testing.T) {
	for _, patient := range []bool{true, false} {
		virtual(t, &bridge.Options{Limits: bridge.Limits{Drain: 5 * time.Second}}, func(t *testing.T, r *rig) {
			front, served := r.halfPipe()
			back := r.session(front)
			front.send(request("1", "slow", ""))
			back.want(request("2", "slow", ""))
			begun := time.Now()
			front.closeWrite()
			if patient {
				<-time.After(4 * time.Second)
				back.send(result("2", "{}"))
				front.want(result("1", "{}"))
			}
			require.NoError(t, <-served)
			if patient {
				require.Equal(t, 4*time.Second, time.Since(begun))
			} else {
				require.Equal(t, 5*time.Second, time.Since(begun))
				front.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"pipe: no answer: the client ended its side, and the limit of 5s for what it had asked is over: outcome unknown","data":{"io.github.wirespool/hop":"pipe"}}}`)
				require.Equal(t, bridge.HopPipe, r.b.Err().Hop, "it is not the client that failed")
				back.want(leftBehind("2"))
			}
			back.ends()
		})
	}
}

// TestDrainAsked: a back that waits for an answer of the client that has ended its
// side is not to blame.
func TestDrainAsked(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, served := r.halfPipe()
		back := r.session(front)
		front.send(request("1", "slow", ""))
		back.want(request("2", "slow", ""))
		back.send(request("1", "roots/list", ""))
		front.want(request("3", "roots/list", ""))
		front.closeWrite()
		require.NoError(t, <-served)
		front.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"front: the client has left: outcome unknown",…}}`)
		require.Nil(t, r.b.Err())
		back.want(leftBehind("2"))
		back.ends()
	})
}

// leftBehind is the cancellation of a request whose client has left.
func leftBehind(id string) string {
	return notification("notifications/cancelled", `{"requestId":`+id+`,"reason":"the client has left"}`)
}

// TestDrainUnopened: nor is it the client that failed when the back never came to
// be.
func TestDrainUnopened(t *testing.T) {
	virtual(t, &bridge.Options{Over: bridge.HopHTTP}, func(t *testing.T, r *rig) {
		front, served := r.halfPipe()
		front.send(request("1", "initialize", hello), request("2", "a", ""))
		back := r.to.next()
		back.want(request("1", "initialize", hello))
		front.closeWrite()
		require.NoError(t, <-served)
		const late = `"message":"http: no answer: the client ended its side, and the limit of 10s for what it had asked is over",`
		front.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,`+late+`…}}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,`+late+`…"io.github.wirespool/notRun":true}}}`)
		require.Equal(t, bridge.HopHTTP, r.b.Err().Hop)
		back.ends()
	})
}

// TestDrainInterrupted: who waited for a back that had trouble is told of the last
// trouble it had, unless it got over it.
func TestDrainInterrupted(t *testing.T) {
	for name, overcome := range map[string]bool{"it had": false, "it had got over": true} {
		t.Run(name, func(t *testing.T) {
			virtual(t, &bridge.Options{Over: bridge.HopHTTP}, func(t *testing.T, r *rig) {
				front, served := r.halfPipe()
				back := r.session(front)
				front.send(request("1", "a", ""))
				back.want(request("2", "a", ""))
				r.b.Interrupted(errors.New("unexpected EOF"))
				r.b.Interrupted(errors.New("connection refused"))
				last := "http: no answer: the client ended its side, and the limit of 10s for what it had asked is over"
				if overcome {
					back.send(result("2", "{}"))
					front.want(result("1", "{}"))
					front.send(request("1", "b", ""))
					back.want(request("3", "b", ""))
				} else {
					last += "; the last failure: connection refused"
				}
				front.closeWrite()
				require.NoError(t, <-served)
				front.want(failed("1", `{"code":-32000,"message":"`+last+`: outcome unknown","data":{"io.github.wirespool/hop":"http"}}`))
				require.EqualError(t, r.b.Err(), last)
			})
		})
	}
}

// TestRenewed: a session that lives on with another server behind it is told to
// that server: the log level and the subscriptions that are in force (N1 of the
// field).
func TestRenewed(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.session(front)
		for i, call := range []struct{ method, params, answer string }{
			{"logging/setLevel", `{"level":"info"}`, ""},
			{"logging/setLevel", `{"level":"error"}`, ""},
			{"logging/setLevel", `{"level":"loud"}`, "refused"},
			{"resources/subscribe", `{"uri":"a://b"}`, ""},
			{"resources/subscribe", `{"uri":"a://c"}`, ""},
			{"resources/unsubscribe", `{"uri":"a://b"}`, ""},
		} {
			id, at := fmt.Sprint(i+10), fmt.Sprint(i+2)
			front.send(request(id, call.method, call.params))
			back.want(request(at, call.method, call.params))
			if call.answer == "" {
				back.send(result(at, "{}"))
				front.want(result(id, "{}"))
			} else {
				back.send(failed(at, `{"code":-32602,"message":"no"}`))
				front.want(failed(id, `{"code":-32602,"message":"no"}`))
			}
		}
		want := func(first int) {
			back.want(request(fmt.Sprint(first), "logging/setLevel", `{"level":"error"}`), request(fmt.Sprint(first+1), "resources/subscribe", `{"uri":"a://c"}`))
			front.want(notification("notifications/tools/list_changed", ""))
			back.send(result(fmt.Sprint(first), "{}"), failed(fmt.Sprint(first+1), `{"code":-32602,"message":"gone"}`))
			front.silent()
		}
		go r.b.Renewed()
		want(8)
		require.NoError(t, back.conn.Close())
		synctest.Wait()
		front.send(notification("x", ""))
		back = r.to.next()
		back.want(request("10", "initialize", hello))
		back.send(result("10", welcome))
		back.want(notification("notifications/initialized", ""))
		want(11)
		back.want(notification("x", ""))
	})
}

// TestClientIsGone: a client that takes nothing any more ends its connection,
// whatever it still sends, and the back behind it (D5 of the field).
func TestClientIsGone(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, served := r.halfPipe()
		back := r.session(front)
		require.NoError(t, front.conn.(*halfConn).PipeReader.Close())
		back.send(notification("vendor/news", ""))
		require.ErrorIs(t, <-served, net.ErrClosed)
		back.ends()
	})
}
