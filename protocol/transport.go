package protocol

// Transport is one of the transports the revisions define.
type Transport uint8

const (
	// TransportStdio is newline-delimited JSON over a child's pipes.
	TransportStdio Transport = iota + 1
	// TransportHTTPSSE is the two-endpoint transport of 2024-11-05.
	TransportHTTPSSE
	// TransportStreamableHTTP is the one-endpoint transport of 2025-03-26 and
	// later; in 2026-07-28 it has POST only.
	TransportStreamableHTTP
)

// String returns "stdio", "http+sse", "streamable-http" or "unknown".
func (t Transport) String() string {
	switch t {
	case TransportStdio:
		return "stdio"
	case TransportHTTPSSE:
		return "http+sse"
	case TransportStreamableHTTP:
		return "streamable-http"
	}
	return "unknown"
}

// Defines reports whether the text of r has the transport. This is not the
// question what a connection may carry: in the field HTTP+SSE transports every
// legacy revision, and never a modern one (HS-12). An unknown revision defines
// nothing.
func (r Revision) Defines(t Transport) bool {
	switch t {
	case TransportStdio:
		return r.Era() != EraUnknown
	case TransportHTTPSSE:
		return r == V20241105
	case TransportStreamableHTTP:
		return r.Era() != EraUnknown && r != V20241105
	}
	return false
}
