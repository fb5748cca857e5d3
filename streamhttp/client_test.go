package streamhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

const (
	hello     = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	helloBack = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`
	readyNote = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	list      = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	callEcho  = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`
	modern    = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

// far is a scripted server and the client's connection to it.
type far struct {
	t    *testing.T
	srv  *memhttp.Server
	conn transport.Conn

	mu   sync.Mutex
	seen []string // one line per request
}

// script answers one request; body is what was posted.
type script func(w http.ResponseWriter, r *http.Request, body string)

func dialFar(t *testing.T, o *streamhttp.ClientOptions, answer script) *far {
	f := &far{t: t}
	f.srv = memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.seen = append(f.seen, line(r, string(body)))
		f.mu.Unlock()
		answer(w, r, string(body))
	}), nil)
	if o == nil {
		o = &streamhttp.ClientOptions{}
	}
	o.Transport = f.srv.Client().Transport
	var err error
	f.conn, err = streamhttp.URL(f.srv.URL()+"/mcp", o).Dial(t.Context())
	require.NoError(t, err)
	return f
}

// line is a request as tests compare it.
func line(r *http.Request, body string) string {
	var text strings.Builder
	text.WriteString(r.Method)
	for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Mcp-Method", "Mcp-Name", "Mcp-Param-Region", "Mcp-Param-N", "Authorization", "X-User"} {
		if values, ok := r.Header[name]; ok {
			text.WriteString(fmt.Sprintf(" %s=%s", strings.TrimPrefix(name, "Mcp-"), strings.Join(values, "|")))
		}
	}
	var m codec.Message
	if codec.Decode([]byte(body), &m) == nil {
		text.WriteString(" " + string(m.Method))
		if m.ID != nil {
			text.WriteString("#" + m.ID.String())
		}
	}
	return text.String()
}

func (f *far) requests() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.seen, "\n")
}

func (f *far) send(text string) error {
	f.t.Helper()
	var m codec.Message
	require.NoError(f.t, codec.Decode([]byte(text), &m))
	return f.conn.Send(f.t.Context(), &m)
}

// read returns the next message as text, or the failure of a call.
func (f *far) read() string {
	f.t.Helper()
	var in transport.Inbound
	require.NoError(f.t, f.conn.Read(&in))
	defer in.Release()
	if in.Failed {
		return fmt.Sprintf("%s failed: %v", in.ID, in.Err)
	}
	text, err := in.AppendText(nil)
	require.NoError(f.t, err)
	return string(text)
}

func (f *far) open() {
	f.t.Helper()
	require.NoError(f.t, f.send(hello))
	require.Equal(f.t, helloBack, f.read())
	require.NoError(f.t, f.send(readyNote))
}

func (f *far) close() {
	f.t.Helper()
	require.NoError(f.t, f.conn.Close())
	var in transport.Inbound
	require.Error(f.t, f.conn.Read(&in))
	f.srv.Close()
}

func asJSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, body)
}

// events writes a piece of an event stream.
func events(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream;charset=UTF-8")
	_, _ = io.WriteString(w, text)
	w.(http.Flusher).Flush()
}

func event(data string) string { return "data: " + data + "\n\n" }

// stateful answers what every legacy server does, and leaves the rest to more.
func stateful(more script) script {
	return func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == "":
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case body == hello:
			w.Header().Set("Mcp-Session-Id", "S1")
			asJSON(w, helloBack)
		case strings.Contains(body, `"method":"notifications/`):
			w.WriteHeader(http.StatusAccepted)
		default:
			more(w, r, body)
		}
	}
}

func answerTo(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// TestClientLegacy: session and version travel with everything that follows
// initialize, and the session is ended (SS-04, CL-10, CL-08, SS-08).
func TestClientLegacy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := &streamhttp.ClientOptions{Header: http.Header{"x-user": {"me"}, "Accept": {"text/plain"}}}
		f := dialFar(t, o, stateful(func(w http.ResponseWriter, r *http.Request, body string) {
			require.Equal(t, "application/json, text/event-stream", r.Header.Get("Accept"))
			require.Equal(t, "application/json", r.Header.Get("Content-Type"))
			asJSON(w, answerTo("1", "{}"))
		}))
		f.open()
		synctest.Wait()
		require.Equal(t, "S1", f.conn.SessionID())
		require.NoError(t, f.send(list))
		require.Equal(t, answerTo("1", "{}"), f.read())
		f.close()
		require.Equal(t, `POST X-User=me initialize#0
POST Session-Id=S1 Protocol-Version=2025-11-25 X-User=me notifications/initialized
GET Session-Id=S1 Protocol-Version=2025-11-25 X-User=me
POST Session-Id=S1 Protocol-Version=2025-11-25 X-User=me tools/list#1
DELETE Session-Id=S1 Protocol-Version=2025-11-25 X-User=me`, f.requests())
	})
}

