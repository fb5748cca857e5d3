package gosdk_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/wirespool/wirespool/adapter/gosdk"
)

// login is an OAuthHandler whose first token is not good.
type login struct {
	good  atomic.Bool
	asked atomic.Int64
	deny  bool
}

func (l *login) TokenSource(context.Context) (oauth2.TokenSource, error) {
	if l.good.Load() {
		return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "good"}), nil
	}
	return nil, nil
}

var errDenied = errors.New("the user said no")

func (l *login) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	_ = resp.Body.Close()
	l.asked.Add(1)
	if l.deny {
		return errDenied
	}
	l.good.Store(true)
	return nil
}

// TestOAuth: the SDK's handlers of authorization work with our client.
func TestOAuth(t *testing.T) {
	h := gosdk.NewStreamableHTTPHandler(always(newServer(nil)), nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer good" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	defer srv.Close()
	client, _ := newClient()
	l := &login{}
	cs, err := client.Connect(t.Context(), gosdk.StreamableClient(&mcp.StreamableClientTransport{
		Endpoint: srv.URL, HTTPClient: srv.Client(), OAuthHandler: l, DisableStandaloneSSE: true,
	}), legacy)
	require.NoError(t, err)
	require.Equal(t, "hi", callTool(t, cs, "echo", echoIn{"hi"}, nil))
	require.EqualValues(t, 1, l.asked.Load())
	require.NoError(t, cs.Close())

	client, _ = newClient()
	_, err = client.Connect(t.Context(), gosdk.StreamableClient(&mcp.StreamableClientTransport{
		Endpoint: srv.URL, OAuthHandler: &login{deny: true},
	}), legacy)
	require.ErrorIs(t, err, errDenied)
}

// TestSessionLost: the server has forgotten the session, and gets a new one without
// the SDK noticing; what may have run is not sent again. There is no stream of the
// session, which might find out first.
func TestSessionLost(t *testing.T) {
	var endpoint atomic.Pointer[gosdk.Handler]
	srv := newServer(nil)
	renew := func() {
		if old := endpoint.Swap(gosdk.NewHandler(always(srv), nil)); old != nil {
			_ = old.Close()
		}
	}
	renew()
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { endpoint.Load().ServeHTTP(w, r) }))
	client, _ := newClient()
	cs, err := client.Connect(t.Context(), gosdk.StreamableClient(&mcp.StreamableClientTransport{
		Endpoint: url, DisableStandaloneSSE: true,
	}), legacy)
	require.NoError(t, err)
	renew()
	_, err = cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	renew()
	_, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}})
	require.ErrorIs(t, err, mcp.ErrSessionMissing)
	require.Equal(t, "on", callTool(t, cs, "echo", echoIn{"on"}, nil))
	require.NoError(t, cs.Close())
	_ = endpoint.Load().Close()
}

// TestFailuresOfOneCall: an endpoint that fails a request fails that request.
func TestFailuresOfOneCall(t *testing.T) {
	h := gosdk.NewStreamableHTTPHandler(always(newServer(nil)), nil)
	var status atomic.Int64
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if code := int(status.Load()); code != 0 && r.Method == http.MethodPost {
			w.WriteHeader(code)
			return
		}
		h.ServeHTTP(w, r)
	}))
	client, _ := newClient()
	cs, err := client.Connect(t.Context(), gosdk.URL(url, nil), legacy)
	require.NoError(t, err)
	for _, code := range []int64{400, 403, 429, 500, 502, 503} {
		status.Store(code)
		_, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}})
		require.Error(t, err)
		require.Error(t, cs.NotifyProgress(t.Context(), &mcp.ProgressNotificationParams{ProgressToken: "x", Progress: 1}))
		status.Store(0)
		require.Equal(t, "on", callTool(t, cs, "echo", echoIn{"on"}, nil), code)
	}
	require.NoError(t, cs.Close())
}
