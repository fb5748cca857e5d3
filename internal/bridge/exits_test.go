package bridge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// TestLostBack: the death of a back fails what runs, at once and with the hop
// (L1, D8 of the field); the next message opens another one, which gets the
// handshake of the session first (D10), and the client is told that the lists may
// be others.
func TestLostBack(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.session(front)
		front.send(request("1", "a", ""), request(`"2"`, "b", ""))
		back.want(request("2", "a", ""), request("3", "b", ""))
		back.send(request("1", "roots/list", ""))
		front.want(request("4", "roots/list", ""))
		require.NoError(t, back.conn.Close())
		lost := map[string]bool{front.next(): true, front.next(): true}
		for _, id := range []string{"1", `"2"`} {
			require.Contains(t, lost, failed(id, `{"code":-32000,"message":"pipe: the connection ended: outcome unknown","data":{"io.github.wirespool/hop":"pipe"}}`))
		}
		synctest.Wait()
		require.Zero(t, r.b.Backs())
		require.Equal(t, bridge.HopPipe, r.b.Err().Hop)

		front.send(result("4", `{"roots":[]}`), request("5", "c", ""), request("6", "d", ""))
		back = r.to.next()
		back.want(request("5", "initialize", hello))
		back.silent()
		back.send(result("5", welcome))
		back.want(notification("notifications/initialized", ""), request("6", "c", ""), request("7", "d", ""))
		front.want(notification("notifications/tools/list_changed", ""))
		back.send(result("7", "{}"), result("6", "{}"))
		front.want(result("6", "{}"), result("5", "{}"))
		require.Nil(t, r.b.Err())

		// A new one that is not like the old one cannot take its place.
		require.NoError(t, back.conn.Close())
		synctest.Wait()
		front.send(request("8", "e", ""))
		back = r.to.next()
		back.want(request("8", "initialize", hello))
		back.send(result("8", `{"protocolVersion":"2025-06-18","capabilities":{}}`))
		front.want(`{"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"pipe: the server refused the handshake: initialize: the server now speaks \"2025-06-18\" and spoke \"2025-11-25\" before",…}}`)
		back.ends()
	})
}

// dying is a back that ends as soon as something is sent to it.
type dying struct {
	transport.Conn
	end chan struct{}
	err error
}

// Dial waits until all that is on its way waits for the back.
func (d *dying) Dial(context.Context) (transport.Conn, error) {
	synctest.Wait()
	return d, nil
}

func (d *dying) Read(*transport.Inbound) error {
	<-d.end
	return d.err
}

// Send returns when the end of the back is known.
func (d *dying) Send(context.Context, *codec.Message) error {
	close(d.end)
	synctest.Wait()
	return nil
}

func (d *dying) Close() error { return nil }

// TestLostBetween: what comes too late for a back is told how that ended, not just
// that it has.
func TestLostBetween(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		exit := &stdio.ExitError{Command: "server", Err: errors.New("exit status 9")}
		r.b = bridge.New(&dying{end: make(chan struct{}), err: exit}, nil)
		front, _ := r.pipe()
		front.send(request("1", "initialize", hello), request("2", "tools/list", ""))
		front.want(
			failed("1", `{"code":-32000,"message":"child: stdio: server: exit status 9","data":{"io.github.wirespool/hop":"child"}}`),
			failed("2", `{"code":-32000,"message":"child: stdio: server: exit status 9","data":{"io.github.wirespool/hop":"child","io.github.wirespool/notRun":true}}`),
		)
	})
}

