package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// changing announces everything that can be subscribed to.
var changing = codec.Value(`{"tools":{"listChanged":true},"prompts":{"listChanged":true},` +
	`"resources":{"listChanged":true,"subscribe":true},"extensions":{"io.modelcontextprotocol/tasks":{}}}`)

func publishing(capabilities codec.Value) *dispatch.Options {
	return &dispatch.Options{Info: dispatch.Info{Capabilities: capabilities}}
}

// listenFor is a subscriptions/listen.
func listenFor(id, filter string) string {
	return strings.Replace(modern(id, protocol.MethodSubscriptionsListen), `"params":{`, `"params":{"notifications":`+filter+`,`, 1)
}

// tagged is a notification of the subscription id; rest begins with a comma.
func tagged(id, method, rest string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}` + rest + `}}`
}

func acknowledged(id, filter string) string {
	return tagged(id, protocol.NotificationSubscriptionsAcknowledged, `,"notifications":`+filter)
}

func listenEnds(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}

// TestListenAcknowledged: the acknowledgment says what is honoured of what was
// asked for: what our capabilities announce, and the application grants (SU-01 to
// SU-03, SU-14, SU-17).
func TestListenAcknowledged(t *testing.T) {
	const all = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a","b"],"future":1}`
	const tasks = `"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	for name, tt := range map[string]struct{ capabilities, filter, out string }{
		"all":          {string(changing), all, acknowledged("1", `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a","b"]}`)},
		"tools":        {`{"tools":{"listChanged":true},"resources":{}}`, all, acknowledged("1", `{"toolsListChanged":true}`)},
		"resources":    {`{"resources":{"subscribe":true}}`, `{"resourceSubscriptions":[]}`, acknowledged("1", `{"resourceSubscriptions":[]}`)},
		"false":        {string(changing), `{"toolsListChanged":false}`, acknowledged("1", `{}`)},
		"nothing":      {string(changing), `{}`, acknowledged("1", `{}`)},
		"no object":    {string(changing), `[]`, refusal("1", "-32602")},
		"no bool":      {string(changing), `{"toolsListChanged":1}`, refusal("1", "-32602")},
		"no list":      {string(changing), `{"resourceSubscriptions":"a"}`, refusal("1", "-32602")},
		"no texts":     {string(changing), `{"resourceSubscriptions":[1]}`, refusal("1", "-32602")},
		"too many":     {string(changing), `{"resourceSubscriptions":["1","2","3"],"toolsListChanged":true}`, refusal("1", "-32000")},
		"tasks":        {string(changing), `{"taskIds":["t"]},"_meta2":{` + tasks + `}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"…","data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`},
		"unannounced":  {`{"tools":{}}`, all, refusal("1", "-32601")},
		"nothing said": {`{}`, all, refusal("1", "-32601")},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := publishing(codec.Value(tt.capabilities))
				o.Limits.MaxSubscribed = 2
				_, w := serve(t, o, func(s *dispatch.Server) { s.Handle("*", echo) })
				if tt.out == refusal("1", "-32601") {
					_, w = serve(t, o, nil)
				}
				w.talk("> " + listenFor("1", tt.filter) + "\n< " + tt.out)
			})
		})
	}
	t.Run("declared tasks", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			_, w := serve(t, publishing(changing), nil)
			w.send(strings.Replace(listenFor(`"t"`, `{"taskIds":["x"]}`), `"io.modelcontextprotocol/clientCapabilities":{}`, tasks, 1))
			w.want(acknowledged(`"t"`, `{"taskIds":["x"]}`))
		})
	})
	t.Run("judged", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			o := publishing(changing)
			o.Listen = func(_ context.Context, r *dispatch.Request, granted *dispatch.Filter) error {
				require.Equal(t, protocol.MethodSubscriptionsListen, r.Method())
				if len(granted.Resources) > 1 {
					return &codec.Error{Code: 1403, Message: "no"}
				}
				granted.ToolsListChanged = false
				return nil
			}
			s, w := serve(t, o, nil)
			w.send(listenFor("1", `{"toolsListChanged":true,"resourceSubscriptions":["a"]}`))
			w.want(acknowledged("1", `{"resourceSubscriptions":["a"]}`))
			w.send(listenFor("2", `{"resourceSubscriptions":["a","b"]}`))
			w.want(refusal("2", "1403"))
			require.NoError(t, s.Publish(protocol.NotificationToolsListChanged, nil))
			w.silent()
		})
	})
	t.Run("legacy", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			_, w := serve(t, publishing(changing), nil)
			w.shake("")
			w.talk("> " + call("1", protocol.MethodSubscriptionsListen) + "\n< " + refusal("1", "-32601"))
		})
	})
}