// TestClientModern: what the header mirrors (SC26-03, SC26-05, SC26-12).
func TestClientModern(t *testing.T) {
	const tools = `{"resultType":"complete","tools":[{"name":"good","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"}}}},` +
		`{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"two words"}}}}]}`
	bubble(t, func(t *testing.T) {
		f := dialFar(t, nil, func(w http.ResponseWriter, r *http.Request, body string) {
			w.Header().Set("Mcp-Session-Id", "nonsense")
			var m codec.Message
			_ = codec.Decode([]byte(body), &m)
			if string(m.Method) == "tools/list" {
				asJSON(w, answerTo(m.ID.String(), tools))
				return
			}
			asJSON(w, answerTo(m.ID.String(), `{"resultType":"complete","supportedVersions":["2026-07-28"]}`))
		})
		for _, text := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modern + `}}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"good","arguments":{"region":"a"},` + modern + `}}`,
			`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + modern + `}}`,
			`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"good","arguments":{"region":"ä","n":42.0},` + modern + `}}`,
			`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"good","arguments":{"region":null},` + modern + `}}`,
			`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"a://b c",` + modern + `}}`,
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"good","arguments":{"n":9007199254740993},` + modern + `}}`,
			`{"jsonrpc":"2.0","id":8,"method":"x\ny","params":{` + modern + `}}`,
		} {
			require.NoError(t, f.send(text))
			got := f.read()
			switch {
			case strings.HasPrefix(got, `{"jsonrpc":"2.0","id":3`):
				require.NotContains(t, got, `"bad"`, "XH-05")
				require.Contains(t, got, `"good"`)
			case strings.HasPrefix(got, "7"):
				require.Contains(t, got, "argument n: is no integer within ±(2^53-1)", "XH-07")
			case strings.HasPrefix(got, "8"):
				require.Contains(t, got, `the method "x\ny" cannot be mirrored in a header`)
				require.NotContains(t, got, "outcome unknown")
			}
		}
		f.close()
		require.Equal(t, `POST Protocol-Version=2026-07-28 Method=server/discover server/discover#1
POST Protocol-Version=2026-07-28 Method=tools/call Name=good tools/call#2
POST Protocol-Version=2026-07-28 Method=tools/list tools/list#3
POST Protocol-Version=2026-07-28 Method=tools/call Name=good Param-Region==?base64?w6Q=?= Param-N=42 tools/call#4
POST Protocol-Version=2026-07-28 Method=tools/call Name=good tools/call#5
POST Protocol-Version=2026-07-28 Method=resources/read Name=a://b c resources/read#6`, f.requests())
	})
}

// TestClientStream: everything on an answer's stream arrives in order; the
// connection is free for the next call.
func TestClientStream(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := dialFar(t, nil, stateful(func(w http.ResponseWriter, r *http.Request, body string) {
			events(w, ": hi\n\nid: a\ndata:\n\nevent: message\ndata: {}\n\nevent: other\n"+event(`{"jsonrpc":"2.0","method":"notifications/other"}`))
			events(w, "event: other\n"+event(answerTo("1", `"of another type (SE-04)"`)))
			events(w, event(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`))
			events(w, event(answerTo("1", "{}")))
		}))
		f.open()
		begun := time.Now()
		for range 3 {
			require.NoError(t, f.send(list))
			require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`, f.read())
			require.Equal(t, answerTo("1", "{}"), f.read())
		}
		require.Zero(t, time.Since(begun), "an answer whose stream ends at once is not held back")
		f.close()
	})
}

// TestClientOpenEnd: a stream that stays open behind its answer neither holds
// the answer back for long nor stays for ever; what comes later is not lost.
func TestClientOpenEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cut := make(chan struct{})
		f := dialFar(t, nil, stateful(func(w http.ResponseWriter, r *http.Request, body string) {
			events(w, event(answerTo("1", "{}")))
			<-time.After(time.Second)
			events(w, event(`{"jsonrpc":"2.0","method":"late"}`))
			<-r.Context().Done()
			close(cut)
		}))
		f.open()
		begun := time.Now()
		require.NoError(t, f.send(list))
		require.Equal(t, answerTo("1", "{}"), f.read())
		require.LessOrEqual(t, time.Since(begun), 5*time.Millisecond)
		require.Equal(t, `{"jsonrpc":"2.0","method":"late"}`, f.read())
		<-cut
		require.Equal(t, 2*time.Second, time.Since(begun))
		f.close()
	})
}

