package streamhttp_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// TestClientStandaloneStream: the server's own messages come over a GET that is
// opened again when it ends, and no more where there is none (CL-08, F8, H9).
func TestClientStandaloneStream(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gets := 0
		f := dialFar(t, nil, func(w http.ResponseWriter, r *http.Request, body string) {
			if r.Method != http.MethodGet {
				stateful(nil)(w, r, body)
				return
			}
			switch gets++; gets {
			case 1:
				events(w, "event: other\n"+event(`{"jsonrpc":"2.0","method":"of another type (SE-04)"}`))
				events(w, "id: 1\n"+event(`{"jsonrpc":"2.0","method":"a"}`))
			case 2:
				events(w, "id: 2\n"+event(`{"jsonrpc":"2.0","id":"s","method":"ping"}`))
				<-r.Context().Done()
			}
		})
		f.open()
		require.Equal(t, `{"jsonrpc":"2.0","method":"a"}`, f.read())
		require.Equal(t, `{"jsonrpc":"2.0","id":"s","method":"ping"}`, f.read())
		f.close()
		require.Contains(t, f.requests(), "GET Session-Id=S1 Protocol-Version=2025-11-25 Last-Event-Id=1")
	})
}

// TestClientStreamFirst: the server knows of the stream before it gets the first
// request, whose handler may need it at once; but nobody waits long for a server
// that says nothing about it (CL-08).
func TestClientStreamFirst(t *testing.T) {
	for name, tt := range map[string]struct{ head, wait time.Duration }{
		"answers":      {100 * time.Millisecond, 100 * time.Millisecond},
		"says nothing": {time.Hour, 250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := dialFar(t, nil, func(w http.ResponseWriter, r *http.Request, body string) {
					if r.Method != http.MethodGet {
						stateful(func(w http.ResponseWriter, _ *http.Request, _ string) { asJSON(w, answerTo("1", "{}")) })(w, r, body)
						return
					}
					select {
					case <-time.After(tt.head):
						events(w, ": hello\n\n")
						<-r.Context().Done()
					case <-r.Context().Done():
					}
				})
				begun := time.Now()
				f.open()
				require.Equal(t, tt.wait, time.Since(begun))
				require.NoError(t, f.send(list))
				require.Equal(t, answerTo("1", "{}"), f.read())
				f.close()
			})
		})
	}
}

// TestClientInterrupted: a stream that breaks off while an answer is awaited is said
// once, and why each attempt to take it up again fails is told; one that the server
// ends in good order, to be asked for it later, is no news (SL-11).
func TestClientInterrupted(t *testing.T) {
	abort := func(w http.ResponseWriter, text string) {
		events(w, text)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	broken := func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }
	answers := func(w http.ResponseWriter) { events(w, "id: p9\n"+event(answerTo("1", "{}"))) }
	const prime = "id: p1\ndata:\n\n"
	for name, tt := range map[string]struct {
		first  func(w http.ResponseWriter)
		gets   []func(w http.ResponseWriter)
		causes []string // of each attempt, a part
		logged int
		failed string // the end, where there is no answer
	}{
		"polls":           {func(w http.ResponseWriter) { events(w, prime) }, []func(http.ResponseWriter){answers}, nil, 0, ""},
		"breaks":          {func(w http.ResponseWriter) { abort(w, prime) }, []func(http.ResponseWriter){answers}, []string{"EOF"}, 1, ""},
		"breaks, is down": {func(w http.ResponseWriter) { abort(w, prime) }, []func(http.ResponseWriter){broken, answers}, []string{"EOF", "502"}, 1, ""},
		"polls, is down":  {func(w http.ResponseWriter) { events(w, prime) }, []func(http.ResponseWriter){broken, answers}, []string{"502"}, 1, ""},
		"breaks twice": {func(w http.ResponseWriter) { abort(w, prime) }, []func(http.ResponseWriter){
			func(w http.ResponseWriter) { abort(w, "id: p2\n"+event(`{"jsonrpc":"2.0","method":"n"}`)) }, answers,
		}, []string{"EOF", "EOF"}, 2, ""},
		"stays down": {func(w http.ResponseWriter) { abort(w, prime) }, []func(http.ResponseWriter){broken, broken, broken}, []string{"EOF", "502"}, 1, `gave up after 2 attempts without progress \(Attempts = 2\): .*502.*: outcome unknown`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var log bytes.Buffer
				var causes []string
				o := &streamhttp.ClientOptions{
					NoStream: true, Limits: streamhttp.ClientLimits{MaxResumes: 2},
					Logger:      slog.New(slog.NewTextHandler(&log, nil)),
					Interrupted: func(err error) { causes = append(causes, err.Error()) },
				}
				gets := 0
				f := dialFar(t, o, stateful(func(w http.ResponseWriter, r *http.Request, _ string) {
					if r.Method == http.MethodPost {
						tt.first(w)
						return
					}
					gets++
					tt.gets[gets-1](w)
				}))
				f.open()
				require.NoError(t, f.send(list))
				var in transport.Inbound
				for in.ID == nil {
					require.NoError(t, f.conn.Read(&in))
				}
				if tt.failed == "" {
					require.NoError(t, in.Err)
				} else {
					require.Regexp(t, tt.failed, in.Err)
				}
				f.close()
				require.Len(t, causes, len(tt.causes), causes)
				for i, cause := range tt.causes {
					require.Contains(t, causes[i], cause)
				}
				require.Equal(t, tt.logged, strings.Count(log.String(), "level=WARN msg=\"the stream of an answer broke off"), log.String())
			})
		})
	}
}

