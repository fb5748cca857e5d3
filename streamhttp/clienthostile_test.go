package streamhttp_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// TestClientGetUnknown: a server with sessions and without a route for GET says
// 404 to the stream. That a session is gone is then not known before a POST says
// so too; to open new ones because of it would never end (F8, G1).
func TestClientGetUnknown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hellos := 0
		f := dialFar(t, nil, func(w http.ResponseWriter, r *http.Request, body string) {
			switch {
			case r.Method == http.MethodGet:
				<-time.After(300 * time.Millisecond)
				http.NotFound(w, r)
			case body == hello:
				hellos++
				w.Header().Set("Mcp-Session-Id", fmt.Sprint("S", hellos))
				asJSON(w, helloBack)
			case body == list:
				asJSON(w, answerTo("1", "{}"))
			default:
				w.WriteHeader(http.StatusAccepted)
			}
		})
		f.open()
		<-time.After(10 * time.Second)
		require.NoError(t, f.send(list))
		require.Equal(t, answerTo("1", "{}"), f.read())
		f.close()
		require.Equal(t, 1, hellos)
	})
}

// TestClientSessionAnswer: an error that names the request is the answer to it,
// whatever its status and its words, and the session stays (SC26-08, N2).
func TestClientSessionAnswer(t *testing.T) {
	for _, c := range []struct {
		status int
		fault  string
	}{
		{400, `"code":-32602,"message":"Invalid params: browser session \"tab-7\" is unknown"`},
		{404, `"code":-32002,"message":"Resource not found: session://7"`},
		{404, `"code":-32601,"message":"Method not found"`},
		{410, `"code":-32603,"message":"the session of the database is gone"`},
		{503, `"code":1,"message":"no session is free"`},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				text := `{"jsonrpc":"2.0","id":1,"error":{` + c.fault + `}}`
				f := dialFar(t, &streamhttp.ClientOptions{NoStream: true}, stateful(func(w http.ResponseWriter, _ *http.Request, _ string) {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, text)
				}))
				f.open()
				require.NoError(t, f.send(list))
				require.Equal(t, text, f.read())
				require.Equal(t, 1, strings.Count(f.requests(), "initialize#0"))
				require.Equal(t, 1, strings.Count(f.requests(), "tools/list"))
				f.close()
			})
		})
	}
}

// TestClientRenewalBounded: a server that has forgotten the session and does not
// answer the new handshake either does not keep the connection waiting for ever:
// the next call tries again.
func TestClientRenewalBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var hellos atomic.Int32
		f := dialFar(t, &streamhttp.ClientOptions{NoStream: true}, func(w http.ResponseWriter, r *http.Request, body string) {
			switch {
			case body == hello:
				n := hellos.Add(1)
				if n == 2 {
					<-r.Context().Done()
					return
				}
				w.Header().Set("Mcp-Session-Id", fmt.Sprint("S", n))
				asJSON(w, helloBack)
			case body == readyNote || r.Method == http.MethodDelete:
				w.WriteHeader(http.StatusAccepted)
			case r.Header.Get("Mcp-Session-Id") == "S3":
				asJSON(w, answerTo("1", "{}"))
			default:
				http.NotFound(w, r)
			}
		})
		f.open()
		begun := time.Now()
		require.NoError(t, f.send(list))
		require.Contains(t, f.read(), "could not be replaced")
		require.LessOrEqual(t, time.Since(begun), time.Minute)
		require.NoError(t, f.send(list))
		require.Equal(t, answerTo("1", "{}"), f.read())
		f.close()
	})
}

