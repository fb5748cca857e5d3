package httpx

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wirespool/wirespool/protocol"
)

// CORS lets pages of other origins use an endpoint from a browser. It only tells
// browsers what they may show to a page; the guard decides who is served.
type CORS struct {
	// Origins are let in, as in GuardOptions; "*" is every one.
	Origins []string
	// Headers may be sent besides those of MCP.
	Headers []string
	// MaxAge is how long a browser may remember; 0 means 10 minutes.
	MaxAge time.Duration
}

// exposed are the response headers that a page may read.
const exposed = "Mcp-Session-Id, Www-Authenticate, Retry-After"

// mirrored are the request headers of MCP. A page's Mcp-Param headers differ
// from tool to tool: those it asks for are allowed by their prefix.
var mirrored = []string{
	protocol.HeaderAccept, protocol.HeaderAuthorization, protocol.HeaderContentType, protocol.HeaderLastEventID,
	protocol.HeaderProtocolVersion, protocol.HeaderSessionID, protocol.HeaderMethod, protocol.HeaderName,
}

// Handler returns h with the headers that browsers want, and with preflight
// requests answered. methods are those of the endpoint, comma-separated.
func (c CORS) Handler(h http.Handler, methods string) (http.Handler, error) {
	g, err := NewGuard(GuardOptions{Origins: c.Origins})
	if err != nil {
		return nil, err
	}
	seconds := strconv.FormatInt(int64(Limit(c.MaxAge, 10*time.Minute, 0).Seconds()), 10)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := w.Header()
		out.Add("Vary", "Origin")
		origins := r.Header[protocol.HeaderOrigin]
		if len(origins) > 0 && g.lists(origins) {
			out.Set("Access-Control-Allow-Origin", origins[0])
			out.Set("Access-Control-Expose-Headers", exposed)
			if preflight := r.Header.Get("Access-Control-Request-Method"); r.Method == http.MethodOptions && preflight != "" {
				out.Add("Vary", "Access-Control-Request-Headers")
				out.Set("Access-Control-Allow-Methods", methods)
				out.Set("Access-Control-Allow-Headers", c.allowed(r.Header.Get("Access-Control-Request-Headers")))
				out.Set("Access-Control-Max-Age", seconds)
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		h.ServeHTTP(w, r)
	}), nil
}

// lists reports whether the origin is one of those named, not merely local.
func (g *Guard) lists(origins []string) bool {
	if len(origins) != 1 {
		return false
	}
	key, _, ok := splitOrigin(origins[0])
	return ok && (g.anyOrigin || g.origins[key])
}

// allowed lists the headers that a page may send, with those it asks for that
// mirror an argument.
func (c CORS) allowed(asked string) string {
	all := slices.Concat(mirrored, c.Headers)
	if len(asked) <= maxAccept {
		for name := range strings.SplitSeq(asked, ",") {
			name = http.CanonicalHeaderKey(protocol.TrimOWS(name))
			if strings.HasPrefix(name, protocol.HeaderParamPrefix) && isToken(name) {
				all = append(all, name)
			}
		}
	}
	return strings.Join(all, ", ")
}
