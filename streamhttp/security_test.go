package streamhttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
)

// byToken takes the token for the name of who sends it.
func byToken(r *http.Request) (string, error) {
	name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return "", &streamhttp.AuthError{}
	}
	name, _, _ = strings.Cut(name, ".") // what follows differs from token to token
	return name, nil
}

func shortWrites(s *http.Server) { s.WriteTimeout = 5 * time.Second }

// everyMethod are the ways to knock.
var everyMethod = []string{"POST", "GET", "DELETE", "OPTIONS", "PUT"}

// TestOrigin: SL-02, SH26-02, SC-01: on every method, before anything else.
func TestOrigin(t *testing.T) {
	asked := 0
	o := &streamhttp.Options{Origins: []string{"https://app.example.com"}, Authenticate: func(*http.Request) (string, error) {
		asked++
		return "", nil
	}}
	endpoint(t, o, func(t *testing.T, r *rig) {
		for _, method := range everyMethod {
			for _, origin := range []string{"http://evil.example.com", "null", "https://app.example.com.evil.com", ""} {
				a := r.do(method, "{", "Origin: "+origin)
				require.Equal(t, 403, a.StatusCode, "%s %s", method, origin)
				require.Equal(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Origin is not allowed"}}`, a.text())
				require.Empty(t, a.Header.Get("Access-Control-Allow-Origin"))
			}
		}
		require.Zero(t, asked)
		for _, origin := range []string{"https://app.example.com", "http://localhost:3000"} {
			require.Equal(t, 200, r.do("POST", initialize("2025-11-25"), "Origin: "+origin).StatusCode)
		}
	})
}

// TestHost: SC-02: on loopback only under a name of this machine.
func TestHost(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		for _, method := range everyMethod {
			require.Equal(t, 403, r.do(method, "{", "Host: evil.example.com").StatusCode, method)
		}
		for _, host := range []string{"localhost", "127.0.0.1:80", "[::1]:9"} {
			require.Equal(t, 200, r.do("POST", initialize("2025-11-25"), "Host: "+host).StatusCode, host)
		}
	})
	endpointOver(t, nil, &memhttp.Options{Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 80}}, func(t *testing.T, r *rig) {
		require.Equal(t, 200, r.do("POST", initialize("2025-11-25"), "Host: mcp.example.com").StatusCode)
	})
}

// TestMediaTypes: what a browser sends without asking is refused before it is read.
func TestMediaTypes(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
			header := "Content-Type: " + kind
			if kind == "" {
				header = "Content-Type:"
			}
			require.Equal(t, 415, r.do("POST", initialize("2025-11-25"), header).StatusCode, kind)
		}
		require.Equal(t, 200, r.do("POST", initialize("2025-11-25"), "Content-Type: application/json; charset=UTF-8").StatusCode)
		require.Equal(t, 1, r.h.Sessions())
	})
	endpoint(t, &streamhttp.Options{StrictAccept: true}, func(t *testing.T, r *rig) {
		for _, accept := range []string{"*/*", "application/json", "text/event-stream"} {
			require.Equal(t, 406, r.do("POST", initialize("2025-11-25"), "Accept: "+accept).StatusCode)
		}
		require.Equal(t, 200, r.do("POST", initialize("2025-11-25")).StatusCode)
	})
}

