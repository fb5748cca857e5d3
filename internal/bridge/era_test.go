package bridge_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
)

const (
	asksEra   = `{"jsonrpc":"2.0","id":%d,"method":"server/discover","params":{…}}`
	noSession = `{"code":-32600,"message":"no session"}`
	notSpoken = `{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}`
	onceMore  = `{"code":-32000,"message":"remote: the server now %s, and refused the request: it may be sent again","data":{"io.github.wirespool/hop":"remote","io.github.wirespool/notRun":true}}`
	nobody    = `{"code":-32000,"message":"http: the server now %s: outcome unknown","data":{"io.github.wirespool/hop":"http"}}`
	nowModern = "speaks 2026-07-28"
	nowLegacy = "wants initialize"
)

var overHTTP = &bridge.Options{Over: bridge.HopHTTP}

// TestEraChange: a server that is replaced by one of the other era between two
// requests is spoken to as that wants, there and back, and told what the session had
// told the other one (14.2 of the matrix).
func TestEraChange(t *testing.T) {
	virtual(t, overHTTP, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.session(front)
		front.send(request("1", "logging/setLevel", `{"level":"error"}`))
		back.want(request("2", "logging/setLevel", `{"level":"error"}`))
		back.send(result("2", "{}"))
		front.want(result("1", "{}"))
		front.send(request("2", "resources/subscribe", `{"uri":"a://b"}`))
		back.want(request("3", "resources/subscribe", `{"uri":"a://b"}`))
		back.send(result("3", "{}"))
		front.want(result("2", "{}"))

		// Three calls meet it, of which one is cancelled before it is known what it
		// means; a fourth is not answered.
		for i := range 4 {
			front.send(request(fmt.Sprint(i+3), "tools/call", `{"name":"x"}`))
			back.want(request(fmt.Sprint(i+4), "tools/call", `{"name":"x"}`))
		}
		back.send(failed("4", notSpoken), failed("5", `{"code":-32020,"message":"no"}`), failed("6", notSpoken))
		probe := r.to.next()
		probe.want(fmt.Sprintf(asksEra, 8))
		front.silent()
		front.send(notification("notifications/cancelled", `{"requestId":5}`))
		back.want(notification("notifications/cancelled", `{"requestId":6}`))
		probe.send(result("8", discovered))
		front.wantAll(failed("3", fmt.Sprintf(onceMore, nowModern)), failed("4", fmt.Sprintf(onceMore, nowModern)), failed("6", fmt.Sprintf(nobody, nowModern)))
		probe.ends()
		back.ends()
		back = r.to.next()
		back.want(fmt.Sprintf(asksEra, 9))
		front.send(request("7", "tools/call", `{"name":"x"}`))
		back.silent()
		back.send(result("9", discovered))
		const error26 = about + `,"io.modelcontextprotocol/logLevel":"error"`
		back.wantAll(`{"jsonrpc":"2.0","id":…,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a://b"]},"_meta":{`+error26+`}}}`,
			`{"jsonrpc":"2.0","id":…,"method":"tools/call","params":{"name":"x","_meta":{`+error26+`}}}`)
		front.want(notification("notifications/tools/list_changed", ""))
		front.send(request("8", "ping", ""))
		front.want(result("8", "{}"))

		// And back.
		<-time.After(time.Minute)
		front.send(request("9", "tools/list", ""))
		back.want(`{"jsonrpc":"2.0","id":13,"method":"tools/list",…}`)
		back.send(failed("13", noSession))
		probe = r.to.next()
		probe.want(fmt.Sprintf(asksEra, 14))
		probe.send(failed("14", `{"code":-32601,"message":"no"}`))
		front.wantAll(failed("9", fmt.Sprintf(onceMore, nowLegacy)), failed("7", fmt.Sprintf(nobody, nowLegacy)))
		back = r.to.next()
		back.want(request("15", "initialize", hello))
		back.send(result("15", welcome))
		back.want(notification("notifications/initialized", ""), request("16", "logging/setLevel", `{"level":"error"}`), request("17", "resources/subscribe", `{"uri":"a://b"}`))
		front.want(notification("notifications/tools/list_changed", ""))
		back.send(result("16", "{}"), result("17", "{}"))
		front.send(request("10", "tools/list", ""))
		back.want(request("18", "tools/list", ""))
		back.send(result("18", `{"tools":[]}`))
		front.want(result("10", `{"tools":[]}`))
		<-time.After(time.Minute)
		back.silent() // the listener has ended
	})
}

