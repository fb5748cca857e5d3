package streamhttp_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/streamhttp"
)

var legacyRevisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// withAndWithoutLog runs a test for an endpoint that keeps events and one that
// does not: what both promise is the same.
func withAndWithoutLog(t *testing.T, o streamhttp.Options, f func(*testing.T, *rig)) {
	t.Helper()
	for _, logs := range []bool{false, true} {
		t.Run(fmt.Sprint("log=", logs), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := o
				if logs {
					log := eventlog.NewMemory(nil)
					defer func() { _ = log.Close() }()
					o.Log = log
				}
				r := open(t, &o, nil)
				defer r.close()
				f(t, r)
			})
		})
	}
}

// TestLegacyStatus: the statuses of the legacy revisions (SL), and the era of a POST (VN-31).
func TestLegacyStatus(t *testing.T) {
	refuse := func(id, code string) string {
		return `^{"jsonrpc":"2.0"` + id + `,"error":{"code":` + code + `,`
	}
	const null, no, one = `,"id":null`, ``, `,"id":1`
	list := request("1", "tools/list", "")
	for _, version := range legacyRevisions {
		withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
			own := r.session(version)
			id := own[0]
			batches := version < "2025-06-18"
			array := 400
			if batches {
				array = 200
			}
			for _, c := range []statusCase{
				{"SL-06", list, own, 200, `^{"jsonrpc":"2.0","id":1,"result":{"tools":\[\]}}$`},
				{"SL-21 no version header", list, []string{id}, 200, "result"},
				{"SL-23 another legacy version", list, []string{id, "MCP-Protocol-Version: 2025-06-18"}, 200, "result"},
				{"SL-20 unknown version", list, []string{id, "MCP-Protocol-Version: 2099-01-01"}, 400, refuse(one, "-32022")},
				{"SL-20 no version at all", list, []string{id, "MCP-Protocol-Version: foobar"}, 400, "-32022"},
				{"version header twice", list, []string{id, "MCP-Protocol-Version: 2025-06-18", "MCP-Protocol-Version: 2025-06-18"}, 400, "-32600"},
				{"SH26-09 modern header, no _meta", list, []string{id, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"}, 400, refuse(one, "-32602")},
				{"SS-05 no session", list, nil, 400, refuse(one, "-32602") + ".*Mcp-Session-Id"},
				{"SS-05 no session, a notification", initialized, nil, 400, refuse(null, "-32600")},
				{"SS-05 no session, a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, "-32600"},
				{"SS-05 empty session", list, []string{"Mcp-Session-Id: "}, 400, ""},
				{"SS-05 two sessions", list, []string{id, id}, 400, ""},
				{"SS-06 unknown session", list, []string{"Mcp-Session-Id: gone"}, 404, refuse(one, "-32000")},
				{"SS-06 long session", list, []string{"Mcp-Session-Id: " + strings.Repeat("x", 300)}, 404, ""},
				{"SS-06 initialize with an unknown session", initialize("2025-11-25"), []string{"Mcp-Session-Id: gone"}, 404, ""},
				{"LG-07 second initialize", initialize("2025-11-25"), []string{id}, 200, refuse(`,"id":0`, "-32600")},
				{"SL-04 notification", `{"jsonrpc":"2.0","method":"notifications/odd"}`, own, 202, ""},
				{"SL-27 response to nothing", `{"jsonrpc":"2.0","id":99,"result":{}}`, own, 202, ""},
				{"F5 error response", `{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}`, own, 202, ""},
				{"SL-24 unknown method", request("1", "no/such", ""), own, 200, refuse(one, "-32601")},
				{"SL-24 handler error", tool("1", "fail:-32002"), own, 200, refuse(one, "-32002")},
				{"SL-25 no JSON", `{"jsonrpc"`, own, 400, "-32700"},
				{"SL-25 bad shape", `{"jsonrpc":"2.0","id":1}`, own, 400, refuse(one, "-32600")},
				{"CO-34 array", "[" + list + "]", own, array, ""},
				{"CO-31 array of notifications", "[" + initialized + "]", own, map[bool]int{true: 202, false: 400}[batches], ""},
				{"empty array", "[]", own, 400, "-32600"},
				{"F1 JSON alone", list, append([]string{"Accept: application/json"}, own...), 200, `^{`},
				{"F1 no Accept", list, append([]string{"Accept:"}, own...), 200, `^{`},
				{"F1 events alone", list, append([]string{"Accept: text/event-stream"}, own...), 200, `^data: {"jsonrpc":"2.0","id":1,"result":{"tools":\[\]}}` + "\n\n$"},
				{"SL-25 Accept", list, append([]string{"Accept: text/html"}, own...), 406, ""},
				{"SL-25 Content-Type", list, append([]string{"Content-Type: text/plain"}, own...), 415, ""},
				{"VN-33 modern in a session's place", request("1", "tools/list", "{"+modernMeta+"}"), []string{id, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"}, 200, "resultType"},
			} {
				a := r.do("POST", c.body, c.headers...)
				text := a.text()
				require.Equal(t, c.status, a.StatusCode, "%s %s: %s", version, c.name, text)
				require.Regexp(t, regexp.MustCompile(c.want), text, "%s %s", version, c.name)
				require.EqualValues(t, len(text), a.ContentLength, c.name)
				if a.StatusCode == 202 {
					require.Empty(t, text, c.name)
					require.Empty(t, a.Header.Get("Content-Type"), c.name)
				}
			}
			null := version != "2025-11-25" && version != "2024-11-05" // there is no header that says 2024-11-05
			a := r.do("POST", "{", own...)
			require.Equal(t, null || version == "2024-11-05", strings.Contains(a.text(), `"id":null`), version)
			require.Equal(t, 1, r.h.Sessions(), "what was refused opened nothing")
		})
	}
}

// TestInitialize: versions, with and without a header (SL-22, VN-02, VN-04, F9 of
// the field), and the session header.
func TestInitialize(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		for offer, want := range map[string]string{"2025-03-26": "2025-03-26", "2025-11-25": "2025-11-25", "0.1.0": "2025-11-25", "2026-07-28": "2025-11-25"} {
			for _, header := range []string{"", "MCP-Protocol-Version: 2025-06-18", "MCP-Protocol-Version: 2099-01-01", "MCP-Protocol-Version: foobar"} {
				var headers []string
				if header != "" {
					headers = append(headers, header)
				}
				a := r.do("POST", initialize(offer), headers...)
				require.Equal(t, 200, a.StatusCode, header)
				require.Contains(t, a.text(), `"protocolVersion":"`+want+`"`)
				require.Regexp(t, `^[A-Z2-7]{26}$`, a.Header.Get("Mcp-Session-Id"))
			}
		}
		open := r.h.Sessions()
		a := r.do("POST", initialize("2025-11-25"), "MCP-Protocol-Version: 2026-07-28")
		require.Equal(t, 400, a.StatusCode)
		require.Contains(t, a.text(), "-32602")
		a = r.do("POST", request("1", "initialize", `{}`))
		require.Equal(t, 200, a.StatusCode)
		require.Contains(t, a.text(), "-32602")
		require.Empty(t, a.Header.Get("Mcp-Session-Id"))
		a = r.do("POST", "["+initialize("2025-03-26")+"]")
		require.Equal(t, 400, a.StatusCode, "CO-33")
		a = r.do("POST", initialize("2025-06-18"), "Accept: text/event-stream")
		require.NotEmpty(t, a.Header.Get("Mcp-Session-Id"))
		require.Contains(t, a.data(), `"protocolVersion":"2025-06-18"`)
		require.Equal(t, open+1, r.h.Sessions())
	})
}

// TestSessionID: ids are long and random, and visible ASCII (SS-02, SS-03).
func TestSessionID(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		seen := map[string]bool{}
		for range 100 {
			id := r.session("2025-11-25")[0]
			require.False(t, seen[id])
			seen[id] = true
		}
	})
}