// TestCORS: off by default; with it a listed page may read, and is still checked.
func TestCORS(t *testing.T) {
	preflight := []string{"Origin: https://app.example.com", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: mcp-param-region"}
	endpoint(t, &streamhttp.Options{Origins: []string{"https://app.example.com"}}, func(t *testing.T, r *rig) {
		a := r.do("OPTIONS", "", preflight...)
		require.Equal(t, 405, a.StatusCode)
		require.Empty(t, a.Header.Get("Access-Control-Allow-Origin"))
	})
	endpoint(t, &streamhttp.Options{Origins: []string{"https://app.example.com"}, CORS: true, Authenticate: byToken}, func(t *testing.T, r *rig) {
		a := r.do("OPTIONS", "", preflight...)
		require.Equal(t, 204, a.StatusCode)
		require.Equal(t, "POST, GET, DELETE", a.Header.Get("Access-Control-Allow-Methods"))
		require.Contains(t, a.Header.Get("Access-Control-Allow-Headers"), "Mcp-Param-Region")
		a = r.do("POST", "{}", "Origin: https://app.example.com")
		require.Equal(t, 401, a.StatusCode)
		require.Equal(t, "https://app.example.com", a.Header.Get("Access-Control-Allow-Origin"))
		a = r.do("POST", initialize("2025-11-25"), "Origin: https://app.example.com", "Authorization: Bearer alice")
		require.Equal(t, 200, a.StatusCode)
		require.Contains(t, a.Header.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id", "F14 of the field")
		require.Equal(t, 403, r.do("POST", "{}", "Origin: https://evil.example.com").StatusCode)
	})
}

// TestAuthenticate: every request is asked for, before its body (SC-04 to SC-07).
func TestAuthenticate(t *testing.T) {
	metadata := &streamhttp.ResourceMetadata{
		Resource: "https://mcp.example.com/v1/mcp", AuthorizationServers: []string{"https://auth.example.com"}, Scopes: []string{"tools", "files"},
	}
	endpoint(t, &streamhttp.Options{Authenticate: byToken, Metadata: metadata}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25", "Authorization: Bearer alice")
		for _, method := range everyMethod {
			a := r.do(method, "not JSON", own[0])
			require.Equal(t, 401, a.StatusCode, method)
			require.Equal(t, `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/v1/mcp", scope="tools files"`, a.Header.Get("Www-Authenticate"))
		}
		require.Equal(t, 200, r.do("POST", tool("1", "x"), own...).StatusCode)
	})
	for _, c := range []struct {
		err    error
		status int
		header string
		value  string
	}{
		{&streamhttp.AuthError{Status: 403, Challenge: `Bearer error="insufficient_scope", scope="files"`}, 403, "Www-Authenticate", `Bearer error="insufficient_scope", scope="files"`},
		{&streamhttp.AuthError{Status: 429, RetryAfter: time.Minute}, 429, "Retry-After", "60"},
		{errors.New("secret"), 503, "Retry-After", "1"},
	} {
		endpoint(t, &streamhttp.Options{Authenticate: func(*http.Request) (string, error) { return "", c.err }}, func(t *testing.T, r *rig) {
			a := r.modernTool("1", "x")
			require.Equal(t, c.status, a.StatusCode)
			require.Equal(t, c.value, a.Header.Get(c.header))
			require.NotContains(t, a.text(), "secret")
		})
	}
}

// TestPrincipal: a session is its opener's alone, whatever token he has now (SS-11,
// SS-12, G9 of the field).
func TestPrincipal(t *testing.T) {
	logging(t, streamhttp.Options{Authenticate: byToken}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25", "Authorization: Bearer alice.1")
		a := r.do("POST", tool("1", "progress:x"), own...)
		id, _, _, err := a.event()
		require.NoError(t, err)
		for _, method := range []string{"POST", "GET", "DELETE"} {
			for _, more := range []string{"", "Last-Event-ID: " + id} {
				b := r.do(method, tool("1", "x"), own[0], "Authorization: Bearer mallory", more)
				require.Equal(t, 404, b.StatusCode)
			}
		}
		require.Equal(t, 200, r.do("POST", tool("2", "x"), own[0], "Authorization: Bearer alice.2").StatusCode)
	})
}

// TestLimits: bodies, and what is in them.
func TestLimits(t *testing.T) {
	o := &streamhttp.Options{Limits: streamhttp.Limits{MaxBody: 10_000, ReadTimeout: 5 * time.Second}}
	endpoint(t, o, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		a := r.do("POST", tool("1", strings.Repeat("x", 10_000)), own...)
		require.Equal(t, 413, a.StatusCode)
		require.Contains(t, a.text(), "limit of 10000 bytes")
		require.Equal(t, 200, r.do("POST", tool("1", strings.Repeat("x", 9_000)), own...).StatusCode)
		a = r.do("POST", tool("1", "x")[:20]+`"x":`+strings.Repeat("[", 600)+strings.Repeat("]", 600)+"}", own...)
		require.Equal(t, 400, a.StatusCode)
		require.Contains(t, a.text(), "-32700")
		a = r.do("POST", request(`"`+strings.Repeat("i", 2000)+`"`, "ping", ""), own...)
		require.Equal(t, 400, a.StatusCode)
		require.Contains(t, a.text(), "limit of 1024 bytes")
		begun := time.Now()
		resp, _ := r.raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		require.Equal(t, 408, resp.StatusCode)
		require.Equal(t, 5*time.Second, time.Since(begun))
	})
}

