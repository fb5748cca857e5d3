package sse_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/transport"
)

const (
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	ping  = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
)

var info = dispatch.Info{Name: "s", Version: "1", Capabilities: []byte(`{"tools":{}}`)}

// host is a served engine.
type host struct {
	*memhttp.Server
	t       testing.TB
	handler *sse.Handler
	engine  *dispatch.Server
}

func serve(t testing.TB, o *sse.Options, register func(*dispatch.Server)) *host {
	t.Helper()
	engine := dispatch.NewServer(&dispatch.Options{Info: info})
	if register != nil {
		register(engine)
	}
	handler, err := sse.NewHandler(engine, o)
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/sse", handler)
	mux.Handle("/under/", http.StripPrefix("/under", handler))
	return &host{memhttp.Start(mux, nil), t, handler, engine}
}

// stop ends everything, so that a bubble sees what is left.
func (h *host) stop() {
	h.t.Helper()
	require.NoError(h.t, h.engine.Shutdown(context.Background()))
	require.NoError(h.t, h.handler.Close())
	h.Close()
}

func (h *host) dialer(o *sse.ClientOptions) transport.Dialer {
	if o == nil {
		o = &sse.ClientOptions{}
	}
	o.Transport = h.Client().Transport
	return sse.URL(h.URL()+"/sse", o)
}

// stream is a connection as a raw client sees it.
type stream struct {
	*bufio.Reader
	resp *http.Response
	post string
}

func (h *host) open(path string) *stream {
	h.t.Helper()
	resp, err := h.Client().Get(h.URL() + path)
	require.NoError(h.t, err)
	require.Equal(h.t, http.StatusOK, resp.StatusCode)
	require.Equal(h.t, "text/event-stream", resp.Header.Get("Content-Type"))
	require.Equal(h.t, "no", resp.Header.Get("X-Accel-Buffering"))
	s := &stream{bufio.NewReader(resp.Body), resp, ""}
	first := s.event()
	require.True(h.t, strings.HasPrefix(first, "event: endpoint\ndata: "), "HS-02: %q", first)
	s.post = h.URL() + strings.TrimSpace(strings.TrimPrefix(first, "event: endpoint\ndata: "))
	return s
}

// event reads up to the next blank line; "" at the end of the stream.
func (s *stream) event() string {
	var text strings.Builder
	for {
		line, err := s.ReadString('\n')
		if err != nil {
			return ""
		}
		if line == "\n" {
			return text.String()
		}
		text.WriteString(line)
	}
}

func (h *host) send(method, url, contentType, body string) (int, string) {
	h.t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	require.NoError(h.t, err)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := h.Client().Do(req)
	require.NoError(h.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(h.t, err)
	return resp.StatusCode, string(text)
}

// TestWire is the transport byte by byte (HS-01 to HS-05): endpoint first,
// answers on the stream, 202 for what was taken.
func TestWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, nil, nil)
		s := h.open("/sse")
		for _, text := range []string{hello, ready, ping, `[` + ping + `]`} {
			status, body := h.send("POST", s.post, "application/json; charset=utf-8", text)
			require.Equal(t, http.StatusAccepted, status)
			require.Empty(t, body)
		}
		require.Contains(t, s.event(), "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2024-11-05\"")
		require.Equal(t, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", s.event())
		require.Equal(t, "event: message\ndata: [{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]\n", s.event())
		require.NoError(t, s.resp.Body.Close())
		synctest.Wait()
		status, _ := h.send("POST", s.post, "application/json", ping)
		require.Equal(t, http.StatusNotFound, status, "a session ends with its stream (HS-07)")
		h.stop()
	})
}

