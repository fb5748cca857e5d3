package gosdk

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/transport"
)

// SSEHandler serves servers of the SDK over HTTP+SSE, the transport of 2024-11-05.
type SSEHandler struct {
	http      *sse.Handler
	getServer func(*http.Request) *mcp.Server
	opts      Options
}

// NewSSE returns the endpoint of the servers that getServer returns: it is asked
// for each connection, and nil refuses it. It fails for an entry of the options
// that makes no sense. o may be nil.
func NewSSE(getServer func(*http.Request) *mcp.Server, o *sse.Options) (*SSEHandler, error) {
	h := &SSEHandler{getServer: getServer}
	var opts sse.Options
	if o != nil {
		opts = *o
	}
	if opts.Authenticate == nil {
		opts.Authenticate = tokenUser
	}
	h.opts = (&Options{Logger: opts.Logger}).filled()
	var err error
	h.http, err = sse.NewHandler(h, &opts)
	return h, err
}

// NewSSEHandler stands in the place of [mcp.NewSSEHandler] and takes its options.
func NewSSEHandler(getServer func(*http.Request) *mcp.Server, opts *mcp.SSEOptions) *SSEHandler {
	var theirs mcp.SSEOptions
	if opts != nil {
		theirs = *opts
	}
	ours := &sse.Options{}
	ours.Limits.MaxBody = int(theirs.MaxRequestBodyBytes)
	if ours.Limits.MaxBody == 0 {
		ours.Limits.MaxBody = mcp.DefaultMaxRequestBodyBytes
	}
	if theirs.DisableLocalhostProtection {
		ours.Hosts = []string{"*"}
	}
	h, _ := NewSSE(getServer, ours) // nothing in these options can be wrong
	return h
}

// serverKey is under which the context of a connection has its server.
type serverKey struct{}

// ServeHTTP implements [http.Handler].
func (h *SSEHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		server := h.getServer(r)
		if server == nil {
			http.Error(w, "no server available", http.StatusBadRequest)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), serverKey{}, server))
	}
	h.http.ServeHTTP(w, r)
}

// Serve serves one connection. It is for the transport, which calls it.
func (h *SSEHandler) Serve(ctx context.Context, c transport.Conn) error {
	server := ctx.Value(serverKey{}).(*mcp.Server)
	l := newLink(c, &h.opts, false)
	ss, err := server.Connect(sessionContext(ctx, l), joined{l, legacyRevisions()}, nil)
	if err != nil {
		return err
	}
	return ss.Wait()
}

// Close ends every connection.
func (h *SSEHandler) Close() error { return h.http.Close() }
