// Package streamhttp is the Streamable HTTP transport of MCP, both sides of it, of
// the legacy revisions and of 2026-07-28: [NewHandler] makes an http.Handler of a
// dispatch.Server, [URL] is what a client dials.
//
// # Usage
//
// A client calls dispatch.Connect with URL; that does the rest. A server is one
// endpoint for all revisions:
//
//	h := streamhttp.NewHandler(server, nil)
//	http.Handle("/mcp", h)
//	err := http.ListenAndServe("127.0.0.1:8080", nil)
//
// What revision a POST is of is decided once, by its body: the version key in
// _meta makes it one of 2026-07-28, which stands for itself and leaves nothing
// behind; anything else belongs to the revisions that have an initialize and,
// unless [Options.Stateless] is set, sessions. An answer is one JSON text where
// one message suffices, and an event stream where there is more to say before it,
// or where it takes longer than [Options.StreamAfter], which is the keep-alive time
// unless set. Status and headers stay open until then.
//
// With [Options.Log] a client of a session that lost its connection fetches what
// it missed, and goes on, from the first event that it got (RS-01 to RS-13): a
// progress, a log message or a question, or in 2025-11-25 alone the opening of the
// stream, which has an id of its own there. A call that was cut before its first
// event is lost, though its handler works on: set Options.StreamAfter to a few
// milliseconds where calls are long and silent. Without a Log, and in 2026-07-28
// always, what breaks off is lost.
//
// A handler of dispatch finds what HTTP adds in the interfaces of package
// transport on its Request.Exchange: transport.Requester has the headers and the
// principal, transport.Poller lets go of the connection until the answer is
// there, transport.Committer opens the event stream at once.
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
// The [Options.Log] is closed after that.
//
// # Security
//
// Each threat, what stands against it, and the test that shows it:
//
//   - A web page makes the browser of a developer talk to a local server: Origin
//     is checked on every request, always (TestOrigin).
//   - A page points a name of its own at 127.0.0.1 (DNS rebinding): on loopback
//     Host must be a name of this machine (TestHost).
//   - A page posts a form, which browsers send without asking: a body must say
//     that it is JSON (TestMediaTypes). CORS is off by default, and tells browsers
//     nothing about origins that are not listed (TestCORS).
//   - Somebody without a token: Authenticate is asked for every request and
//     method before the body is read (TestAuthenticate).
//   - A session id leaks: it is no credential. A session belongs to the principal
//     that opened it, for everybody else it does not exist (TestPrincipal).
//   - A session id is guessed: ids are 130 random bits (TestSessionID).
//   - An event id leaks or is guessed: it is looked up within the session of the
//     request alone (TestResumeForeign).
//   - A client reads the events of another stream: one stream is replayed, never
//     another (TestResumeStreams).
//   - A header says one thing to a gateway, the body another to us: in 2026-07-28
//     what is mirrored must be equal (TestModernStatus, TestParams).
//   - A client sends an endless or slow body, or many: size, time and sum are
//     bounded (TestLimits).
//   - A client opens sessions or streams without end: both are bounded in all and
//     for each client, and idle sessions end (TestSessionQuota, TestStreamQuota,
//     TestSessionIdle).
//   - A client does not read: writes have a time limit and queues are bounded
//     (TestSlowReader).
//   - A client sends JSON that is deep, ambiguous or not JSON: package codec
//     refuses it (FuzzPost).
//   - Answers are told apart by ids that strangers share: each POST without a
//     session is a scope of its own (TestModernSameID).
//
// # Concurrency
//
// A Handler serves any number of requests at the same time; a Dialer and its
// connections serve any number of goroutines. A handler of dispatch
// runs on the goroutine of its request where its answer cannot outlive the
// response, and on one of its own where a log keeps it.
//
// # Ownership
//
// A body is read into pooled memory, which is given back when its message was
// handled. Options are copied. Headers from transport.Requester must not be
// written to. On the client's side messages are borrowed and copied as package
// transport says.
//
// # Limits
//
// The constants of this package, each with what it stops; [Limits] changes them
// for a Handler, [ClientLimits] for a client.
//
// # Errors
//
// Every refusal has a status and, but for 202 and 204, a JSON-RPC error as its
// body. Errors of Send that have net.ErrClosed in their tree mean that the
// exchange or the session is over; transport.ErrNoStream that the client has no
// stream open which could carry the message. A client gets a [*StatusError] for a
// refusal, and [transport.ErrOutcomeUnknown] in the tree of the error of a call that the
// server may or may not have run.
package streamhttp