// TestRefused: each refusal has its status and a JSON-RPC error, and harms
// nobody else (HS-05, HS-09, J3).
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, &sse.Options{Limits: sse.Limits{MaxBody: 200}}, nil)
		s := h.open("/sse")
		at := h.URL() + "/sse"
		for _, c := range []struct {
			name, method, url, contentType, body string
			status                               int
			code                                 float64
		}{
			{"no session", "POST", at, "application/json", ping, 400, -32600},
			{"unknown session", "POST", at + "?sessionId=x", "application/json", ping, 404, -32000},
			{"no JSON", "POST", s.post, "application/json", "{oops", 400, -32700},
			{"empty", "POST", s.post, "application/json", "", 400, -32700},
			{"text", "POST", s.post, "text/plain", ping, 415, -32600},
			{"no type", "POST", s.post, "", ping, 415, -32600},
			{"too long", "POST", s.post, "application/json", `"` + strings.Repeat("x", 300) + `"`, 413, -32600},
			{"DELETE", "DELETE", s.post, "", "", 405, -32600},
		} {
			status, body := h.send(c.method, c.url, c.contentType, c.body)
			require.Equal(t, c.status, status, c.name)
			var answer struct {
				JSONRPC string
				ID      any
				Error   struct{ Code float64 }
			}
			require.NoError(t, json.Unmarshal([]byte(body), &answer), c.name)
			require.Equal(t, c.code, answer.Error.Code, c.name)
		}
		for name, change := range map[string]func(*http.Request){
			"Origin": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
			"Host":   func(r *http.Request) { r.Host = "evil.example" },
		} {
			for _, method := range []string{"GET", "POST"} {
				req, err := http.NewRequest(method, s.post, strings.NewReader(ping))
				require.NoError(t, err)
				req.Header.Set("Content-Type", "application/json")
				change(req)
				resp, err := h.Client().Do(req)
				require.NoError(t, err)
				require.Equal(t, http.StatusForbidden, resp.StatusCode, "%s %s", method, name)
				require.NoError(t, resp.Body.Close())
			}
		}
		req, err := http.NewRequest("GET", at, nil)
		require.NoError(t, err)
		req.Header.Set("Accept", "application/json")
		resp, err := h.Client().Do(req)
		require.NoError(t, err)
		require.Equal(t, http.StatusNotAcceptable, resp.StatusCode)
		require.NoError(t, resp.Body.Close())

		status, _ := h.send("POST", s.post, "application/json", hello)
		require.Equal(t, http.StatusAccepted, status, "the session has survived it all")
		require.Contains(t, s.event(), `"protocolVersion":"2024-11-05"`)
		require.NoError(t, s.resp.Body.Close())
		h.stop()
	})
}

// TestInvalidMessage: what is JSON and no message is answered on the stream.
func TestInvalidMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, nil, nil)
		s := h.open("/sse")
		status, _ := h.send("POST", s.post, "application/json", `{"jsonrpc":"1.0","id":5,"method":"ping"}`)
		require.Equal(t, http.StatusAccepted, status)
		got := s.event()
		require.Contains(t, got, `"id":5`)
		require.Contains(t, got, `-32600`)
		require.NoError(t, s.resp.Body.Close())
		h.stop()
	})
}

// TestEndpoint: what clients are told to post to.
func TestEndpoint(t *testing.T) {
	for _, c := range []struct{ public, path, want string }{
		{"", "/sse", "/sse?sessionId="},
		{"", "/under/a/b?token=1", "/under/a/b?sessionId="},
		{"https://example.com/x/messages", "/sse", "https://example.com/x/messages?sessionId="},
		{"messages?a=b", "/sse", "messages?a=b&sessionId="},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := serve(t, &sse.Options{PublicURL: c.public}, nil)
			s := h.open(c.path)
			require.Contains(t, s.post, c.want)
			require.NoError(t, s.resp.Body.Close())
			h.stop()
		})
	}
	_, err := sse.NewHandler(nil, &sse.Options{PublicURL: "http://a b/"})
	require.Error(t, err)
	_, err = sse.NewHandler(nil, &sse.Options{Origins: []string{"nonsense"}})
	require.Error(t, err)
}

// TestPrincipal: a session is its principal's alone, and one who may not come in
// learns why (HS-07, SC-05).
func TestPrincipal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &sse.Options{Challenge: `Bearer realm="x"`, Authenticate: func(r *http.Request) (string, error) {
			switch who := r.Header.Get("Authorization"); who {
			case "":
				return "", &sse.AuthError{}
			default:
				return who, nil
			}
		}}
		h := serve(t, o, nil)
		status, _ := h.send("GET", h.URL()+"/sse", "", "")
		require.Equal(t, http.StatusUnauthorized, status)

		dial := func(token string) transport.Dialer {
			return h.dialer(&sse.ClientOptions{Token: func(context.Context) (string, error) { return token, nil }})
		}
		c, err := dispatch.Connect(t.Context(), dial("alice"), nil)
		require.NoError(t, err)
		var id string
		h.engine.Peers(func(p *dispatch.Peer) bool { id = p.Conn().SessionID(); return true })
		req, err := http.NewRequest("POST", h.URL()+"/sse?sessionId="+id, strings.NewReader(ping))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer mallory")
		resp, err := h.Client().Do(req)
		require.NoError(t, err)
		require.Equal(t, http.StatusNotFound, resp.StatusCode)
		require.NoError(t, resp.Body.Close())
		require.NoError(t, c.Close())
		h.stop()
	})
}

