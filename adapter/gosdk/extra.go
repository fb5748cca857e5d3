package gosdk

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/transport"
)

// extraOf returns what the SDK tells a handler about the HTTP request that its
// message came in; nil where there is none.
func extraOf(via transport.Exchange) *mcp.RequestExtra {
	r, ok := via.(transport.Headers)
	if !ok {
		return nil
	}
	return &mcp.RequestExtra{
		TokenInfo:      auth.TokenInfoFromContext(via.Context()),
		Header:         http.Header(r.Header()),
		CloseSSEStream: func(args mcp.CloseSSEStreamArgs) { closeStream(via, args) },
	}
}

// closeStream lets go of the connection of a call whose client comes back for the
// answer (SL-11). Where it would not, nothing happens.
func closeStream(via transport.Exchange, args mcp.CloseSSEStreamArgs) {
	if p, ok := via.(transport.Poller); ok {
		_ = p.CloseStream(args.RetryAfter) // where that is impossible the call just goes on
	}
}
