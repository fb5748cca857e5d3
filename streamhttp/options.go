package streamhttp

import (
	"log/slog"
	"time"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
)

// Options configure a [Handler]. They are copied; the zero value is ready to
// use on this machine.
type Options struct {
	// Origins are the web pages that may send requests, as
	// "https://app.example.com", besides those of this machine; "*" is every
	// one. Who sends no Origin is no page.
	Origins []string
	// Hosts are the names that a request may call us by, besides those of this
	// machine; "*" is any. Without them the name is checked only where the
	// server listens on a loopback address.
	Hosts []string
	// CORS tells browsers that the pages of Origins may read what they asked
	// for. Off by default: nothing needs it but a client inside a page.
	CORS bool

	// Authenticate says who sends a request; nil lets everybody in as nobody. A
	// session, and everything in it, belongs to the principal that opened it.
	Authenticate Authenticator
	// Metadata describes the authorization servers that issue our tokens; its
	// URL is in the WWW-Authenticate of each 401. [ResourceMetadata.Handler]
	// serves it.
	Metadata *ResourceMetadata

	// Versions are the revisions to speak; empty means those of the acceptor
	// if it says (dispatch.Server does), else all. Without a revision of the
	// modern era every request needs a session; without one of the legacy era
	// nothing but POST is served.
	Versions []protocol.Revision

	// Stateless serves the legacy revisions without sessions: each POST stands
	// for itself, GET and DELETE are refused, and the server can ask the client
	// nothing (LG-15). A client that leaves cancels what it asked for, since
	// nothing could bring it the answer.
	Stateless bool
	// JSON answers calls with one JSON text even where the client takes an
	// event stream. Progress and log messages of a call are then dropped.
	// subscriptions/listen stays an event stream (SU-06).
	JSON bool
	// StrictAccept refuses clients that do not name both media types in Accept,
	// as the revisions demand of them.
	StrictAccept bool

	// Hijack takes the connections of GET streams from the http.Server, where that
	// is possible: in HTTP/1.1 without TLS, and without a Log. A stream then costs
	// a third of the memory, and who sends a message writes it. The server's own
	// Shutdown and ConnState know nothing of such a connection, and middleware
	// that looks at what is written does not see it; Shutdown of the Handler ends
	// it. After a stream its connection is closed.
	Hijack bool

	// Log keeps what was sent on the streams of legacy sessions, so that a client
	// that lost its connection can fetch the rest; nil keeps nothing. The
	// caller closes it after the handler. What a client can come back to is a
	// stream of which it has an event; see StreamAfter.
	Log eventlog.Log
	// StreamAfter is how long a call may be silent before its response becomes an
	// event stream; 0 means [Limits.KeepAlive]. In 2025-11-25 a stream of the Log
	// begins with an event that is an id and nothing else, so this is how soon a
	// call that says nothing can be resumed. A few milliseconds let all that takes
	// a while be, and leave plain answers to what is answered at once; a negative
	// time makes a stream of every call that the Log could keep, but for initialize
	// and ping, and a refusal for want of room is an event then, with no status of
	// its own. The older revisions have no such event (SL-12): there, and in
	// 2026-07-28, the headers go out sooner, and that is all.
	StreamAfter time.Duration
	// Retry is when clients come back to a stream that was let go of; 0 means
	// DefaultRetry.
	Retry time.Duration

	// Params returns how arguments of a tool are mirrored in headers: those with
	// x-mcp-header in the tool's input schema (XH-10). nil, also as a result,
	// checks none. [ParamHeaders] reads them off a schema. It is called for each
	// tools/call of 2026-07-28 and must be quick.
	Params func(tool string) []ParamHeader

	// Limits bound what clients can make us hold and do.
	Limits Limits
	// Logger gets diagnostics; nil discards them.
	Logger *slog.Logger
}

// Authenticator says who sends a request: a name that stays the same when a token
// is renewed, or "" for nobody in particular. It is called for every request
// before anything of the body is read (SC-04, SC-11), and by many goroutines.
//
// An [*AuthError] is answered as it says. Any other error means that nobody can
// tell now, and is answered with 503 and without its text.
//
//	type Authenticator func(r *http.Request) (principal string, err error)
type Authenticator = httpx.Authenticator

// AuthError refuses a request for who sent it: with 401 and a WWW-Authenticate
// header, 403 where a token does not suffice, or 429 for too many requests. It is
// the same type as that of package sse.
//
//	type AuthError struct {
//		Status     int           // 401, 403, 429 or 400; 0 means 401
//		Challenge  string        // WWW-Authenticate; empty leaves the URL of Options.Metadata for a 401
//		RetryAfter time.Duration // sent when it is not zero
//		Reason     string        // goes over the wire; empty means the text of the status
//	}
//
// For instance:
//
//	return "", &streamhttp.AuthError{
//		Status: http.StatusForbidden, Challenge: `Bearer error="insufficient_scope", scope="files:write"`,
//	}
type AuthError = httpx.AuthError