// TestSessionQuota: sessions are bounded for each client and in all (SC-16, G6 and
// M7 of the field).
func TestSessionQuota(t *testing.T) {
	o := &streamhttp.Options{Authenticate: byToken, Limits: streamhttp.Limits{MaxSessions: 3, MaxSessionsPerPrincipal: 2}}
	endpoint(t, o, func(t *testing.T, r *rig) {
		first := r.session("2025-11-25", "Authorization: Bearer a")
		r.session("2025-11-25", "Authorization: Bearer a")
		a := r.do("POST", initialize("2025-11-25"), "Authorization: Bearer a")
		require.Equal(t, 429, a.StatusCode)
		require.Equal(t, "2", a.Header.Get("Retry-After"))
		r.session("2025-11-25", "Authorization: Bearer b")
		require.Equal(t, 503, r.do("POST", initialize("2025-11-25"), "Authorization: Bearer c").StatusCode)
		require.Equal(t, 204, r.do("DELETE", "", first...).StatusCode)
		for range 5 { // refused ones take no place
			require.Contains(t, r.do("POST", request("1", "initialize", "{}"), "Authorization: Bearer c").text(), "-32602")
		}
		r.session("2025-11-25", "Authorization: Bearer c")
	})
}

// TestStreamQuota: so are streams that wait for something to happen.
func TestStreamQuota(t *testing.T) {
	o := &streamhttp.Options{Limits: streamhttp.Limits{MaxStreams: 2}}
	endpoint(t, o, func(t *testing.T, r *rig) {
		one, two := r.session("2025-11-25"), r.session("2025-11-25")
		body, headers := modernCall("1", "subscriptions/listen", `"notifications":{}`)
		ctx, leave := context.WithCancel(t.Context())
		require.Equal(t, 200, r.do("GET", "", one...).StatusCode)
		require.Equal(t, 200, r.doContext(ctx, "POST", body, headers...).StatusCode)
		require.Equal(t, 429, r.do("GET", "", two...).StatusCode)
		require.Equal(t, 429, r.do("POST", body, headers...).StatusCode)
		leave()
		<-time.After(time.Second)
		require.Equal(t, 200, r.do("GET", "", two...).StatusCode)
	})
}

// TestSlowReader: a client that does not read loses its stream, and its session
// goes on (SS-14).
func TestSlowReader(t *testing.T) {
	o := &streamhttp.Options{Limits: streamhttp.Limits{MaxEvents: 4}}
	endpoint(t, o, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		c, err := r.http.Dial(t.Context())
		require.NoError(t, err)
		_, err = io.WriteString(c, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"+own[0]+"\r\n\r\n")
		require.NoError(t, err)
		synctest.Wait()
		for p := range r.srv.Peers {
			for err == nil {
				err = p.Notify(t.Context(), "notifications/n", nil)
			}
		}
		require.ErrorIs(t, err, net.ErrClosed)
		require.ErrorContains(t, err, "too slowly")
		synctest.Wait()
		require.Equal(t, 200, r.do("POST", tool("1", "x"), own...).StatusCode)
		require.Equal(t, 200, r.do("GET", "", own...).StatusCode)
		require.NoError(t, c.Close())
	})
}

