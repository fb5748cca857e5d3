// Package sse is the HTTP+SSE transport of 2024-11-05: a GET opens a stream of
// server-sent events, whose first event names the endpoint to which the client
// then posts its messages; answers come over the stream alone (HS-01 to HS-04).
// It carries the legacy revisions, whatever initialize agreed on (HS-12), and
// never 2026-07-28. New servers offer Streamable HTTP and keep this beside it
// for old clients (HS-13, HS-14).
//
// # Usage
//
// [NewHandler] makes an http.Handler of a dispatch.Server, to be mounted under
// any path: a GET of that path opens a connection, a POST to it carries a
// message. [URL] returns a Dialer for the client's side.
//
// To end a server, with or without the other HTTP transport beside it, in this order:
//
//	err := errors.Join(
//		mcp.Shutdown(ctx),    // the streamhttp.Handler: no new requests, GET streams end, calls are answered
//		server.Shutdown(ctx), // the dispatch.Server: what came by HTTP+SSE is answered, its connections end
//		old.Close(),          // the sse.Handler
//		web.Shutdown(ctx),    // the http.Server: no stream holds it up any more
//	)
//
// The last one may still wait 5 to 6 s for connections on which clients have sent
// nothing yet; [http.Server.Close] after a short Shutdown ends those, too.
//
// # Concurrency
//
// A Handler and a Dialer serve any number of connections at a time, and a
// connection any number of senders. Messages of one connection are handled in
// the order in which their POSTs were accepted.
//
// # Ownership
//
// Messages are borrowed and copied as package transport says. Options are
// copied.
//
// # Limits
//
// [Limits] and [ClientLimits] have all of them, each with what it stops. A connection is bound to
// its stream: when that ends, so does the connection, and what was not answered
// is lost. There is no resumption (HS-07): a new Dial is a new connection, which
// begins with initialize.
//
// # Errors
//
// The server answers what it cannot take with an HTTP status and a JSON-RPC
// error: 400 for a body that is no JSON or a POST without a session, 403 for a
// foreign Origin or Host, 404 for a session that is not there or is somebody
// else's, 405, 406, 413, 415, and 503 where a limit is reached (HS-05). The
// client returns a [*StatusError] for a POST that was refused, and an error with
// net.ErrClosed in its tree once the stream is gone.
//
// # Security
//
// A session id is 128 random bits and binds POSTs to their stream; it is no
// credential (HS-07). Authentication is asked for every request, and a session
// belongs to the principal that opened it. Origin is checked always, Host on
// loopback (HS-09, SC-01, SC-02). A client posts only to the origin it got the
// stream from, so that its credentials go nowhere else (HS-08).
package sse