// TestPublish: a change is told to whom it matters, once for each subscription,
// with its id as it came (SU-02, SU-05, SU-08), and to legacy peers on their
// connection: all that have shaken hands for a list, those that have subscribed
// for a resource.
func TestPublish(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const updated = protocol.NotificationResourcesUpdated
		s, w := serve(t, publishing(changing), func(s *dispatch.Server) {
			s.Handle("resources/subscribe", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				uri, _ := r.Fact(codec.FactURI).Text()
				return append(dst, "{}"...), r.Peer().Subscribe(string(uri))
			})
			s.Handle("resources/unsubscribe", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				uri, _ := r.Fact(codec.FactURI).Text()
				r.Peer().Unsubscribe(string(uri))
				return append(dst, "{}"...), nil
			})
		})
		old, conn := newWire(t, nil)
		go func() { _ = s.Serve(context.Background(), conn) }()
		t.Cleanup(func() { _ = conn.Close() })
		publish := func(method, params string) {
			t.Helper()
			require.NoError(t, s.Publish(method, []byte(params)))
		}
		publish(protocol.NotificationToolsListChanged, "") // nobody wants it, one knows nothing yet
		old.shake("")
		w.send(listenFor("1", `{"toolsListChanged":true,"resourceSubscriptions":["file:///a/","x:y"]}`))
		w.send(listenFor(`"1"`, `{"toolsListChanged":true}`))
		require.ElementsMatch(t, []string{
			acknowledged("1", `{"toolsListChanged":true,"resourceSubscriptions":["file:///a/","x:y"]}`), acknowledged(`"1"`, `{"toolsListChanged":true}`),
		}, []string{w.next(), w.next()})
		synctest.Wait()
		require.Equal(t, 2, s.Stats().Listening)

		publish(protocol.NotificationToolsListChanged, "")
		both := []string{tagged("1", protocol.NotificationToolsListChanged, ""), tagged(`"1"`, protocol.NotificationToolsListChanged, "")}
		require.ElementsMatch(t, both, []string{w.next(), w.next()})
		old.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		publish(protocol.NotificationPromptsListChanged, " {} ")
		old.want(`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)

		subscribe := func(method, uri string) {
			old.send(`{"jsonrpc":"2.0","id":9,"method":"resources/` + method + `","params":{"uri":"` + uri + `"}}`)
			old.want(empty("9"))
		}
		subscribe("subscribe", "file:///a/b")
		for uri, who := range map[string][2]bool{ // the modern one, the legacy one
			"file:///a/b": {true, true}, "file:///a/b/c": {true, true}, "file:///a/": {true, false},
			"file:///a": {false, false}, "file:///ab": {false, false}, "x:y": {true, false}, "x:y/z": {true, false}, "": {false, false},
		} {
			publish(updated, `{"_meta":{"k":1},"uri":"`+uri+`"}`)
			if who[0] {
				w.want(`{"jsonrpc":"2.0","method":"` + updated + `","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1,"k":1},"uri":"` + uri + `"}}`)
			}
			if who[1] {
				old.want(`{"jsonrpc":"2.0","method":"` + updated + `","params":{"_meta":{"k":1},"uri":"` + uri + `"}}`)
			}
			w.silent()
			old.silent()
		}
		subscribe("unsubscribe", "file:///a/b")
		publish(updated, `{"uri":"file:///a/b"}`)
		w.want(tagged("1", updated, `,"uri":"file:///a/b"`))
		old.silent()

		w.send(cancel("1")) // its id is a number: the other one stays
		synctest.Wait()
		publish(protocol.NotificationToolsListChanged, "")
		w.want(tagged(`"1"`, protocol.NotificationToolsListChanged, ""))
		w.send(listenFor("1", `{}`))
		w.want(acknowledged("1", `{}`))
		w.silent()
		require.Equal(t, 2, s.Stats().Listening)
		_ = w.conn.Close()
		synctest.Wait()
		require.Zero(t, s.Stats().Listening)

		require.ErrorContains(t, s.Publish("acme/x", nil), "not published")
		require.ErrorContains(t, s.Publish(updated, []byte(`{}`)), "not published")
		require.ErrorContains(t, s.Publish(updated, []byte(`[]`)), "must be an object")
	})
}