// TestClientResume: a stream that broke off is taken up where it was, after the
// time the server asked for (RS-04, RS-08, H6).
func TestClientResume(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gets := 0
		f := dialFar(t, nil, stateful(func(w http.ResponseWriter, r *http.Request, body string) {
			switch {
			case r.Method == http.MethodPost:
				events(w, "id: p1\nretry: 1500\ndata:\n\n")
			default:
				switch gets++; gets {
				case 1:
					events(w, "id: p2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n")
				case 2:
					w.WriteHeader(http.StatusBadGateway)
				default:
					events(w, "id: p3\n"+event(answerTo("1", "{}")))
				}
			}
		}))
		f.open()
		begun := time.Now()
		require.NoError(t, f.send(list))
		require.Equal(t, `{"jsonrpc":"2.0","method":"n"}`, f.read())
		require.GreaterOrEqual(t, time.Since(begun), 1500*time.Millisecond)
		require.LessOrEqual(t, time.Since(begun), 1700*time.Millisecond)
		require.Equal(t, answerTo("1", "{}"), f.read())
		require.Contains(t, f.requests(), "GET Session-Id=S1 Protocol-Version=2025-11-25 Last-Event-Id=p1\nGET Session-Id=S1 Protocol-Version=2025-11-25 Last-Event-Id=p2\nGET Session-Id=S1 Protocol-Version=2025-11-25 Last-Event-Id=p2")
		f.close()
	})
}

// TestClientFailures: what becomes of a call that gets no answer (CL-12, F7, H8,
// RS-10, SC26-08).
func TestClientFailures(t *testing.T) {
	unknown := "outcome unknown"
	for _, c := range []struct {
		name   string
		answer func(w http.ResponseWriter)
		want   string
		known  bool // nothing is said about an unknown outcome
	}{
		{"202", func(w http.ResponseWriter) { w.WriteHeader(202) }, "status 202 Accepted with Content-Type", false},
		{"html", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<p>")
		}, `Content-Type "text/html"`, false},
		{"another id", func(w http.ResponseWriter) { asJSON(w, answerTo("9", "{}")) }, "does not answer the request", false},
		{"no JSON", func(w http.ResponseWriter) { asJSON(w, "oops") }, `"oops"`, false},
		{"error without id", func(w http.ResponseWriter) {
			asJSON(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`)
		}, "-32600", true},
		{"stream ends", func(w http.ResponseWriter) { events(w, event(`{"jsonrpc":"2.0","method":"n"}`)) }, "ended without the answer", false},
		{"502 page", func(w http.ResponseWriter) { w.WriteHeader(502); _, _ = io.WriteString(w, "<h1>Bad\n Gateway</h1>") }, "HTTP POST: status 502 Bad Gateway: <h1>Bad Gateway</h1>", true},
		{"403", func(w http.ResponseWriter) { w.WriteHeader(403) }, "HTTP POST: status 403 Forbidden", true},
		{"413", func(w http.ResponseWriter) {
			w.WriteHeader(413)
			asJSON(w, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"too big"}}`)
		}, "413 Request Entity Too Large: ", true},
		{"302", func(w http.ResponseWriter) { w.Header().Set("Location", "/x"); w.WriteHeader(302) }, "status 302 Found", true},
		{"elsewhere", func(w http.ResponseWriter) { w.Header().Set("Location", "http://evil.example/x"); w.WriteHeader(307) }, "redirect to another origin, http://evil.example, refused", false},
		{"loop", func(w http.ResponseWriter) { w.Header().Set("Location", "/mcp"); w.WriteHeader(308) }, "more redirects than MaxRedirects = 3", false},
		{"event too large", func(w http.ResponseWriter) { events(w, event(strings.Repeat("x", 2000))) }, "MaxEvent = 1000", false},
		{"body too large", func(w http.ResponseWriter) { asJSON(w, strings.Repeat("x", 2000)) }, "MaxMessage = 1000", false},
		{"endless body", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			for range 3 {
				_, _ = io.WriteString(w, strings.Repeat("x", 500))
				w.(http.Flusher).Flush()
			}
		}, "MaxMessage = 1000", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := &streamhttp.ClientOptions{Limits: streamhttp.ClientLimits{MaxMessage: 1000}}
				f := dialFar(t, o, stateful(func(w http.ResponseWriter, _ *http.Request, _ string) { c.answer(w) }))
				f.open()
				require.NoError(t, f.send(list))
				got := f.read()
				for strings.HasPrefix(got, "{") {
					got = f.read()
				}
				require.True(t, strings.HasPrefix(got, "1 failed: "), got)
				require.Contains(t, got, c.want)
				if c.known {
					require.NotContains(t, got, unknown)
				}
				f.close()
			})
		})
	}
}