// TestQuota: connections are bounded for each principal.
func TestQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, &sse.Options{Limits: sse.Limits{MaxPerPrincipal: 1}}, nil)
		s := h.open("/sse")
		status, body := h.send("GET", h.URL()+"/sse", "", "")
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.Contains(t, body, "1 for one client")
		require.NoError(t, s.resp.Body.Close())
		synctest.Wait()
		again := h.open("/sse")
		require.NoError(t, again.resp.Body.Close())
		h.stop()
	})
}

// TestBothSides: an engine at each end.
func TestBothSides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, nil, func(s *dispatch.Server) {
			s.Handle("tools/call", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				_ = r.Progress(ctx, 1, 2, "half")
				res, err := r.Call(ctx, "roots/list", nil)
				if err != nil {
					return dst, err
				}
				defer res.Release()
				return append(dst, res.Value()...), nil
			})
			s.Handle("tools/list", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				<-ctx.Done()
				return dst, ctx.Err()
			})
		})
		c, err := dispatch.Connect(t.Context(), h.dialer(nil), &dispatch.ClientOptions{
			Options: dispatch.Options{Info: dispatch.Info{Name: "c", Version: "1", Capabilities: []byte(`{"roots":{}}`)}},
			Era:     dispatch.EraLegacy,
			Handlers: func(m *dispatch.Mux) {
				m.Handle("roots/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
					return append(dst, `{"roots":[]}`...), nil
				})
			},
		})
		require.NoError(t, err)
		var steps []string
		res, err := c.CallRaw(t.Context(), "tools/call", []byte(`{"name":"x"}`),
			dispatch.WithProgress(func(p dispatch.Progress) { steps = append(steps, p.Message) }))
		require.NoError(t, err)
		require.Equal(t, `{"roots":[]}`, string(res.Value()))
		require.Equal(t, []string{"half"}, steps)
		res.Release()

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.CallRaw(ctx, "tools/list", nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		require.NoError(t, c.Close())
		h.stop()
	})
}

// TestServerGone: a dropped stream fails what waits, as of unknown outcome, and
// the next connection begins anew after a moment.
func TestServerGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, nil, func(s *dispatch.Server) {
			s.Handle("tools/list", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				<-ctx.Done()
				return dst, ctx.Err()
			})
		})
		d := h.dialer(nil)
		c, err := dispatch.Connect(t.Context(), d, &dispatch.ClientOptions{Era: dispatch.EraLegacy})
		require.NoError(t, err)
		failed := make(chan error)
		go func() {
			_, err := c.CallRaw(context.Background(), "tools/list", nil)
			failed <- err
		}()
		synctest.Wait()
		h.engine.Peers(func(p *dispatch.Peer) bool { require.NoError(t, p.Close()); return true })
		err = <-failed
		require.ErrorIs(t, err, sse.ErrStreamEnded)
		require.ErrorIs(t, err, net.ErrClosed)
		require.NoError(t, c.Close())

		begun := time.Now()
		c, err = dispatch.Connect(t.Context(), d, &dispatch.ClientOptions{Era: dispatch.EraLegacy})
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(begun), 500*time.Millisecond)
		require.NoError(t, c.Close())
		h.stop()
	})
}

// TestKeepAlive: a quiet stream carries comments, and a client misses them when
// they stop.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, &sse.Options{Limits: sse.Limits{KeepAlive: 10 * time.Second}}, nil)
		s := h.open("/sse")
		begun := time.Now()
		require.Equal(t, ":\n", s.event())
		require.Equal(t, 10*time.Second, time.Since(begun))
		require.NoError(t, s.resp.Body.Close())
		h.stop()
	})
}