// TestClientStreamStays: the stream of a session is there for as long as the session
// is: it is opened again where the server has no event ids, or is down, begun anew
// where the server no longer knows the last one, and opened in the next session where
// it says that this one is gone (CL-08, SS-07).
func TestClientStreamStays(t *testing.T) {
	type get struct {
		status int // 0 for a stream of events
		events string
	}
	a, b := event(`{"jsonrpc":"2.0","method":"a"}`), event(`{"jsonrpc":"2.0","method":"b"}`)
	for name, c := range map[string]struct {
		gets     []get    // the last one stays open
		requests []string // the GETs, and each initialize
	}{
		"no event ids": {
			[]get{{0, a}, {0, b}},
			[]string{"GET Session-Id=S1", "GET Session-Id=S1"},
		},
		"down for some minutes": {
			slices.Concat([]get{{0, a}}, slices.Repeat([]get{{502, ""}}, 20), []get{{0, b}}),
			slices.Repeat([]string{"GET Session-Id=S1"}, 22),
		},
		"purged": {
			[]get{{0, "id: 1\n" + a}, {400, ""}, {0, b}},
			[]string{"GET Session-Id=S1", "GET Session-Id=S1 Last-Event-Id=1", "GET Session-Id=S1"},
		},
		"session gone": {
			[]get{{0, "id: 1\n" + a}, {404, ""}, {0, b}},
			[]string{"GET Session-Id=S1", "GET Session-Id=S1 Last-Event-Id=1", "POST initialize", "GET Session-Id=S2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				gets, hellos := c.gets, 0
				var requests []string
				f := dialFar(t, nil, func(w http.ResponseWriter, r *http.Request, body string) {
					switch {
					case body == hello:
						if hellos++; hellos > 1 {
							requests = append(requests, "POST initialize")
						}
						w.Header().Set("Mcp-Session-Id", fmt.Sprint("S", hellos))
						asJSON(w, helloBack)
					case r.Method == http.MethodGet:
						require.NotEmpty(t, gets, "one GET too many")
						now := gets[0]
						gets = gets[1:]
						text := "GET Session-Id=" + r.Header.Get("Mcp-Session-Id")
						if id := r.Header.Get("Last-Event-Id"); id != "" {
							text += " Last-Event-Id=" + id
						}
						requests = append(requests, text)
						if now.status != 0 {
							w.WriteHeader(now.status)
							return
						}
						events(w, now.events)
						if len(gets) == 0 {
							<-r.Context().Done()
						}
					default:
						stateful(nil)(w, r, body)
					}
				})
				f.open()
				read := make(chan string)
				go func() {
					for range 2 {
						read <- f.read()
					}
				}()
				for _, method := range []string{"a", "b"} {
					select {
					case got := <-read:
						require.Equal(t, `{"jsonrpc":"2.0","method":"`+method+`"}`, got)
					case <-time.After(time.Hour):
						require.FailNow(t, "the stream did not stay open", "%q", requests)
					}
				}
				require.Equal(t, c.requests, requests)
				f.close()
			})
		})
	}
}