// TestBusy: a server that can take no more says so with 503, and so does one that
// shuts down.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := dispatch.NewServer(&dispatch.Options{Info: everything, Limits: dispatch.Limits{MaxHandlers: 1, MaxQueue: 1}})
		register(srv)
		h := streamhttp.NewHandler(srv, nil)
		r := &rig{t: t, srv: srv, h: h, http: memhttp.Start(h, nil)}
		defer r.close()
		own := r.session("2025-11-25")
		done := make(chan int, 2)
		for _, id := range []string{"1", "2"} {
			go func() { done <- r.do("POST", tool(id, "sleep:1s"), own...).StatusCode }()
			synctest.Wait()
		}
		a := r.do("POST", tool("3", "x"), own...)
		require.Equal(t, 503, a.StatusCode)
		require.Equal(t, "2", a.Header.Get("Retry-After"))
		require.Contains(t, a.text(), `"id":3,"error":{"code":-32000,"message":"busy`)
		require.Equal(t, 200, <-done)
		require.Equal(t, 200, <-done)
		require.NoError(t, srv.Shutdown(t.Context()))
		require.Equal(t, 503, r.modernTool("1", "x").StatusCode)
		require.Zero(t, h.Sessions(), "the server ended its connections")
	})
}

// TestShutdown: GET streams end at once, calls are waited for, nothing new begins
// (M5 of the field).
func TestShutdown(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		g := r.do("GET", "", own...)
		answer := make(chan string, 2)
		for _, name := range []string{"sleep:5s", "progress:x"} {
			go func() { answer <- r.do("POST", tool(`"`+name+`"`, name), own...).text() }()
		}
		synctest.Wait()
		health := func() int {
			w := httptest.NewRecorder()
			r.h.Health().ServeHTTP(w, nil)
			return w.Code
		}
		require.Equal(t, 200, health())
		begun := time.Now()
		ended := make(chan error, 1)
		go func() { ended <- r.h.Shutdown(t.Context()) }()
		g.ends()
		require.Zero(t, time.Since(begun))
		require.Equal(t, 503, health())
		a := r.do("POST", tool("1", "x"), own...)
		require.Equal(t, 503, a.StatusCode)
		require.NotEmpty(t, a.Header.Get("Retry-After"))
		require.Contains(t, <-answer, "result")
		require.Contains(t, <-answer, "result")
		require.NoError(t, <-ended)
		require.Equal(t, 5*time.Second, time.Since(begun))
		require.Zero(t, r.h.Sessions())
	})
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		go func() { _, _ = r.http.Client().Do(r.prepare(context.Background(), "POST", tool("1", "sleep:4m"), own)) }()
		synctest.Wait()
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, r.h.Shutdown(soon), context.DeadlineExceeded)
	})
}

// TestMetadata: the document and where it is (SC-07).
func TestMetadata(t *testing.T) {
	m := &streamhttp.ResourceMetadata{Resource: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://auth.example.com"}, Name: "x"}
	require.Equal(t, "https://mcp.example.com/.well-known/oauth-protected-resource/mcp", m.URL())
	require.Equal(t, "/.well-known/oauth-protected-resource", m.RootPath())
	h, err := m.Handler()
	require.NoError(t, err)
	for method, status := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, m.URL(), nil))
		require.Equal(t, status, w.Code)
		require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
		if method == "GET" {
			require.JSONEq(t, `{"resource":"https://mcp.example.com/mcp","authorization_servers":["https://auth.example.com"],"resource_name":"x"}`, w.Body.String())
		}
	}
	require.Equal(t, "https://x/.well-known/oauth-protected-resource", (&streamhttp.ResourceMetadata{Resource: "https://x/"}).URL())
	for _, bad := range []streamhttp.ResourceMetadata{{}, {Resource: "/mcp", AuthorizationServers: []string{"x"}}, {Resource: "https://x/mcp"}} {
		_, err := bad.Handler()
		require.Error(t, err)
	}
}

// TestOptions: what cannot be meant is a panic at the start, not a surprise later.
func TestOptions(t *testing.T) {
	srv := dispatch.NewServer(nil)
	for _, o := range []streamhttp.Options{
		{Origins: []string{"app.example.com"}}, {Hosts: []string{"a b"}}, {Versions: []protocol.Revision{"2099-01-01"}},
	} {
		require.Panics(t, func() { streamhttp.NewHandler(srv, &o) })
	}
}