// TestBatch: arrays of requests, notifications and answers, in the revisions that
// have them (CO-31, SL-07).
func TestBatch(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-03-26")
		a := r.do("POST", "["+tool("1", "x")+","+initialized+","+tool("2", "sleep:1s")+",1]", own...)
		require.Equal(t, 200, a.StatusCode)
		require.Regexp(t, `^\[`+regexp.QuoteMeta(result("1")+","+result("2"))+`,{"jsonrpc":"2.0","id":null,"error":{"code":-32600,.*}\]$`, a.text())
		a = r.do("POST", "["+tool("1", "progress:x")+"]", own...)
		require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
		require.Contains(t, a.data(), `"progress":1`)
		require.Contains(t, a.data(), `"progress":2`)
		require.Contains(t, a.data(), `"progress":3`)
		require.Equal(t, "["+result("1")+"]", a.data())
		a.ends()
		a = r.do("POST", `[{"jsonrpc":"2.0","id":9,"result":{}},{"jsonrpc":"2.0","id":8,"result":{}}]`, own...)
		require.Equal(t, 202, a.StatusCode)
	})
}

// TestLegacyStream: what is said before the answer, and a question that is
// answered by another POST (SL-13, SL-26, CL-07).
func TestLegacyStream(t *testing.T) {
	for _, version := range legacyRevisions[1:] {
		withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
			own := r.session(version)
			a := r.do("POST", tool("1", "progress:x"), own...)
			require.Equal(t, "no", a.Header.Get("X-Accel-Buffering"))
			for i := range 3 {
				require.Contains(t, a.data(), fmt.Sprintf(`"progress":%d`, i+1))
			}
			require.Equal(t, result("1"), a.data())
			a.ends()

			a = r.do("POST", tool("2", "ask"), own...)
			require.Equal(t, request("1", "ping", ""), a.data())
			require.Equal(t, 202, r.do("POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, own...).StatusCode)
			require.Equal(t, result("2"), a.data())
			a.ends()

			a = r.do("POST", tool("3", "ask"), own...)
			require.Equal(t, request("2", "ping", ""), a.data())
			require.Equal(t, 400, r.do("POST", `{"jsonrpc":"2.0","id":2,"result":{},"error":{}}`, own...).StatusCode)
			require.Contains(t, a.data(), "-32603", "a malformed answer fails the call that waits for it")
		})
	}
}