// TestEraChangeShared: the same for clients of 2026-07-28.
func TestEraChangeShared(t *testing.T) {
	virtual(t, overHTTP, func(t *testing.T, r *rig) {
		c := r.client(r.web(nil))
		list := func() <-chan *response {
			got := make(chan *response, 1)
			go func() { got <- c.modern(context.Background(), "1", "tools/list", "", "{"+meta("{}")+"}") }()
			return got
		}
		got := list()
		back := r.to.next()
		back.want(fmt.Sprintf(asksEra, 1))
		back.send(result("1", discovered))
		back.want(request("2", "tools/list", "{"+meta("{}")+"}"))
		back.send(failed("2", noSession))
		probe := r.to.next()
		probe.want(fmt.Sprintf(asksEra, 3))
		probe.send(failed("3", noSession))
		require.Equal(t, failed("1", fmt.Sprintf(onceMore, nowLegacy)), (<-got).text())
		back.ends()
		back = r.to.next()
		back.want(`{"jsonrpc":"2.0","id":4,"method":"initialize",…}`)
		back.send(result("4", welcome))
		back.want(notification("notifications/initialized", ""))
		got = list()
		back.want(request("5", "tools/list", "{}"))
		back.send(result("5", `{"tools":[]}`))
		require.Contains(t, (<-got).text(), `"result":{"tools":[],"resultType":"complete"`)

		<-time.After(time.Minute)
		got = list()
		back.want(request("6", "tools/list", "{}"))
		back.send(failed("6", notSpoken))
		probe = r.to.next()
		probe.want(fmt.Sprintf(asksEra, 7))
		probe.send(result("7", discovered))
		require.Equal(t, failed("1", fmt.Sprintf(onceMore, nowModern)), (<-got).text())
		back = r.to.next()
		back.want(fmt.Sprintf(asksEra, 8))
		back.send(result("8", discovered))
		got = list()
		back.want(request("9", "tools/list", "{"+meta("{}")+"}"))
		back.send(result("9", `{"tools":[]}`))
		require.Equal(t, result("1", `{"tools":[]}`), (<-got).text())
	})
}

// TestEraKept: an answer that only looks like one of the other era goes through, and
// so do those behind it: the server is asked once in a while, and none that does not
// answer is given up.
func TestEraKept(t *testing.T) {
	for name, answers := range map[string][]string{
		"legacy":     {failed("3", `{"code":-32601,"message":"no"}`)},
		"no verdict": {failed("3", `{"code":-32603,"message":"busy"}`)},
		"silent":     nil,
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, overHTTP, func(t *testing.T, r *rig) {
				front, _ := r.pipe()
				back := r.session(front)
				front.send(request("1", "a", ""))
				back.want(request("2", "a", ""))
				back.send(failed("2", notSpoken))
				probe := r.to.next()
				probe.want(fmt.Sprintf(asksEra, 3))
				probe.send(answers...)
				front.want(failed("1", notSpoken))
				probe.ends()
				front.send(request("2", "a", ""))
				back.want(request("4", "a", ""))
				back.send(failed("4", notSpoken))
				front.want(failed("2", notSpoken))
				<-time.After(11 * time.Second)
				front.send(request("3", "a", ""))
				back.want(request("5", "a", ""))
				back.send(failed("5", notSpoken))
				r.to.next().want(fmt.Sprintf(asksEra, 6))
			})
		})
	}

	// The server of a stream is what it was.
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.session(front)
		front.send(request("1", "a", ""))
		back.want(request("2", "a", ""))
		back.send(failed("2", notSpoken))
		front.want(failed("1", notSpoken))
		require.Empty(t, r.to.peers)
	})
}