// TestListenBuiltInEnds: a subscription without a handler takes no place, has no
// time limit, and ends in good order (SU-10, SU-11, SU-15); behind its result
// nothing comes, and before it all that was published.
func TestListenBuiltInEnds(t *testing.T) {
	for name, end := range map[string]func(*halfOpen){
		"end of stream": func(h *halfOpen) { h.closeWrite() },
		"Shutdown": func(h *halfOpen) {
			go func() { _ = h.served.Shutdown(context.Background()) }()
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := publishing(changing)
				o.Limits.MaxHandlersPerPeer, o.Limits.MaxListens = 1, 2
				h := newHalfOpen(t, o, nil)
				for _, id := range []string{"1", "2", "3"} {
					h.write(listenFor(id, `{"toolsListChanged":true}`) + "\n")
				}
				lines := make(chan []string, 1)
				go func() { lines <- h.rest() }()
				<-time.After(24 * time.Hour)
				stats := h.served.Stats()
				require.Equal(t, dispatch.Stats{Peers: 1, Listening: 2}, stats)
				require.NoError(t, h.served.Publish(protocol.NotificationToolsListChanged, nil))
				begun := time.Now()
				end(h)
				got := <-lines
				require.Zero(t, time.Since(begun))
				require.True(t, slices.ContainsFunc(got, func(line string) bool { return matches(refusal("3", "-32000"), line) }), got)
				for _, id := range []string{"1", "2"} {
					var own []string
					for _, line := range got {
						if strings.Contains(line, `Id":`+id) || strings.Contains(line, `"id":`+id) {
							own = append(own, line)
						}
					}
					require.Equal(t, []string{
						acknowledged(id, `{"toolsListChanged":true}`), tagged(id, protocol.NotificationToolsListChanged, ""), listenEnds(id), cancel(id),
					}, own)
				}
			})
		})
	}
}

// TestListenPushed: where messages are pushed, Receive returns at the end of the
// subscription, which comes with the exchange or with the session; no
// cancellation is sent (SU-06, SU-11).
func TestListenPushed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := push(t, publishing(changing), nil)
		ctx, leave := context.WithCancel(context.Background())
		first, second := &exchange{ctx: ctx}, &exchange{ctx: context.Background()}
		var all sync.WaitGroup
		all.Go(func() { p.postOn(first, 1, listenFor("1", `{"toolsListChanged":true}`)) })
		all.Go(func() { p.postOn(second, 2, listenFor("1", `{"toolsListChanged":true}`)) })
		synctest.Wait()
		require.NoError(t, p.srv.Publish(protocol.NotificationToolsListChanged, nil))
		synctest.Wait()
		leave()
		synctest.Wait()
		require.Equal(t, 1, p.srv.Stats().Listening)
		require.NoError(t, p.srv.Publish(protocol.NotificationToolsListChanged, nil))
		synctest.Wait()
		require.NoError(t, p.srv.Shutdown(context.Background()))
		all.Wait()
		change := tagged("1", protocol.NotificationToolsListChanged, "")
		require.Equal(t, []string{acknowledged("1", `{"toolsListChanged":true}`), change}, first.sent)
		require.Equal(t, []string{acknowledged("1", `{"toolsListChanged":true}`), change, change, listenEnds("1")}, second.sent)
		require.Empty(t, p.conn.stream.lines())
	})
}