// TestLegacyLate: a silent call becomes a stream at the keep-alive time.
func TestLegacyLate(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-06-18")
		begun := time.Now()
		a := r.do("POST", tool("1", "sleep:40s"), own...)
		require.Equal(t, 15*time.Second, time.Since(begun))
		require.Equal(t, result("1"), a.data())
		a.ends()
		require.Equal(t, 40*time.Second, time.Since(begun))
	})
}

// TestLegacyCancel: a cancelled request gets no answer: its stream ends, and where
// JSON is all that the client takes it gets -32800 (CA-05, N4 of the field).
func TestLegacyCancel(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		cancel := func(id string) {
			time.AfterFunc(time.Second, func() {
				a := r.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`, own...)
				require.Equal(t, 202, a.StatusCode)
			})
		}
		cancel("1")
		a := r.do("POST", tool("1", "sleep:1m"), own...)
		require.Equal(t, 200, a.StatusCode)
		require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
		require.Empty(t, a.text())
		cancel("2")
		a = r.do("POST", tool("2", "progress:"), own...)
		require.Contains(t, a.data(), "progress")
		for {
			_, _, data, err := a.event()
			if err != nil {
				break
			}
			require.NotContains(t, data, "result")
		}
		cancel(`"3"`)
		a = r.do("POST", tool(`"3"`, "sleep:1m"), append(own, "Accept: application/json")...)
		require.Equal(t, `{"jsonrpc":"2.0","id":"3","error":{"code":-32800,"message":"Request cancelled"}}`, a.text())
		own = r.session("2025-03-26")
		cancel("4")
		a = r.do("POST", "["+tool("4", "sleep:1m")+"]", append(own, "Accept: application/json")...)
		require.Equal(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32800,"message":"Request cancelled"}}`, a.text(), "CO-21")
		synctest.Wait() // the last cancellation is answered too
	})
}