// TestClientAnswerOf4xx: a refusal with a JSON-RPC error for the request is its
// answer (SC26-08).
func TestClientAnswerOf4xx(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const text = `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"m","data":{"supported":["2025-11-25"]}}}`
		f := dialFar(t, nil, func(w http.ResponseWriter, r *http.Request, body string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, text)
		})
		require.NoError(t, f.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+modern+`}}`))
		require.Equal(t, text, f.read())
		f.close()
	})
}

// TestClientSessionLost: all calls that find the session gone share one new
// handshake; what may be repeated is (SS-07, G1, G2).
func TestClientSessionLost(t *testing.T) {
	for _, gone := range []struct {
		status int
		body   string
	}{
		{404, ""},
		{404, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"}}`},
		{404, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"Session not found"}}`},
		{400, "No valid session"},
		{400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`},
		{400, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`},
		{400, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: Missing session ID"}}`},
		{410, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"Session expired"}}`},
		{503, "no such session here"},
	} {
		t.Run(fmt.Sprint(gone), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				renewed, hellos := 0, 0
				var both sync.WaitGroup // neither call is late for the other's renewal
				both.Add(2)
				o := &streamhttp.ClientOptions{NoStream: true, Renewed: func() { renewed++ }}
				f := dialFar(t, o, func(w http.ResponseWriter, r *http.Request, body string) {
					switch {
					case body == hello:
						hellos++
						<-time.After(time.Second)
						w.Header().Set("Mcp-Session-Id", fmt.Sprint("S", hellos))
						asJSON(w, helloBack)
					case r.Header.Get("Mcp-Session-Id") == "S1" && body != readyNote:
						both.Done()
						both.Wait()
						w.WriteHeader(gone.status)
						_, _ = io.WriteString(w, strings.ReplaceAll(gone.body, `"id":ID`, `"id":`+idOf(body)))
					case body == readyNote || r.Method == http.MethodDelete:
						w.WriteHeader(http.StatusAccepted)
					default:
						asJSON(w, answerTo("1", "{}"))
					}
				})
				f.open()
				require.NoError(t, f.send(list))
				require.NoError(t, f.send(callEcho))
				got := []string{f.read(), f.read()}
				if strings.HasPrefix(got[1], "2") {
					got[0], got[1] = got[1], got[0]
				}
				require.Contains(t, got[0], "2 failed: the session is gone: HTTP POST: status")
				require.Contains(t, got[0], "outcome unknown")
				require.Equal(t, answerTo("1", "{}"), got[1])
				require.Equal(t, "S2", f.conn.SessionID())
				synctest.Wait()
				require.Equal(t, 1, renewed)
				require.Equal(t, 2, hellos)
				f.close()
				require.Contains(t, f.requests(), "POST Session-Id=S2 Protocol-Version=2025-11-25 notifications/initialized\nPOST Session-Id=S2")
			})
		})
	}
}

func idOf(text string) string {
	var m codec.Message
	_ = codec.Decode([]byte(text), &m)
	return m.ID.String()
}

// TestClientSessionUnrecoverable: a server that has nothing but 404 for us costs
// one attempt per call, and no more.
func TestClientSessionUnrecoverable(t *testing.T) {
	bubble(t, func(t *testing.T) {
		open := true
		f := dialFar(t, &streamhttp.ClientOptions{NoStream: true}, func(w http.ResponseWriter, r *http.Request, body string) {
			if !open {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			stateful(nil)(w, r, body)
		})
		f.open()
		open = false
		require.NoError(t, f.send(list))
		require.Contains(t, f.read(), "1 failed: the session is gone, and could not be replaced: initialize: HTTP POST: status 404")
		f.close()
	})
}

// TestClientCancel: by notification before 2026-07-28, by closing the stream
// since (CL-11, SC26-07).
func TestClientCancel(t *testing.T) {
	for _, modernly := range []bool{false, true} {
		t.Run(fmt.Sprint(modernly), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				ended := make(chan struct{})
				f := dialFar(t, &streamhttp.ClientOptions{NoStream: true}, stateful(func(w http.ResponseWriter, r *http.Request, body string) {
					if strings.Contains(body, `"ping"`) {
						asJSON(w, answerTo("2", "{}"))
						return
					}
					events(w, ": alive\n\n")
					<-r.Context().Done()
					close(ended)
				}))
				if modernly {
					require.NoError(t, f.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modern+`}}`))
				} else {
					f.open()
					require.NoError(t, f.send(list))
				}
				synctest.Wait()
				f.conn.(transport.Canceler).Cancel(codec.ID("1").Key())
				f.conn.(transport.Canceler).Cancel(codec.ID("99").Key())
				begun := time.Now()
				<-ended
				if modernly {
					require.Zero(t, time.Since(begun))
					require.NotContains(t, f.requests(), "cancelled")
				} else {
					require.Contains(t, f.requests(), "POST Session-Id=S1 Protocol-Version=2025-11-25 notifications/cancelled")
				}
				require.NoError(t, f.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`))
				require.Equal(t, answerTo("2", "{}"), f.read(), "nobody is told that what was cancelled has no answer")
				f.close()
			})
		})
	}
}