// TestPing: a side that hears nothing for a minute asks the other, and gives it
// up when nothing comes back.
func TestPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, &sse.Options{Limits: sse.Limits{KeepAlive: -1}}, nil)
		s := h.open("/sse")
		h.send("POST", s.post, "application/json", hello)
		require.Contains(t, s.event(), "protocolVersion")
		h.send("POST", s.post, "application/json", ready)
		begun := time.Now()
		require.Contains(t, s.event(), `"method":"ping"`)
		require.LessOrEqual(t, time.Since(begun), 2*time.Minute)
		for s.event() != "" { // unanswered, it ends
		}
		require.Less(t, time.Since(begun), 10*time.Minute)
		h.stop()
	})
}

// TestSlowReader: a client that does not read loses its connection and nobody
// waits for it longer than WriteTimeout.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		h := serve(t, &sse.Options{Limits: sse.Limits{WriteTimeout: 5 * time.Second, MaxEvents: 4}}, func(s *dispatch.Server) {
			s.Handle("tools/list", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				for {
					if err := r.Notify(ctx, "x", []byte(`{"a":"`+strings.Repeat("x", 10_000)+`"}`)); err != nil {
						ended <- err
						return dst, err
					}
				}
			})
		})
		s := h.open("/sse")
		h.send("POST", s.post, "application/json", hello)
		require.Contains(t, s.event(), "protocolVersion")
		h.send("POST", s.post, "application/json", ready)
		h.send("POST", s.post, "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		begun := time.Now()
		require.ErrorIs(t, <-ended, net.ErrClosed)
		require.LessOrEqual(t, time.Since(begun), 6*time.Second)
		require.NoError(t, s.resp.Body.Close())
		h.stop()
	})
}

// scripted is a server that writes what it is told to whoever opens a stream.
func scripted(t *testing.T, stream func(w io.Writer, r *http.Request), post http.HandlerFunc) *memhttp.Server {
	return memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			post(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		stream(flushing{w}, r)
	}), nil)
}

type flushing struct{ http.ResponseWriter }

func (w flushing) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.ResponseWriter.(http.Flusher).Flush()
	return n, err
}

// TestForeignServers: what a client survives (HS-06, HS-08, J6, E4, E13).
func TestForeignServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var posted []string
		srv := scripted(t, func(w io.Writer, r *http.Request) {
			fmt.Fprint(w, ": hi\r\n\r\nevent: ping\ndata: now\n\nevent:endpoint\r\ndata:post?a=1\r\n\r\n")
			fmt.Fprint(w, "event: ping\ndata: 1\n\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"n\"}\n\n")
			fmt.Fprint(w, "event: endpoint\ndata: http://evil.example/x\n\nevent: endpoint\ndata: /post?a=2\n\ndata: \n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n\n")
			<-r.Context().Done()
		}, func(w http.ResponseWriter, r *http.Request) {
			posted = append(posted, r.URL.String())
			fmt.Fprint(w, "Accepted")
		})
		c, err := sse.URL(srv.URL()+"/sse", &sse.ClientOptions{Transport: srv.Client().Transport}).Dial(t.Context())
		require.NoError(t, err)
		m := codec.Message{Kind: codec.Notification, Method: []byte("x")}
		require.NoError(t, c.Send(t.Context(), &m))
		var in transport.Inbound
		require.NoError(t, c.Read(&in))
		require.Equal(t, "n", string(in.Method))
		require.NoError(t, c.Read(&in))
		require.Equal(t, "m", string(in.Method))
		require.NoError(t, c.Send(t.Context(), &m))
		require.Equal(t, []string{"/post?a=1", "/post?a=2"}, posted)
		require.NoError(t, c.Close())
		require.ErrorIs(t, c.Read(&in), net.ErrClosed)
		require.ErrorIs(t, c.Send(t.Context(), &m), net.ErrClosed)
		srv.Close()
	})
}