// TestLegacyDisconnect: a client that leaves does not cancel (SL-14, CA-11).
func TestLegacyDisconnect(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		ended := make(chan error, 1)
		r.srv.Handle("work", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
			}
			ended <- ctx.Err()
			return append(dst, "{}"...), nil
		})
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		_, err := r.http.Client().Do(r.prepare(ctx, "POST", request("1", "work", ""), own))
		require.Error(t, err)
		require.NoError(t, <-ended)
	})
}

// TestGet: the stream of a session: one, newest first, for what belongs to no
// call (SL-15 to SL-19).
func TestGet(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		tell := func() {
			for p := range r.srv.Peers {
				if p.SessionID() != "" {
					require.NoError(t, p.Notify(t.Context(), "notifications/tools/list_changed", nil))
				}
			}
		}
		const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		for p := range r.srv.Peers {
			require.Error(t, p.Notify(t.Context(), "notifications/tools/list_changed", nil), "N8: nobody listens yet")
		}
		a := r.do("GET", "", own...)
		require.Equal(t, 200, a.StatusCode)
		require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
		synctest.Wait()
		tell()
		require.Equal(t, changed, a.data())
		b := r.do("GET", "", own...)
		a.ends()
		synctest.Wait()
		tell()
		require.Equal(t, changed, b.data())
		for name, c := range map[string]struct {
			headers []string
			status  int
		}{
			"no session":      {nil, 400},
			"unknown session": {[]string{"Mcp-Session-Id: gone"}, 404},
			"Accept":          {append([]string{"Accept: application/json"}, own...), 406},
			"unknown version": {[]string{own[0], "MCP-Protocol-Version: x"}, 400},
			"modern version":  {[]string{own[0], "MCP-Protocol-Version: 2026-07-28"}, 405},
			"bad event id":    {append([]string{"Last-Event-ID: 7"}, own...), 400},
		} {
			require.Equal(t, c.status, r.do("GET", "", c.headers...).StatusCode, name)
		}
		require.Equal(t, 204, r.do("DELETE", "", own...).StatusCode)
		b.ends()
	})
}

// TestGetQuiet: comments keep a quiet stream alive, and a server's own write limit
// does not cut it.
func TestGetQuiet(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		endpointOver(t, nil, &memhttp.Options{HTTP2: http2, Configure: shortWrites}, func(t *testing.T, r *rig) {
			own := r.session("2025-11-25")
			begun := time.Now()
			a := r.do("GET", "", own...)
			require.Zero(t, time.Since(begun))
			for i := range 5 {
				line, err := a.body.ReadString('\n')
				require.NoError(t, err)
				require.Equal(t, ":\n", line)
				_, err = a.body.ReadString('\n')
				require.NoError(t, err)
				require.Equal(t, time.Duration(i)*15*time.Second, time.Since(begun))
			}
			b := r.do("POST", tool("1", "sleep:12s"), own...)
			require.Equal(t, result("1"), b.text(), "a late answer is written all the same")
		})
	}
}