// TestNoBack: a back that cannot be opened, or dies or is silent while it is.
func TestNoBack(t *testing.T) {
	virtual(t, &bridge.Options{Over: bridge.HopHTTP}, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		for _, err := range []error{
			errNoBack,
			&stdio.ExitError{Command: "server", Stderr: "no\nlicence"},
			&streamhttp.StatusError{Status: 502, Method: "POST"},
			&codec.Error{Code: -32001, Message: "not now"},
		} {
			r.to.fail.Store(&err)
			front.send(request("1", "initialize", hello), notification("x", ""))
			line := front.next()
			switch {
			case err == errNoBack:
				like(t, failed("1", `{"code":-32000,"message":"http: no such thing","data":{"io.github.wirespool/hop":"http","io.github.wirespool/notRun":true}}`), line)
			case errors.As(err, new(*stdio.ExitError)):
				like(t, `{…"code":-32000,"message":"child: stdio: server: …","data":{"io.github.wirespool/hop":"child","io.github.wirespool/notRun":true}}}`, line)
			case errors.As(err, new(*streamhttp.StatusError)):
				like(t, `{…"code":-32000,"message":"http: …502…","data":{"io.github.wirespool/hop":"http","io.github.wirespool/httpStatus":502,"io.github.wirespool/notRun":true}}}`, line)
			default:
				like(t, `{…"code":-32000,"message":"remote: …not now","data":{"io.github.wirespool/hop":"remote","io.github.wirespool/notRun":true}}}`, line)
			}
			synctest.Wait()
		}
		r.to.fail.Store(nil)
		front.send(request("2", "initialize", hello))
		back := r.to.next()
		back.want("…")
		require.NoError(t, back.conn.Close()) // L2 of the field
		front.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,…}}`)
	})
}

// abortedDialer fails once, and then hangs until nobody wants its connection.
type abortedDialer struct{ failed bool }

func (d *abortedDialer) Dial(ctx context.Context) (transport.Conn, error) {
	if !d.failed {
		d.failed = true
		return nil, errNoBack
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// TestAbortedOpening: that a client leaves while its back is being opened is no failure
// of a back, and hides none.
func TestAbortedOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, b: bridge.New(&abortedDialer{}, &bridge.Options{Over: bridge.HopHTTP})}
		front, served := r.halfPipe()
		front.send(request("1", "initialize", hello))
		front.want(`{"jsonrpc":"2.0","id":1,"error":{…no such thing…}}`)
		synctest.Wait()
		front.send(notification("notifications/initialized", ""))
		front.closeWrite()
		require.NoError(t, <-served)
		require.NoError(t, r.b.Close())
		require.EqualError(t, r.b.Err(), "http: no such thing")
	})
}

// TestRefusedByHTTP: a JSON-RPC error in the body of a status that is no success
// keeps its code and its data, and names the hop like all others; one that answers
// a request passes as it is.
func TestRefusedByHTTP(t *testing.T) {
	rpc := func(code int64, message, data string) *codec.Error {
		e := &codec.Error{Code: code, Message: message, Remote: true}
		if data != "" {
			e.Data = codec.Value(data)
		}
		return e
	}
	const hop = `"io.github.wirespool/hop":"http","io.github.wirespool/httpStatus":`
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"401": {
			&streamhttp.StatusError{Method: "POST", Status: 401, RPC: rpc(-32000, "a bearer token is required", "")},
			`{"code":-32000,"message":"http: HTTP POST: status 401 Unauthorized: peer: -32000 (infrastructure): a bearer token is required",` +
				`"data":{` + hop + `401,"io.github.wirespool/notRun":true}}`,
		},
		"data": {
			&streamhttp.StatusError{Method: "POST", Status: 400, RPC: rpc(-32022, "no", `{"supported":["2025-06-18"],"io.github.wirespool/hop":"child"}`)},
			`{"code":-32022,"message":"http: …: no","data":{"supported":["2025-06-18"],` + hop + `400,"io.github.wirespool/notRun":true}}`,
		},
		"data that is no object": {
			fmt.Errorf("dial: %w", &streamhttp.StatusError{Method: "GET", Status: 400, RPC: rpc(-32600, "one Mcp-Session-Id header is required", `"x"`)}),
			`{"code":-32600,"message":"http: dial: …: one Mcp-Session-Id header is required","data":{` + hop + `400,"io.github.wirespool/notRun":true}}`,
		},
		"of a request before it": {
			fmt.Errorf("initialize: %w: %w", &streamhttp.StatusError{Method: "POST", Status: 500}, transport.ErrOutcomeUnknown),
			`{"code":-32000,"message":"http: initialize: HTTP POST: status 500 Internal Server Error","data":{` + hop + `500,"io.github.wirespool/notRun":true}}`,
		},
		"no refusal of HTTP": {rpc(-32001, "no", `{"a":1}`), `{"code":-32001,"message":"no","data":{"a":1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, &bridge.Options{Over: bridge.HopHTTP}, func(t *testing.T, r *rig) {
				front, _ := r.pipe()
				r.to.fail.Store(&tt.err)
				front.send(request("1", "initialize", hello))
				like(t, failed("1", tt.want), front.next())
			})
		})
	}
}