// TestPublishToDeaf: one who does not read holds up nobody; what waits for him is
// bounded, and notices that say the same wait once.
func TestPublishToDeaf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, conn := newDeafWire(t, &transport.StreamOptions{Framing: framing.Options{MaxQueue: 1 << 10}})
		o := publishing(changing)
		o.Limits.MaxOutbox = 4
		s := serveConn(t, o, conn, nil)
		w.send(listenFor("1", `{"toolsListChanged":true,"resourceSubscriptions":["x:"]}`))
		synctest.Wait()
		for i := range 100 {
			require.NoError(t, s.Publish(protocol.NotificationResourcesUpdated, fmt.Appendf(nil, `{"uri":"x:/%d"}`, i)))
		}
		for range 100 {
			require.NoError(t, s.Publish(protocol.NotificationToolsListChanged, nil))
		}
		go w.listen()
		w.want(acknowledged("1", `{"toolsListChanged":true,"resourceSubscriptions":["x:"]}`))
		for i := range 3 {
			w.want(tagged("1", protocol.NotificationResourcesUpdated, fmt.Sprintf(`,"uri":"x:/%d"`, 97+i)))
		}
		w.want(tagged("1", protocol.NotificationToolsListChanged, ""))
		w.silent()
	})
}

// joinModern connects a client with a server in 2026-07-28.
func joinModern(t testing.TB, o, co dispatch.Options, server func(*dispatch.Server), client func(*dispatch.Mux)) *joined {
	t.Helper()
	near, far := transport.Pipe(nil)
	s := serveConn(t, &o, far, server)
	c, err := dispatch.Connect(t.Context(), to(near), &dispatch.ClientOptions{Options: co, Era: dispatch.EraModern, Handlers: client})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return &joined{server: s.Server, client: c}
}

// TestListen: a client is told of what it asked for, in both eras, by the
// handler it gave, and not after Close.
func TestListen(t *testing.T) {
	for _, era := range []protocol.Era{protocol.Modern, protocol.Legacy} {
		t.Run(era.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var got []string
				var subscribed []string
				note := func(by string) dispatch.NotificationHandler {
					return func(_ context.Context, n *dispatch.Notification) {
						<-time.After(10 * time.Millisecond) // what comes behind has to wait in the lane
						uri, _ := codec.Find(n.Params(), "uri")
						got = append(got, by+" "+strings.TrimPrefix(n.Method(), "notifications/")+" "+string(uri))
					}
				}
				register := func(s *dispatch.Server) {
					s.Handle("resources/*", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
						uri, _ := r.Fact(codec.FactURI).Text()
						subscribed = append(subscribed, strings.TrimPrefix(r.Method(), "resources/")+" "+string(uri))
						if r.Method() == protocol.MethodResourcesUnsubscribe {
							r.Peer().Unsubscribe(string(uri))
							return append(dst, "{}"...), nil
						}
						return append(dst, "{}"...), r.Peer().Subscribe(string(uri))
					})
				}
				handlers := func(m *dispatch.Mux) { m.HandleNotification("*", note("mux")) }
				o := *publishing(changing)
				var j *joined
				if era == protocol.Modern {
					j = joinModern(t, o, o, register, handlers)
				} else {
					j = join(t, dispatch.Options{Info: dispatch.Info{Name: "x", Capabilities: changing}}, register, handlers)
				}
				one, err := j.client.Listen(t.Context(), dispatch.Filter{ToolsListChanged: true, Resources: []string{"x:a", "x:b"}}, note("one"))
				require.NoError(t, err)
				require.Equal(t, dispatch.Filter{ToolsListChanged: true, Resources: []string{"x:a", "x:b"}}, one.Filter())
				two, err := j.client.Listen(t.Context(), dispatch.Filter{ToolsListChanged: true, Resources: []string{"x:b"}}, note("two"))
				require.NoError(t, err)
				none, err := j.client.Listen(t.Context(), dispatch.Filter{PromptsListChanged: true}, nil)
				require.NoError(t, err)
				publish := func(method, params string) []string {
					got = nil
					require.NoError(t, j.server.Publish(method, []byte(params)))
					<-time.After(time.Second)
					synctest.Wait()
					return got
				}
				require.ElementsMatch(t, []string{"one tools/list_changed ", "two tools/list_changed "}, publish(protocol.NotificationToolsListChanged, ""))
				require.ElementsMatch(t, []string{"one resources/updated \"x:b\"", "two resources/updated \"x:b\""}, publish(protocol.NotificationResourcesUpdated, `{"uri":"x:b"}`))
				require.Equal(t, []string{"one resources/updated \"x:a\""}, publish(protocol.NotificationResourcesUpdated, `{"uri":"x:a"}`))
				require.Equal(t, []string{"mux prompts/list_changed "}, publish(protocol.NotificationPromptsListChanged, ""))
				require.NoError(t, one.Err())
				one.Close()
				one.Close()
				require.NoError(t, one.Err())
				synctest.Wait()
				require.Equal(t, []string{"two tools/list_changed "}, publish(protocol.NotificationToolsListChanged, ""))
				require.Equal(t, []string{"two resources/updated \"x:b\""}, publish(protocol.NotificationResourcesUpdated, `{"uri":"x:b"}`))
				require.Empty(t, publish(protocol.NotificationResourcesUpdated, `{"uri":"x:a"}`))
				if era == protocol.Legacy {
					require.Equal(t, []string{"subscribe x:a", "subscribe x:b", "subscribe x:b", "unsubscribe x:a"}, subscribed)
				}
				none.Close()
				require.NoError(t, j.server.Shutdown(context.Background()))
				<-two.Done()
				if era == protocol.Modern {
					require.NoError(t, two.Err(), "the server ended it in good order")
				} else {
					require.Error(t, two.Err())
				}
			})
		})
	}
}