// TestDelete: a client ends its session: calls are cancelled, everything is 404
// from then on (SS-06, SS-08, SS-10).
func TestDelete(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		r.keep(own)
		deleted := make(chan int)
		time.AfterFunc(time.Second, func() { deleted <- r.do("DELETE", "", own...).StatusCode })
		begun := time.Now()
		a := r.do("POST", tool("1", "sleep:1m"), own...)
		require.Empty(t, a.text())
		require.Equal(t, time.Second, time.Since(begun))
		require.Equal(t, 204, <-deleted)
		for _, method := range []string{"POST", "GET", "DELETE"} {
			require.Equal(t, 404, r.do(method, tool("1", "x"), own...).StatusCode, method)
		}
		require.Equal(t, 400, r.do("DELETE", "").StatusCode)
		require.Equal(t, 404, r.do("DELETE", "", "Mcp-Session-Id: gone").StatusCode)
		require.Zero(t, r.h.Sessions())
		for range r.srv.Peers {
			t.Error("the peer of an ended session is still there")
		}
		r.keepsNothing()
	})
}

// keep makes streams that the log keeps for a session, if there is a log.
func (r *rig) keep(own []string) {
	r.t.Helper()
	a := r.do("POST", tool("1", "notify"), own...)
	require.Contains(r.t, a.data(), "notifications/odd")
	require.Equal(r.t, result("1"), a.data())
	g := r.do("GET", "", own...)
	require.Equal(r.t, 200, g.StatusCode)
	if r.log != nil {
		require.Equal(r.t, 2, r.log.Stats().Streams)
	}
}

// keepsNothing says that the log, if there is one, has dropped what it kept.
func (r *rig) keepsNothing() {
	r.t.Helper()
	if r.log == nil {
		return
	}
	got := r.log.Stats()
	require.Zero(r.t, got.Streams, "the log keeps streams of a session that has ended")
	require.Zero(r.t, got.Finished)
	require.Zero(r.t, got.Events)
	require.Zero(r.t, got.Bytes)
}

// TestSessionIdle: a session ends when nothing has happened for long, and not
// while anything does (SS-06, G6 and G7 of the field).
func TestSessionIdle(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{Limits: streamhttp.Limits{SessionIdle: time.Minute}}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		for range 5 {
			<-time.After(59 * time.Second)
			require.Equal(t, 200, r.do("POST", tool("1", "x"), own...).StatusCode)
		}
		a := r.do("POST", tool("1", "sleep:4m"), own...)
		require.Equal(t, result("1"), a.data())
		a.ends()
		<-time.After(59 * time.Second)
		ctx, leave := context.WithCancel(t.Context())
		g := r.doContext(ctx, "GET", "", own...)
		for range 30 { // its keep-alives
			_, err := g.body.ReadString('\n')
			require.NoError(t, err)
		}
		leave()
		if r.log != nil {
			require.NotZero(t, r.log.Stats().Streams)
		}
		<-time.After(59 * time.Second)
		require.Equal(t, 200, r.do("POST", tool("1", "x"), own...).StatusCode)
		<-time.After(61 * time.Second)
		require.Equal(t, 404, r.do("POST", tool("1", "x"), own...).StatusCode)
		require.Zero(t, r.h.Sessions())
		r.keepsNothing()
	})
}