// failingConn is a back that fails what is sent to it, after the handshake.
type failingConn struct {
	transport.Conn
	err error
}

func (c failingConn) Send(ctx context.Context, m *codec.Message) error {
	if string(m.Method) == "tools/call" {
		return c.err
	}
	return c.Conn.Send(ctx, m)
}

type failingDialer struct {
	*backs
	err error
}

func (d failingDialer) Dial(ctx context.Context) (transport.Conn, error) {
	c, err := d.backs.Dial(ctx)
	return failingConn{c, d.err}, err
}

// TestOutcome: a request that the server refused was not run; one whose answer could
// not be fetched may have been, whatever was said to who came for it (L10 of the
// field).
func TestOutcome(t *testing.T) {
	refused := &streamhttp.StatusError{Method: "GET", Status: 405}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"refused": {refused, `{"code":-32000,"message":"http: HTTP GET: status 405 Method Not Allowed",` +
			`"data":{"io.github.wirespool/hop":"http","io.github.wirespool/httpStatus":405,"io.github.wirespool/notRun":true}}`},
		"unknown": {
			fmt.Errorf("%w: %w: %w", streamhttp.ErrStreamEnded, refused, transport.ErrOutcomeUnknown),
			`{"code":-32000,"message":"http: …: HTTP GET: status 405 Method Not Allowed: outcome unknown",` +
				`"data":{"io.github.wirespool/hop":"http","io.github.wirespool/httpStatus":405}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := failingDialer{newBacks(t), tt.err}
				r := &rig{t: t, to: d.backs, b: bridge.New(d, &bridge.Options{Over: bridge.HopHTTP})}
				front, _ := r.pipe()
				r.session(front)
				front.send(request("2", "tools/call", `{"name":"x"}`))
				front.want(failed("2", tt.want))
				synctest.Wait()
				require.NotNil(t, r.b.Err(), "it is the back that failed")
				require.ErrorIs(t, r.b.Err(), tt.err)
				require.NoError(t, r.b.Close())
			})
		})
	}
}

// TestAnsweredWithoutID: an error without an id that comes as the answer to a POST is
// one, and no failure of the way there (N11 of the field).
func TestAnsweredWithoutID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch text := string(body); {
			case r.Method != http.MethodPost:
				w.WriteHeader(http.StatusMethodNotAllowed)
			case strings.Contains(text, `"initialize"`):
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, result("1", welcome))
			case strings.Contains(text, `"a"`):
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-5,"message":"no"}}`)
			default:
				w.WriteHeader(http.StatusAccepted)
			}
		}), nil)
		defer s.Close()
		r := &rig{t: t, b: bridge.New(streamhttp.URL(s.URL(), &streamhttp.ClientOptions{Transport: s.Client().Transport}), &bridge.Options{Over: bridge.HopHTTP})}
		front, _ := r.pipe()
		front.send(request(`"init"`, "initialize", hello))
		front.want(result(`"init"`, welcome))
		front.send(request("2", "a", ""))
		front.want(failed("2", `{"code":-5,"message":"no"}`))
		require.Nil(t, r.b.Err())
		require.NoError(t, r.b.Close())
	})
}

// TestAdvice: what can be done about an error is said with it, once.
func TestAdvice(t *testing.T) {
	o := &bridge.Options{Over: bridge.HopHTTP, Advice: func(err error) string {
		if errors.Is(err, errNoBack) {
			return "try another"
		}
		return ""
	}}
	virtual(t, o, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		r.to.fail.Store(&errNoBack)
		front.send(request("1", "initialize", hello))
		like(t, `{…"message":"http: no such thing (try another)",…}`, front.next())
		synctest.Wait()
		require.EqualError(t, r.b.Err(), "http: no such thing (try another)")
		other := errors.New("other")
		r.to.fail.Store(&other)
		front.send(request("2", "initialize", hello))
		like(t, `{…"message":"http: other",…}`, front.next())
	})
}

// TestModernBackDies: a server that dies of the question for its era is started
// once more and asked nothing (VN-25).
func TestModernBackDies(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		front.send(request("1", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`))
		back := r.to.next()
		back.want(`{…"method":"server/discover",…}`)
		require.NoError(t, back.conn.Close())
		back = r.to.next()
		front.silent()
		back.want(`{…"method":"initialize",…}`)
		require.NoError(t, back.conn.Close())
		front.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"pipe: the connection ended","data":{"io.github.wirespool/hop":"pipe","io.github.wirespool/notRun":true}}}`)
		require.Empty(t, r.to.peers)
	})
}