// TestClientPostTimeout: a server that answers no POST but those of requests holds up
// neither who sends something else nor, for ever, the goroutine of a cancellation.
func TestClientPostTimeout(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: 30 * time.Second, 7 * time.Second: 7 * time.Second} {
		t.Run(limit.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				left := make(chan string, 8)
				o := &streamhttp.ClientOptions{NoStream: true, Limits: streamhttp.ClientLimits{PostTimeout: limit}}
				f := dialFar(t, o, func(w http.ResponseWriter, r *http.Request, body string) {
					if body == hello || r.Method == http.MethodDelete {
						stateful(nil)(w, r, body)
						return
					}
					<-r.Context().Done()
					left <- body
				})
				require.NoError(t, f.send(hello))
				require.Equal(t, helloBack, f.read())
				for _, text := range []string{readyNote, `{"jsonrpc":"2.0","method":"n"}`, `{"jsonrpc":"2.0","id":5,"result":{}}`} {
					begun := time.Now()
					require.ErrorContains(t, f.send(text), "no answer within PostTimeout = "+want.String())
					require.Equal(t, want, time.Since(begun))
					require.Equal(t, text, <-left)
				}
				require.NoError(t, f.send(list))
				<-time.After(time.Hour)
				require.Empty(t, left, "a request takes as long as it takes")
				f.conn.(transport.Canceler).Cancel(codec.ID("1").Key())
				begun := time.Now()
				require.Equal(t, list, <-left)
				require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, <-left)
				require.Equal(t, want, time.Since(begun))
				f.close()
			})
		})
	}
}

// TestClientBodiesNobodyWants: what is accepted, or refused, is so when the status
// has come, also where its body never ends (F4, F7).
func TestClientBodiesNobodyWants(t *testing.T) {
	endless := func(status int, kind string) script {
		return func(w http.ResponseWriter, r *http.Request, _ string) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, ": hello\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}
	for _, c := range []struct {
		name   string
		answer script
		post   string
	}{
		{"202 without end", endless(202, "text/plain"), readyNote},
		{"200 with a stream without end", endless(200, "text/event-stream"), readyNote},
		{"request, 202 without end", endless(202, "text/plain"), list},
		{"request, 500 without end", endless(500, "text/html"), list},
		{"request, 400 with a stream without end", endless(400, "text/event-stream"), list},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := dialFar(t, &streamhttp.ClientOptions{NoStream: true, NoFallback: true}, func(w http.ResponseWriter, r *http.Request, body string) {
					if body == c.post {
						c.answer(w, r, body)
						return
					}
					stateful(nil)(w, r, body)
				})
				require.NoError(t, f.send(hello))
				require.Equal(t, helloBack, f.read())
				begun := time.Now()
				require.NoError(t, f.send(c.post))
				if c.post == list {
					require.Contains(t, f.read(), "1 failed: HTTP POST: status")
				}
				require.LessOrEqual(t, time.Since(begun), 5*time.Second)
				f.close()
			})
		})
	}
}

// oldServer speaks the transport of 2024-11-05 at one path, and refuses POSTs to it.
func oldServer(posted chan<- string) script {
	return func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet:
			events(w, "event: endpoint\ndata: /messages?s=1\n\n")
			events(w, event(helloBack))
			<-r.Context().Done()
		case r.URL.Path == "/messages":
			posted <- body
			w.WriteHeader(http.StatusAccepted)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}
}

// TestClientFallbackCancel: a call that is given up is given up there too, where
// HTTP+SSE took over (CL-11, J2).
func TestClientFallbackCancel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		posted := make(chan string, 8)
		f := dialFar(t, nil, oldServer(posted))
		require.NoError(t, f.send(hello))
		require.Equal(t, helloBack, f.read())
		require.Equal(t, hello, <-posted)
		require.NoError(t, f.send(list))
		require.Equal(t, list, <-posted)
		f.conn.(transport.Canceler).Cancel(codec.ID("1").Key())
		synctest.Wait()
		select {
		case got := <-posted:
			require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, got)
		default:
			t.Fatal("nothing was sent")
		}
		f.close()
	})
}

// TestClientFallbackUnauthorized: who can resolve a challenge is asked there too
// (SC-08).
func TestClientFallbackUnauthorized(t *testing.T) {
	bubble(t, func(t *testing.T) {
		posted := make(chan string, 8)
		token := ""
		var asked []string
		o := &streamhttp.ClientOptions{
			Token: func(context.Context) (string, error) { return token, nil },
			Unauthorized: func(_ context.Context, c *streamhttp.Challenge) error {
				asked = append(asked, c.URL.Path+" "+c.Params["scope"])
				token += "x"
				return nil
			},
		}
		old := oldServer(posted)
		f := dialFar(t, o, func(w http.ResponseWriter, r *http.Request, body string) {
			want := ""
			switch {
			case r.URL.Path == "/messages":
				want = "Bearer xx"
			case r.Method == http.MethodGet:
				want = "Bearer x"
			}
			if want != "" && r.Header.Get("Authorization") != want {
				w.Header().Set("WWW-Authenticate", `Bearer scope="`+r.Method+`"`)
				w.WriteHeader(http.StatusForbidden)
				return
			}
			old(w, r, body)
		})
		require.NoError(t, f.send(hello))
		require.Equal(t, helloBack, f.read())
		require.Equal(t, hello, <-posted)
		require.Equal(t, []string{"/mcp GET", "/messages POST"}, asked)
		f.close()
	})
}