// TestListenFails: what can go wrong with a subscription, and how its end is told
// (SU-12, SU-16).
func TestListenFails(t *testing.T) {
	const discovered = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}`
	listen := func(t *testing.T, script func(*wire), ctx context.Context) (*dispatch.Client, *dispatch.Subscription, error) {
		w, conn := newWire(t, nil)
		go func() {
			w.want(`{"jsonrpc":"2.0","id":1,"method":"server/discover",…`)
			w.send(discovered)
			w.want(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{…"notifications":{"toolsListChanged":true}}}`)
			script(w)
		}()
		c, err := dispatch.Connect(t.Context(), to(conn), nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		s, err := c.Listen(ctx, dispatch.Filter{ToolsListChanged: true}, nil)
		return c, s, err
	}
	ack := acknowledged("2", `{"toolsListChanged":true}`)
	for name, tt := range map[string]struct {
		script func(*wire)
		opened bool
		check  func(*testing.T, error)
	}{
		"refused":        {func(w *wire) { w.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`) }, false, is(&codec.Error{Code: -32601})},
		"silent":         {func(w *wire) { w.want(`{…"notifications/cancelled","params":{"requestId":2,…`) }, false, is(dispatch.ErrTimeout)},
		"unacknowledged": {func(w *wire) { w.send(listenEnds("2")) }, false, tells("unacknowledged")},
		"graceful":       {func(w *wire) { w.send(ack, listenEnds("2"), cancel("2")) }, true, nil},
		"cancelled":      {func(w *wire) { w.send(ack, cancel("2"), listenEnds("2")) }, true, is(dispatch.ErrSubscriptionCancelled)},
		"error":          {func(w *wire) { w.send(ack, ack, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no"}}`) }, true, is(&codec.Error{Code: -32603})},
		"gone":           {func(w *wire) { w.send(ack); _ = w.conn.Close() }, true, tells("ended")},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, s, err := listen(t, tt.script, t.Context())
				if !tt.opened {
					require.Nil(t, s)
					tt.check(t, err)
					return
				}
				require.NoError(t, err)
				<-s.Done()
				if tt.check == nil {
					require.NoError(t, s.Err())
				} else {
					tt.check(t, s.Err())
				}
				s.Close()
			})
		})
	}
	t.Run("ctx", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			ctx, end := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
			defer end()
			_, _, err := listen(t, func(w *wire) { w.want(`{…"notifications/cancelled",…`) }, ctx)
			require.ErrorContains(t, err, "enough")
		})
	})
	t.Run("ends as soon as it is acknowledged", func(t *testing.T) {
		for range 20 { // a choice between two that are ready is a matter of luck
			bubble(t, func(t *testing.T) {
				_, s, err := listen(t, func(w *wire) { w.send(ack, listenEnds("2"), cancel("2")) }, late{t.Context()})
				require.NoError(t, err)
				<-s.Done()
				require.NoError(t, s.Err())
			})
		}
	})
	t.Run("ctx bounds the opening alone", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			_, s, err := listen(t, func(w *wire) { w.send(ack); w.want(`{…"notifications/cancelled",…`) }, ctx)
			require.NoError(t, err)
			end()
			<-time.After(time.Hour)
			require.NoError(t, s.Err())
			select {
			case <-s.Done():
				t.Fatal("over")
			default:
			}
			s.Close()
		})
	})
}

