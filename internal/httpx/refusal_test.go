package httpx_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
)

// TestRefusal: every refusal has a JSON-RPC body, with the id that the revision
// wants (CO-21).
func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		r      *httpx.Refusal
		nullID bool
		status int
		header string
		value  string
		body   string
	}{
		{httpx.Refuse(415, "no"), true, 415, "Content-Type", json, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`},
		{httpx.Refuse(403, "no"), false, 403, "Content-Length", "59", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"}}` + "\n"},
		{httpx.NotAllowed("POST"), false, 405, "Allow", "POST", `{"jsonrpc":"2.0","error":{"code":-32600,"message":"method not allowed; use POST"}}`},
		{httpx.Busy(503, "busy", 1500*time.Millisecond), false, 503, "Retry-After", "2", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"busy"}}`},
		{&httpx.Refusal{Status: 404, Code: -32601, Reason: "x", ID: codec.ID("7")}, true, 404, "", "", `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"x"}}`},
		{&httpx.Refusal{Status: 413, Close: true}, true, 413, "Connection", "close", ""},
	} {
		w := httptest.NewRecorder()
		c.r.Write(w, c.nullID)
		require.Equal(t, c.status, w.Code)
		if c.header != "" && c.header != "Content-Length" {
			require.Equal(t, c.value, w.Header().Get(c.header))
		}
		if c.body == "" {
			require.Empty(t, w.Body.String())
			require.Empty(t, w.Header().Get("Content-Type"))
			continue
		}
		require.JSONEq(t, c.body, w.Body.String())
	}
	require.Equal(t, "HTTP 403: no", httpx.Refuse(403, "no").Error())
}

// TestAuthenticate: SC-05, SC-06, SC-09.
func TestAuthenticate(t *testing.T) {
	const metadata = `Bearer resource_metadata="https://x/.well-known/oauth-protected-resource"`
	for _, c := range []struct {
		err       error
		status    int
		challenge string
		retry     string
	}{
		{&httpx.AuthError{}, 401, metadata, ""},
		{&httpx.AuthError{Challenge: "Bearer"}, 401, "Bearer", ""},
		{&httpx.AuthError{Status: 403}, 403, "", ""},
		{&httpx.AuthError{Status: 403, Challenge: `Bearer error="insufficient_scope"`}, 403, `Bearer error="insufficient_scope"`, ""},
		{&httpx.AuthError{Status: 429, RetryAfter: time.Minute}, 429, "", "60"},
		{errors.New("the database is down, password hunter2"), 503, "", "1"},
	} {
		who, refusal := httpx.Authenticate(func(*http.Request) (string, error) { return "x", c.err }, nil, metadata)
		require.Empty(t, who)
		require.Equal(t, c.status, refusal.Status)
		require.Equal(t, c.challenge, refusal.Header.Get("Www-Authenticate"))
		require.Equal(t, c.retry, refusal.Header.Get("Retry-After"))
		require.NotContains(t, refusal.Reason, "hunter2")
	}
	who, refusal := httpx.Authenticate(func(*http.Request) (string, error) { return "alice", nil }, nil, "")
	require.Nil(t, refusal)
	require.Equal(t, "alice", who)
	_, refusal = httpx.Authenticate(nil, nil, "")
	require.Nil(t, refusal)
	require.ErrorContains(t, &httpx.AuthError{}, "Unauthorized")
}

func TestQuota(t *testing.T) {
	q := httpx.Quota{Max: 3, Per: 2}
	require.True(t, q.Take("a"))
	require.True(t, q.Take("a"))
	require.False(t, q.Take("a"), "the holder's own bound")
	require.True(t, q.Take("b"))
	require.False(t, q.Take("c"), "the bound of all")
	q.Give("a")
	require.True(t, q.Take("c"))
	require.Equal(t, 3, q.Len())
}

// TestCORS: a page of a listed origin may read what it needs; the guard alone
// decides who is served.
func TestCORS(t *testing.T) {
	served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(202) })
	h, err := httpx.CORS{Origins: []string{"https://app.example.com"}, Headers: []string{"X-Mine"}}.Handler(served, "POST, GET")
	require.NoError(t, err)
	ask := func(method, origin, requested string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/mcp", nil)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		if requested != "" {
			r.Header.Set("Access-Control-Request-Method", "POST")
			r.Header.Set("Access-Control-Request-Headers", requested)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	w := ask("OPTIONS", "https://app.example.com", "content-type, mcp-param-region, x-evil")
	require.Equal(t, 204, w.Code)
	require.Equal(t, "https://app.example.com", w.Header().Get("Access-Control-Allow-Origin"))
	require.Equal(t, "POST, GET", w.Header().Get("Access-Control-Allow-Methods"))
	allowed := w.Header().Get("Access-Control-Allow-Headers")
	for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Mcp-Method", "Mcp-Name", "Mcp-Param-Region", "X-Mine"} {
		require.Contains(t, allowed, name)
	}
	require.NotContains(t, allowed, "Evil")
	require.Equal(t, "600", w.Header().Get("Access-Control-Max-Age"))
	w = ask("POST", "https://app.example.com", "")
	require.Equal(t, 202, w.Code)
	require.Contains(t, w.Header().Get("Access-Control-Expose-Headers"), "Mcp-Session-Id")
	for _, origin := range []string{"", "https://other.example.com", "http://localhost"} {
		w = ask("POST", origin, "")
		require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), origin)
		require.Equal(t, "Origin", w.Header().Get("Vary"))
	}
	_, err = httpx.CORS{Origins: []string{"x"}}.Handler(served, "")
	require.Error(t, err)
}