// TestClientStaleToolsEndless: a list of tools without end does not keep a call that
// is refused over its mirrored headers, and ends with it.
func TestClientStaleToolsEndless(t *testing.T) {
	bubble(t, func(t *testing.T) {
		pages := 0
		f := dialFar(t, &streamhttp.ClientOptions{NoStream: true}, func(w http.ResponseWriter, r *http.Request, body string) {
			if strings.Contains(body, "tools/list") {
				pages++
				<-time.After(time.Second)
				asJSON(w, answerTo(`"wirespool-tools"`, `{"tools":[],"nextCursor":"more"}`))
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"mismatch"}}`)
		})
		require.NoError(t, f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",`+modern+`}}`))
		<-time.After(10 * time.Second)
		f.conn.(transport.Canceler).Cancel(codec.ID("1").Key())
		<-time.After(5 * time.Second)
		before := pages
		require.Positive(t, before)
		<-time.After(time.Hour)
		require.Equal(t, before, pages)
		f.close()
	})
}

// TestClientFallbackEndpoint: a server of 2024-11-05 that answers a POST like a GET
// is known by its endpoint event (J2).
func TestClientFallbackEndpoint(t *testing.T) {
	bubble(t, func(t *testing.T) {
		posted := make(chan string, 8)
		old := oldServer(posted)
		f := dialFar(t, nil, func(w http.ResponseWriter, r *http.Request, body string) {
			if r.Method == http.MethodPost && r.URL.Path != "/messages" {
				events(w, "event: endpoint\ndata: /messages?s=0\n\n")
				<-r.Context().Done()
				return
			}
			old(w, r, body)
		})
		begun := time.Now()
		require.NoError(t, f.send(`{"jsonrpc":"2.0","id":5,"method":"server/discover","params":{`+modern+`}}`))
		require.Contains(t, f.read(), "5 failed: HTTP POST: the answer is the stream of an HTTP+SSE server")
		require.NoError(t, f.send(hello))
		require.Equal(t, helloBack, f.read())
		require.Equal(t, hello, <-posted)
		require.Zero(t, time.Since(begun))
		f.close()
	})
}

// TestClientRenewalOtherRevision: a server that has forgotten the session and now
// speaks another revision ends the connection: everybody above counts on the old one
// (SS-07).
func TestClientRenewalOtherRevision(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hellos, renewed := 0, 0
		o := &streamhttp.ClientOptions{NoStream: true, Renewed: func() { renewed++ }}
		f := dialFar(t, o, func(w http.ResponseWriter, r *http.Request, body string) {
			switch {
			case body == hello:
				hellos++
				w.Header().Set("Mcp-Session-Id", fmt.Sprint("S", hellos))
				if hellos == 1 {
					asJSON(w, helloBack)
				} else {
					asJSON(w, strings.ReplaceAll(helloBack, "2025-11-25", "2025-06-18"))
				}
			case body == list && r.Header.Get("Mcp-Session-Id") == "S1":
				http.NotFound(w, r)
			case body == list:
				asJSON(w, answerTo("1", "{}"))
			default:
				w.WriteHeader(http.StatusAccepted)
			}
		})
		f.open()
		require.NoError(t, f.send(list))
		var in transport.Inbound
		err := f.conn.Read(&in)
		require.ErrorIs(t, err, net.ErrClosed)
		require.ErrorContains(t, err, `the server now speaks "2025-06-18" and spoke "2025-11-25" before`)
		synctest.Wait()
		require.Zero(t, renewed)
		f.close()
		require.NotContains(t, f.requests(), "Session-Id=S2 Protocol-Version=2025-06-18 tools/list")
		require.NotContains(t, f.requests(), "Session-Id=S2 Protocol-Version=2025-06-18 notifications/initialized")
	})
}