// TestDialFailures: each says what went wrong, within the time allowed.
func TestDialFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		stream func(w io.Writer, r *http.Request)
		want   string
	}{
		{"another origin", func(w io.Writer, _ *http.Request) { fmt.Fprint(w, "event: endpoint\ndata: //evil.example/x\n\n") }, "another origin, http://evil.example, refused"},
		{"another scheme", func(w io.Writer, _ *http.Request) { fmt.Fprint(w, "event: endpoint\ndata: https://127.0.0.1:80/x\n\n") }, "another origin, https://127.0.0.1:80, refused"},
		{"ends", func(w io.Writer, _ *http.Request) { fmt.Fprint(w, ": hi\n\n") }, "ended before the endpoint event"},
		{"says nothing", func(w io.Writer, r *http.Request) { fmt.Fprint(w, ": hi\n\n"); <-r.Context().Done() }, "DialTimeout = 30s"},
		{"404", func(w io.Writer, _ *http.Request) { w.(flushing).WriteHeader(404) }, "HTTP GET: status 404 Not Found"},
		{"JSON", func(w io.Writer, _ *http.Request) {
			w.(flushing).Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{}")
		}, "no event stream"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := scripted(t, c.stream, nil)
				_, err := sse.URL(srv.URL()+"/sse", &sse.ClientOptions{Transport: srv.Client().Transport}).Dial(t.Context())
				require.ErrorContains(t, err, c.want)
				srv.Close()
			})
		})
	}
	for _, u := range []string{"ftp://a/b", "/sse", "http://", "http://a b"} {
		_, err := sse.URL(u, nil).Dial(t.Context())
		require.Error(t, err, u)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("why")
	cancel(why)
	synctest.Test(t, func(t *testing.T) {
		srv := scripted(t, func(w io.Writer, r *http.Request) { <-r.Context().Done() }, nil)
		_, err := sse.URL(srv.URL(), &sse.ClientOptions{Transport: srv.Client().Transport}).Dial(ctx)
		require.ErrorIs(t, err, why)
		srv.Close()
	})
}

// TestRedirected: a mount that wants a slash behind its path is found, and its
// endpoint is relative to where the stream is; a loop ends.
func TestRedirected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var posted []string
		srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/loop":
				http.Redirect(w, r, "/loop", http.StatusPermanentRedirect)
			case r.URL.Path != "/sse/" && r.Method == http.MethodGet:
				http.Redirect(w, r, "/sse/", http.StatusTemporaryRedirect)
			case r.Method == http.MethodGet:
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(flushing{w}, "event: endpoint\ndata: post\n\n")
				<-r.Context().Done()
			default:
				posted = append(posted, r.URL.Path)
			}
		}), nil)
		dial := func(path string) (transport.Conn, error) {
			return sse.URL(srv.URL()+path, &sse.ClientOptions{Transport: srv.Client().Transport}).Dial(t.Context())
		}
		c, err := dial("/sse")
		require.NoError(t, err)
		m := codec.Message{Kind: codec.Notification, Method: []byte("x")}
		require.NoError(t, c.Send(t.Context(), &m))
		require.Equal(t, []string{"/sse/post"}, posted)
		require.NoError(t, c.Close())
		_, err = dial("/loop")
		require.ErrorContains(t, err, "status 308")
		srv.Close()
	})
}

// TestRefusedPost: the call fails with the status, the connection goes on.
func TestRefusedPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := scripted(t, func(w io.Writer, r *http.Request) {
			fmt.Fprint(w, "event: endpoint\ndata: /post\n\n")
			<-r.Context().Done()
		}, func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "too\nmuch", http.StatusRequestEntityTooLarge)
		})
		c, err := sse.URL(srv.URL()+"/sse", &sse.ClientOptions{Transport: srv.Client().Transport}).Dial(t.Context())
		require.NoError(t, err)
		m := codec.Message{Kind: codec.Notification, Method: []byte("x")}
		err = c.Send(t.Context(), &m)
		require.EqualError(t, err, "HTTP POST: status 413 Request Entity Too Large: too much")
		require.NotErrorIs(t, err, net.ErrClosed)
		require.NoError(t, c.Close())
		srv.Close()
	})
}

// TestStreamIdle: a stream that was alive and falls silent is dead.
func TestStreamIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := scripted(t, func(w io.Writer, r *http.Request) {
			fmt.Fprint(w, "event: endpoint\ndata: /post\n\n: alive\n\nevent: ping\ndata: x\n\n")
			<-r.Context().Done()
		}, nil)
		c, err := sse.URL(srv.URL()+"/sse", &sse.ClientOptions{Transport: srv.Client().Transport}).Dial(t.Context())
		require.NoError(t, err)
		var in transport.Inbound
		begun := time.Now()
		require.ErrorContains(t, c.Read(&in), "StreamIdle = 1m0s")
		require.Equal(t, time.Minute, time.Since(begun))
		require.NoError(t, c.Close())
		srv.Close()
	})
}