// TestEraOfAnother: a back that is lost may be followed by one of the other era.
func TestEraOfAnother(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.session(front)
		again := func() {
			require.NoError(t, back.conn.Close())
			back.ends()
			front.send(request("1", "tools/list", ""))
			back = r.to.next()
		}
		again()
		back.want(request("2", "initialize", hello))
		back.send(failed("2", notSpoken))
		back.want(fmt.Sprintf(asksEra, 3))
		back.send(result("3", discovered))
		back.wantAll(`{…"subscriptions/listen"…}`, `{…"method":"tools/list","params":{"_meta":{`+about+`}}}`)
		front.want(notification("notifications/tools/list_changed", ""))
		again()
		front.want(`{"jsonrpc":"2.0","id":1,"error":…`)
		back.want(fmt.Sprintf(asksEra, 6))
		back.send(failed("6", noSession))
		back.want(request("7", "initialize", hello))
		back.send(result("7", welcome))
		back.want(notification("notifications/initialized", ""), request("8", "tools/list", ""))
	})
}

// TestEraChangeOverHTTP: the engine's own servers take each other's place behind one
// URL: one call is refused, the next ones pass.
func TestEraChangeOverHTTP(t *testing.T) {
	for _, client := range []protocol.Revision{protocol.V20251125, protocol.NewestModern} {
		for _, server := range []protocol.Revision{protocol.V20251125, protocol.NewestModern} {
			t.Run(fmt.Sprintf("%s, server begins with %s", client, server), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { replaced(t, client, server) })
			})
		}
	}
}

