package mcpgo_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	sdk "github.com/mark3labs/mcp-go/client/transport"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/streamhttp"
)

// A client with mcp-go's OAuth gets in with a token, and learns that it needs one
// without, or when it is not accepted.
func TestAuthorized(t *testing.T) {
	a := mcpgo.NewServer(newMCPServer(), nil)
	h := mcpgo.NewHTTPHandler(a, &streamhttp.Options{Authenticate: func(r *http.Request) (string, error) {
		if r.Header.Get("Authorization") != "Bearer good" {
			return "", &streamhttp.AuthError{Status: http.StatusUnauthorized}
		}
		return "somebody", nil
	}})
	web := httptest.NewServer(h)
	defer web.Close()

	for token, in := range map[string]bool{"good": true, "bad": false, "": false} {
		store := sdk.NewMemoryTokenStore()
		if token != "" {
			require.NoError(t, store.SaveToken(t.Context(), &sdk.Token{
				AccessToken: token, TokenType: "Bearer", ExpiresAt: time.Now().Add(time.Hour),
			}))
		}
		oauth := sdk.NewOAuthHandler(sdk.OAuthConfig{TokenStore: store})
		oauth.SetBaseURL(web.URL)
		c := mcpgo.NewStreamableHTTP(web.URL, &streamhttp.ClientOptions{Transport: mcpgo.Authorized(nil, oauth)}, nil)
		if in {
			cl, _ := connect(t, c, modern)
			require.Equal(t, "x", call(t, cl, "echo", map[string]any{"text": "x"}))
			continue
		}
		require.NoError(t, c.Start(t.Context()))
		_, err := c.SendRequest(t.Context(), request(int64(1), "ping", nil))
		require.True(t, client.IsOAuthAuthorizationRequiredError(err), "%v", err)
		require.Same(t, oauth, client.GetOAuthHandler(err))
		require.NoError(t, c.Close())
	}
}