// TestStateless: each POST for itself (LG-15).
func TestStateless(t *testing.T) {
	endpoint(t, &streamhttp.Options{Stateless: true}, func(t *testing.T, r *rig) {
		for range 2 {
			a := r.do("POST", initialize("2025-11-25"))
			require.Contains(t, a.text(), `"protocolVersion":"2025-11-25"`)
			require.Empty(t, a.Header.Get("Mcp-Session-Id"))
		}
		list := request("1", "tools/list", "")
		require.Equal(t, 202, r.do("POST", initialized).StatusCode)
		require.Contains(t, r.do("POST", list).text(), "result")
		require.Contains(t, r.do("POST", list, "Mcp-Session-Id: whatever", "MCP-Protocol-Version: 2025-11-25").text(), "result")
		require.Equal(t, 400, r.do("POST", list, "MCP-Protocol-Version: 2099-01-01").StatusCode)
		require.Equal(t, "["+result("1")+"]", r.do("POST", "["+tool("1", "x")+"]").text(), "SL-21: no header means 2025-03-26")
		require.Equal(t, 400, r.do("POST", "["+list+"]", "MCP-Protocol-Version: 2025-06-18").StatusCode)
		require.Equal(t, 202, r.do("POST", `{"jsonrpc":"2.0","id":1,"result":{}}`).StatusCode)
		require.Equal(t, 200, r.modernTool("1", "x").StatusCode)
		a := r.do("POST", tool("1", "progress:x"))
		require.Contains(t, a.data(), "progress")
		a = r.do("POST", tool("1", "ask"))
		require.Contains(t, a.text(), "-32603", "N8: nobody could answer")
		for _, method := range []string{"GET", "DELETE"} {
			a := r.do(method, "")
			require.Equal(t, 405, a.StatusCode)
			require.Equal(t, "POST", a.Header.Get("Allow"))
		}
	})
}

// TestStatelessDisconnect: without a session nothing can bring the answer to a
// client that has left: its call, or array of calls, ends then, and Shutdown waits
// for nobody. A notification wants no answer and is dealt with.
func TestStatelessDisconnect(t *testing.T) {
	for name, body := range map[string]string{
		"call":         tool("1", "sleep:4m"),
		"array":        "[" + tool("1", "sleep:4m") + "," + tool("2", "sleep:3m") + "]",
		"notification": `{"jsonrpc":"2.0","method":"notifications/slow"}`,
	} {
		t.Run(name, func(t *testing.T) {
			endpoint(t, &streamhttp.Options{Stateless: true}, func(t *testing.T, r *rig) {
				noted := make(chan error, 1)
				r.srv.HandleNotification("notifications/slow", func(ctx context.Context, _ *dispatch.Notification) {
					<-time.After(time.Minute)
					noted <- ctx.Err()
				})
				ctx, leave := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, leave)
				_, err := r.http.Client().Do(r.prepare(ctx, "POST", body, nil))
				require.ErrorIs(t, err, context.Canceled)
				synctest.Wait()
				begun := time.Now()
				require.NoError(t, r.h.Shutdown(t.Context()))
				if name == "notification" {
					require.NoError(t, <-noted)
					return
				}
				require.Zero(t, time.Since(begun), "nothing runs any more")
			})
		})
	}
}

// TestJSONOnly: one JSON text for each call; what belongs to a call goes to the
// session's stream if there is one.
func TestJSONOnly(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{JSON: true}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		a := r.do("POST", tool("1", "notify"), own...)
		require.Equal(t, result("1"), a.text())
		g := r.do("GET", "", own...)
		synctest.Wait()
		a = r.do("POST", tool("1", "notify"), own...)
		require.Equal(t, "application/json", a.Header.Get("Content-Type"))
		require.Equal(t, result("1"), a.text())
		require.Contains(t, g.data(), "notifications/odd")
		begun := time.Now()
		a = r.do("POST", tool("1", "sleep:40s"), own...)
		require.Equal(t, result("1"), a.text())
		require.Equal(t, 40*time.Second, time.Since(begun))
	})
}

// TestExchange: what HTTP adds reaches the handler.
func TestExchange(t *testing.T) {
	o := streamhttp.Options{Authenticate: byToken}
	withAndWithoutLog(t, o, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25", "Authorization: Bearer alice")
		require.Contains(t, r.do("POST", tool("1", "who"), append(own, "X-Trace: a", "X-Trace: b")...).text(), `{"who":"alice","trace":"a|b"}`)
		require.Contains(t, r.modernTool("1", "who", "Authorization: Bearer bob", "X-Trace: c").text(), `"who":"bob","trace":"c"`)
		require.Contains(t, r.do("POST", tool("1", "panic"), own...).text(), `"code":-32603`)
	})
}
