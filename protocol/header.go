package protocol

// Names of HTTP headers, in the canonical form of net/http, so that they index
// an http.Header directly. On the wire names compare without regard to case
// (HD-01).
const (
	// HeaderProtocolVersion is written MCP-Protocol-Version by the revisions.
	HeaderProtocolVersion = "Mcp-Protocol-Version"
	// HeaderSessionID belongs to legacy Streamable HTTP; 2025-11-25 writes it
	// MCP-Session-Id (SS-01).
	HeaderSessionID = "Mcp-Session-Id"
	// HeaderMethod mirrors method in 2026-07-28, never encoded (SH26-13).
	HeaderMethod = "Mcp-Method"
	// HeaderName mirrors the member of params that [MethodInfo.NameParam] gives
	// (SH26-14).
	HeaderName = "Mcp-Name"
	// HeaderParamPrefix begins the headers that mirror annotated arguments of
	// tools/call (XH-01).
	HeaderParamPrefix = "Mcp-Param-"
	// HeaderLastEventID resumes a stream of legacy Streamable HTTP (RS-04).
	HeaderLastEventID = "Last-Event-Id"
)

// Headers of HTTP that the transports read and write, spelled as above.
const (
	HeaderAccept          = "Accept"
	HeaderAllow           = "Allow"
	HeaderAuthorization   = "Authorization"
	HeaderContentType     = "Content-Type"
	HeaderOrigin          = "Origin"
	HeaderWWWAuthenticate = "Www-Authenticate"
	// HeaderTraceparent, HeaderTracestate and HeaderBaggage are those of the W3C;
	// the members of _meta by the same names come before them (TR-01).
	HeaderTraceparent = "Traceparent"
	HeaderTracestate  = "Tracestate"
	HeaderBaggage     = "Baggage"
	// HeaderXAccelBuffering with the value "no" keeps proxies from collecting an
	// event stream (SH26-22).
	HeaderXAccelBuffering = "X-Accel-Buffering"
)

// Media types of bodies (SL-06, SH26-06).
const (
	MediaTypeJSON        = "application/json"
	MediaTypeEventStream = "text/event-stream"
)
