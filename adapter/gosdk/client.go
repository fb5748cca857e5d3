package gosdk

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/streamhttp"
)

// URL returns the transport of a client to a Streamable HTTP endpoint. o may be nil.
func URL(rawURL string, o *streamhttp.ClientOptions) *Transport {
	opts := &Options{}
	if o != nil {
		opts.Logger = o.Logger
	}
	return Dial(streamhttp.URL(rawURL, o), opts)
}

// StreamableClient returns a transport with the settings of one of the SDK's. Of its
// HTTPClient only the Transport is used: redirects are followed within one origin,
// and there are neither cookies nor a limit for a whole answer. MaxEventSize is the
// limit of a message. A negative MaxRetries leaves one attempt to take a stream up
// again.
func StreamableClient(t *mcp.StreamableClientTransport) *Transport {
	o := &streamhttp.ClientOptions{NoStream: t.DisableStandaloneSSE}
	o.Limits.MaxResumes = t.MaxRetries
	if t.MaxRetries < 0 {
		o.Limits.MaxResumes = 1 // negative is no limit there
	}
	o.Limits.MaxMessage = t.MaxEventSize
	if t.HTTPClient != nil {
		o.Transport = t.HTTPClient.Transport
	}
	if t.OAuthHandler != nil {
		o.Transport = Authorized(o.Transport, t.OAuthHandler)
	}
	return URL(t.Endpoint, o)
}

// SSE returns the transport of a client to an HTTP+SSE endpoint, in the place of
// [mcp.SSEClientTransport]. o may be nil.
func SSE(rawURL string, o *sse.ClientOptions) *Transport {
	opts := &Options{}
	if o != nil {
		opts.Logger = o.Logger
	}
	return Dial(sse.URL(rawURL, o), opts)
}

// Authorized returns a RoundTripper for streamhttp.ClientOptions that has h, one of
// the SDK's handlers, put tokens into requests. After a 401 or 403 it has h
// authorize, and sends the request once more. next performs the requests; nil means
// [http.DefaultTransport].
func Authorized(next http.RoundTripper, h auth.OAuthHandler) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return authorized{next, h}
}

type authorized struct {
	next    http.RoundTripper
	handler auth.OAuthHandler
}

// RoundTrip implements [http.RoundTripper].
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := a.send(r, r.Body == nil)
	if err != nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return resp, err
	}
	if err := a.handler.Authorize(r.Context(), r, resp); err != nil { // it closes the body
		return nil, err
	}
	return a.send(r, true)
}

// send sends r with the token that there is now; again says that its body is to be
// taken anew.
func (a authorized) send(r *http.Request, again bool) (*http.Response, error) {
	r = r.Clone(r.Context())
	if again && r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		r.Body = body
	}
	tokens, err := a.handler.TokenSource(r.Context())
	if err != nil {
		return nil, err
	}
	if tokens != nil {
		token, err := tokens.Token()
		if err != nil {
			return nil, err
		}
		token.SetAuthHeader(r)
	}
	return a.next.RoundTrip(r)
}
