package mcpgo

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	sdk "github.com/mark3labs/mcp-go/client/transport"

	"github.com/wirespool/wirespool/protocol"
)

// Authorized returns a RoundTripper for the options of [NewStreamableHTTP] and
// [NewSSE] whose requests carry the tokens of h, as those of mcp-go's own
// transports do. Where there is none, and where the server takes none of them,
// requests fail with an *OAuthAuthorizationRequiredError of mcp-go, which says how
// to get one. next is http.DefaultTransport where nil. Call h.SetBaseURL with the
// server's URL first.
func Authorized(next http.RoundTripper, h *sdk.OAuthHandler) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return authorized{next, h}
}

type authorized struct {
	next    http.RoundTripper
	handler *sdk.OAuthHandler
}

// RoundTrip implements [http.RoundTripper].
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	token, err := a.handler.GetAuthorizationHeader(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as a RoundTripper must
		}
		if errors.Is(err, sdk.ErrOAuthAuthorizationRequired) {
			return nil, &sdk.OAuthAuthorizationRequiredError{Handler: a.handler}
		}
		return nil, fmt.Errorf("mcpgo: authorization: %w", err)
	}
	r = r.Clone(r.Context())
	r.Header.Set(protocol.HeaderAuthorization, token)
	resp, err := a.next.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	a.handler.HandleUnauthorizedResponse(resp)
	_, _ = io.CopyN(io.Discard, resp.Body, maxKeptText) // for the connection's sake alone
	_ = resp.Body.Close()
	return nil, &sdk.OAuthAuthorizationRequiredError{Handler: a.handler}
}