// TestClientUnauthorized: the challenge reaches whoever can resolve it, and the
// same request goes out once more (SC-08, SC-11).
func TestClientUnauthorized(t *testing.T) {
	bubble(t, func(t *testing.T) {
		token := "old"
		var got *streamhttp.Challenge
		o := &streamhttp.ClientOptions{
			NoStream: true,
			Token:    func(context.Context) (string, error) { return token, nil },
			Unauthorized: func(_ context.Context, c *streamhttp.Challenge) error {
				if got != nil {
					return errors.New("asked before")
				}
				got, token = c, "new"
				return nil
			},
		}
		f := dialFar(t, o, stateful(func(w http.ResponseWriter, r *http.Request, body string) {
			if r.Header.Get("Authorization") != "Bearer new" || strings.Contains(body, "tools/call") {
				w.Header().Set("WWW-Authenticate", `Basic realm="x", Bearer resource_metadata="https://a/b", scope="r w"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			asJSON(w, answerTo("1", "{}"))
		}))
		f.open()
		require.NoError(t, f.send(list))
		require.Equal(t, answerTo("1", "{}"), f.read())
		require.Equal(t, map[string]string{"resource_metadata": "https://a/b", "scope": "r w"}, got.Params)
		require.Equal(t, "Bearer", got.Scheme)
		require.NoError(t, f.send(callEcho))
		failed := f.read()
		require.Contains(t, failed, "status 401 Unauthorized")
		require.Contains(t, failed, "asked before")
		f.close()
	})
}

// TestClientDeadline: a context bounds the wait for a notification's way out.
func TestClientDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := dialFar(t, &streamhttp.ClientOptions{NoStream: true}, func(w http.ResponseWriter, r *http.Request, body string) {
			<-r.Context().Done()
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		m := codec.Message{Kind: codec.Notification, Method: []byte("n")}
		require.ErrorIs(t, f.conn.Send(ctx, &m), context.DeadlineExceeded)
		f.close()
		require.Error(t, f.conn.Send(ctx, &m))
	})
}