func replaced(t *testing.T, client, first protocol.Revision) {
	handlers := map[protocol.Revision]*streamhttp.Handler{}
	for _, v := range []protocol.Revision{protocol.V20251125, protocol.NewestModern} {
		s := testServer(v)
		h := streamhttp.NewHandler(s, nil)
		handlers[v] = h
		defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
		defer func() { _ = h.Close() }()
	}
	var now atomic.Pointer[streamhttp.Handler]
	now.Store(handlers[first])
	web := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) }), nil)
	defer web.Close()
	var b *bridge.Bridge
	b = bridge.New(streamhttp.URL(web.URL(), &streamhttp.ClientOptions{Transport: web.Client().Transport, Renewed: func() { b.Renewed() }}), overHTTP)
	defer func() { require.NoError(t, b.Close()) }()
	c, err := dispatch.Connect(t.Context(), bridgePipe{b}, &dispatch.ClientOptions{
		Options: dispatch.Options{Info: dispatch.Info{Name: "c", Version: "1", Versions: []protocol.Revision{client}}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	call := func() error {
		res, err := c.CallRaw(t.Context(), protocol.MethodToolsCall, []byte(`{"name":"echo","arguments":{"n":1}}`))
		if err == nil {
			require.Contains(t, string(res.Value()), `"n":1`)
			res.Release()
		}
		return err
	}
	require.NoError(t, call())
	for range 2 {
		for _, h := range handlers {
			if now.Swap(h) == h {
				continue
			}
			e, ok := call().(*codec.Error)
			require.True(t, ok, "nothing has changed")
			require.Contains(t, string(e.Data), protocol.DataNotRun)
			require.NoError(t, call())
			require.NoError(t, call())
			require.Nil(t, b.Err())
			<-time.After(time.Minute)
		}
	}
}

// TestEraKeptByStatus: a server that does not know the question for its era, and says
// so by a status, has not failed.
func TestEraKeptByStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testServer(protocol.V20251125)
		h := streamhttp.NewHandler(s, nil)
		defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
		defer func() { _ = h.Close() }()
		web := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			if strings.Contains(string(text), "server/discover") {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			if strings.Contains(string(text), "tools/call") {
				var m codec.Message
				_ = codec.Decode(text, &m)
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"error":{"code":-32022,"message":"x"}}`))
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(text))
			h.ServeHTTP(w, r)
		}), nil)
		defer web.Close()
		b := bridge.New(streamhttp.URL(web.URL(), &streamhttp.ClientOptions{Transport: web.Client().Transport}), overHTTP)
		defer func() { require.NoError(t, b.Close()) }()
		c, err := dispatch.Connect(t.Context(), bridgePipe{b}, &dispatch.ClientOptions{
			Options: dispatch.Options{Info: dispatch.Info{Name: "c", Version: "1", Versions: []protocol.Revision{protocol.V20251125}}},
		})
		require.NoError(t, err)
		defer func() { require.NoError(t, c.Close()) }()
		_, err = c.CallRaw(t.Context(), protocol.MethodToolsCall, []byte(`{"name":"echo","arguments":{"n":1}}`))
		require.ErrorContains(t, err, "x")
		synctest.Wait()
		require.Nil(t, b.Err())
	})
}

// TestUnwelcome: a server that answers initialize in a revision which it refuses from
// then on, as go-sdk's does where it is restricted to 2026-07-28, is spoken to in
// that, whether its client waits for the answer or not; one that refuses the
// notification alone is not, nor is anything else lost.
func TestUnwelcome(t *testing.T) {
	for name, tt := range map[string]struct {
		modern, pipelined bool
	}{
		"2026-07-28":                  {true, false},
		"2026-07-28, pipelined":       {true, true},
		"the notification":            {false, false},
		"the notification, pipelined": {false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var discovers atomic.Int32
				version := protocol.V20251125
				if tt.modern {
					version = protocol.NewestModern
				}
				s := testServer(version)
				h := streamhttp.NewHandler(s, nil)
				defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
				defer func() { _ = h.Close() }()
				web := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					text, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(bytes.NewReader(text))
					var m codec.Message
					_ = codec.Decode(text, &m)
					switch method := string(m.Method); {
					case method == protocol.MethodServerDiscover:
						discovers.Add(1)
					case method == protocol.MethodInitialize && tt.modern:
						w.Header().Set("Content-Type", "application/json")
						_, _ = io.WriteString(w, result(m.ID.String(), welcome))
						return
					case method == protocol.NotificationInitialized,
						tt.modern && r.Header.Get(protocol.HeaderProtocolVersion) != string(protocol.NewestModern):
						http.Error(w, "Bad Request: Unsupported protocol version (supported versions: 2026-07-28)", http.StatusBadRequest)
						return
					}
					h.ServeHTTP(w, r)
				}), nil)
				defer web.Close()
				r := &rig{t: t}
				r.b = bridge.New(streamhttp.URL(web.URL(), &streamhttp.ClientOptions{Transport: web.Client().Transport}), overHTTP)
				defer func() { require.NoError(t, r.b.Close()) }()
				front, _ := r.pipe()
				front.send(request("1", "initialize", hello))
				if !tt.pipelined {
					like(t, `{"jsonrpc":"2.0","id":1,"result":{…}}`, front.next())
				}
				front.send(notification("notifications/initialized", ""))
				for id := range 3 {
					front.send(request(fmt.Sprint(id+2), "tools/call", `{"name":"echo","arguments":{"n":1}}`))
				}
				if tt.pipelined {
					like(t, `{"jsonrpc":"2.0","id":1,"result":{…}}`, front.next())
				}
				if tt.modern {
					front.want(notification("notifications/tools/list_changed", ""))
				}
				var all []string
				for id := range 3 {
					all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{…"arguments":{"n":1}}}`, id+2))
				}
				front.wantAll(all...)
				require.Positive(t, discovers.Load())
				require.Nil(t, r.b.Err())
			})
		})
	}
}