// TestEnds: whatever ends, the backs behind it do (L3 of the field).
func TestEnds(t *testing.T) {
	for name, end := range map[string]func(r *rig, h *streamhttp.Handler, c *client){
		"delete":   func(_ *rig, _ *streamhttp.Handler, c *client) { c.do(context.Background(), http.MethodDelete, "") },
		"idle":     func(*rig, *streamhttp.Handler, *client) { <-time.After(time.Hour) },
		"handler":  func(_ *rig, h *streamhttp.Handler, _ *client) { _ = h.Close() },
		"shutdown": func(_ *rig, h *streamhttp.Handler, _ *client) { _ = h.Shutdown(context.Background()) },
		"bridge":   func(r *rig, _ *streamhttp.Handler, _ *client) { _ = r.b.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, nil, func(t *testing.T, r *rig) {
				h := streamhttp.NewHandler(r.b, nil)
				s := serveMem(t, h)
				c, back := r.webSession(s)
				end(r, h, c)
				back.ends()
				synctest.Wait()
				require.Zero(t, r.b.Backs())
			})
		})
	}
	t.Run("refused initialize", func(t *testing.T) {
		virtual(t, nil, func(t *testing.T, r *rig) {
			c := r.client(r.web(nil))
			got := c.start(request("1", "initialize", hello))
			back := r.to.next()
			back.want(request("1", "initialize", hello))
			back.send(failed("1", `{"code":-32602,"message":"no"}`))
			back.want(`{…"method":"server/discover",…}`)
			back.send(failed("2", `{"code":-32601,"message":"what?"}`))
			require.Equal(t, failed("1", `{"code":-32602,"message":"no"}`), (<-got).text())
			back.ends()
		})
	})
	t.Run("context", func(t *testing.T) {
		virtual(t, nil, func(t *testing.T, r *rig) {
			near, far := net.Pipe()
			ctx, cancel := context.WithCancel(t.Context())
			served := make(chan error, 1)
			go func() { served <- r.b.Serve(ctx, transport.Stream(near, 0, nil)) }()
			front := newPeer(t, far)
			back := r.session(front)
			cancel()
			require.Error(t, <-served)
			back.ends()
		})
	})
	t.Run("closed before", func(t *testing.T) {
		virtual(t, nil, func(t *testing.T, r *rig) {
			require.NoError(t, r.b.Close())
			front, _ := r.pipe()
			front.send(request("1", "initialize", hello))
			front.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"bridge: …the bridge was closed",…}}`)
		})
	})
}

// TestLimits: what one client can make the bridge hold.
func TestLimits(t *testing.T) {
	virtual(t, &bridge.Options{Limits: bridge.Limits{MaxCalls: 2, MaxWaiting: 1, MaxHeld: 1, Hold: -1, MaxMail: 3}}, func(t *testing.T, r *rig) {
		s := r.web(nil)
		c, back := r.webSession(s)
		one := c.start(request("1", "a", ""))
		back.want("…") // one after the other: there may still be something that waits for initialize to be over
		two := c.start(request("2", "a", ""))
		back.want("…")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("a request over the limit is not refused"))
		defer cancel()
		require.Contains(t, c.do(ctx, "POST", request("3", "a", "")).text(), "bridge: the limit of 2 requests that run is reached")
		back.send(result("2", "{}"), result("3", "{}"))
		<-one
		<-two
		back.send(request("1", "roots/list", ""), request("2", "roots/list", ""))
		back.want(`{"jsonrpc":"2.0","id":2,"error":…}`)
		back.silent()
	})
}

// TestRealChild: a process that dies names its status, and what it said last where
// the client may know that.
func TestRealChild(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	for tell, want := range map[bool]string{
		true:  `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"child: stdio: sh: exit status 3; stderr: \"no licence\"","data":{"io.github.wirespool/hop":"child","io.github.wirespool/exitStatus":3,"io.github.wirespool/stderr":"no licence"}}}`,
		false: `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"child: stdio: sh: exit status 3","data":{"io.github.wirespool/hop":"child","io.github.wirespool/exitStatus":3}}}`,
	} {
		var log bytes.Buffer
		realChild(t, &bridge.Options{Over: bridge.HopChild, Stderr: tell, Logger: slog.New(slog.NewTextHandler(&log, nil))}, want)
		require.Contains(t, log.String(), "no licence")
	}
}

// realChild has a client of a child that dies get an answer.
func realChild(t *testing.T, o *bridge.Options, want string) {
	b := bridge.New(stdio.Command([]string{"sh", "-c", `read line; echo "no licence" >&2; exit 3`}, nil), o)
	defer func() { require.NoError(t, b.Close()) }()
	near, far := net.Pipe()
	go func() { _ = b.Serve(t.Context(), transport.Stream(near, 0, nil)) }()
	front := newPeer(t, far)
	front.send(request("1", "initialize", hello))
	like(t, want, <-front.lines)
	require.Equal(t, fmt.Sprint(bridge.HopChild), string(b.Err().Hop))
}

// slowConn is a back that takes its time to accept requests, as HTTP+SSE may.
type slowConn struct {
	transport.Conn
	accept chan struct{}
}

func (c slowConn) Send(ctx context.Context, m *codec.Message) error {
	if m.Kind == codec.Request && string(m.Method) == "slow" {
		select {
		case <-c.accept:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return c.Conn.Send(ctx, m)
}

type slowDialer struct {
	*backs
	accept chan struct{}
}

func (d slowDialer) Dial(ctx context.Context) (transport.Conn, error) {
	c, err := d.backs.Dial(ctx)
	return slowConn{c, d.accept}, err
}

// TestSlowToAccept: a request that the back is slow to accept keeps nothing else
// from passing, its own cancellation included (D16 of the field).
func TestSlowToAccept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := slowDialer{newBacks(t), make(chan struct{}, 1)}
		r := &rig{t: t, to: d.backs, b: bridge.New(d, &bridge.Options{Over: bridge.HopHTTP})}
		defer func() { require.NoError(t, r.b.Close()) }()
		front, _ := r.pipe()
		back := r.session(front)
		front.send(request("1", "slow", ""), request("2", "ping", ""))
		back.want(request("3", "ping", ""))
		back.send(result("3", "{}"), request(`"s"`, "roots/list", ""))
		front.want(result("2", "{}"), request("4", "roots/list", ""))
		front.send(result("4", `{"roots":[]}`))
		back.want(result(`"s"`, `{"roots":[]}`))
		front.send(notification("notifications/cancelled", `{"requestId":1}`))
		back.want(notification("notifications/cancelled", `{"requestId":2}`))
		d.accept <- struct{}{}
		back.want(request("2", "slow", ""), notification("notifications/cancelled", `{"requestId":2,"reason":"cancelled"}`))
		front.silent()
	})
}

// TestDrainTakesAnswers: what runs on a connection that is read goes on to its end, with what it
// asks and what it is answered, and what comes new is refused.
func TestDrainTakesAnswers(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		const old = `{"protocolVersion":"2025-03-26","capabilities":{}}` // it has arrays
		front.send(request("0", "initialize", old))
		back := r.to.next()
		back.want(request("1", "initialize", old))
		back.send(result("1", old))
		front.want(result("0", old))
		front.send(request("1", "a", ""))
		back.want(request("2", "a", ""))
		drained := make(chan struct{})
		go func() {
			r.b.Drain(t.Context())
			close(drained)
		}()
		front.silent()
		back.send(request("1", "roots/list", ""))
		front.want(request("3", "roots/list", ""))
		const refused = `{"code":-32000,"message":"bridge: shutting down","data":{"io.github.wirespool/hop":"bridge","io.github.wirespool/notRun":true}}`
		front.send(request("2", "b", ""), "["+request("3", "b", "")+","+request("4", "b", "")+"]")
		front.want(failed("2", refused), "["+failed("3", refused)+","+failed("4", refused)+"]")
		front.send(notification("n", ""), "["+notification("m", "")+","+request("5", "b", "")+"]", "["+result("3", `{"roots":[]}`)+"]")
		back.want(notification("n", ""), notification("m", ""))
		front.want("[" + failed("5", refused) + "]")
		back.want(result("1", `{"roots":[]}`))
		back.silent()
		back.send(result("2", "{}"))
		front.want(result("1", "{}"))
		<-drained
	})
}