func is(want error) func(*testing.T, error) {
	return func(t *testing.T, err error) { t.Helper(); require.ErrorIs(t, err, want) }
}

func tells(want string) func(*testing.T, error) {
	return func(t *testing.T, err error) { t.Helper(); require.ErrorContains(t, err, want) }
}

// TestListenShared: on a connection that many clients share, as those of
// 2026-07-28 do over HTTP, the bounds of one peer are not those of all; nor can
// one client subscribe in the manner of the legacy era.
func TestListenShared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := publishing(changing)
		o.Limits.MaxListens = 1
		metrics := dispatch.NewMetrics(0)
		o.Observer = metrics
		s := dispatch.NewServer(o)
		s.Handle("tools/call", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
			require.Error(t, r.Peer().Subscribe("x:y"))
			return append(dst, "{}"...), nil
		})
		require.True(t, s.Serves([]byte(protocol.MethodSubscriptionsListen)))
		conn := &sharedConn{pushConn{stream: &exchange{ctx: context.Background()}}}
		p := &pushed{t: t, srv: s, to: s.Attach(conn)}
		ctx, leave := context.WithCancel(context.Background())
		var exchanges []*exchange
		var all sync.WaitGroup
		for i := range 3 {
			e := &exchange{ctx: ctx}
			exchanges = append(exchanges, e)
			all.Go(func() { p.postOn(e, transport.Scope(i+1), listenFor("1", `{"toolsListChanged":true}`)) })
		}
		synctest.Wait()
		require.Equal(t, 3, s.Stats().Listening)
		p.post(9, modern("1", "tools/call"))
		require.NoError(t, s.Publish(protocol.NotificationToolsListChanged, nil))
		<-time.After(time.Minute)
		leave()
		all.Wait()
		for _, e := range exchanges {
			require.Equal(t, []string{acknowledged("1", `{"toolsListChanged":true}`), tagged("1", protocol.NotificationToolsListChanged, "")}, e.sent)
		}
		require.Empty(t, conn.stream.lines(), "there is no stream of all clients")
		p.to.Detach(nil)
		require.NoError(t, s.Shutdown(context.Background()))
		counted := metrics.Snapshot()
		require.EqualValues(t, 3, counted.Served[protocol.MethodSubscriptionsListen].Count)
		require.EqualValues(t, 3, counted.Sent[protocol.NotificationToolsListChanged].Count)
	})
}

// late is a context whose end is looked for late.
type late struct{ context.Context }

func (l late) Done() <-chan struct{} {
	<-time.After(time.Second)
	return l.Context.Done()
}

// TestListenLegacyMute: a server that answers no more holds up neither Listen
// beyond its ctx, nor Close for each of many resources.
func TestListenLegacyMute(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var answers atomic.Int32
		answers.Store(3)
		o := dispatch.Options{Info: dispatch.Info{Name: "n", Version: "1", Capabilities: changing}}
		j := join(t, o, func(s *dispatch.Server) {
			s.Handle("resources/*", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				if answers.Add(-1) < 0 {
					<-ctx.Done()
				}
				return append(dst, "{}"...), ctx.Err()
			})
		}, nil)
		ignore := func(context.Context, *dispatch.Notification) {}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		_, err := j.client.Listen(ctx, dispatch.Filter{Resources: []string{"a", "b", "c", "d", "e"}}, ignore)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, time.Since(begun), 3*time.Second)
		synctest.Wait() // what the first Listen takes back has come
		answers.Store(3)
		s, err := j.client.Listen(t.Context(), dispatch.Filter{Resources: []string{"a", "b", "c"}}, ignore)
		require.NoError(t, err)
		begun = time.Now()
		s.Close()
		require.Less(t, time.Since(begun), dispatch.DefaultCallTimeout+2*time.Second)
	})
}
