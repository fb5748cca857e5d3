package gosdk

import (
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/streamhttp"
)

// URL returns the transport of a client to a Streamable HTTP endpoint, in the place
// of [mcp.StreamableClientTransport]. o may be nil.
func URL(rawURL string, o *streamhttp.ClientOptions) *Transport {
	opts := &Options{}
	if o != nil {
		opts.Logger = o.Logger
	}
	return Dial(streamhttp.URL(rawURL, o), opts)
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
