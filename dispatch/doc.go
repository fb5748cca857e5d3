// Package dispatch is the scheduler: it reads the messages of a connection,
// finds who handles them, runs handlers at once or one after the other, keeps
// the protocol's lifecycle, and sends requests of its own. It knows connections
// only as [transport.Conn].
//
// # Usage
//
// A [Server] serves any number of connections with one table of handlers:
// register with [Server.Handle], then call [Server.Serve] for each connection.
// [Connect] dials a server, finds out which era of MCP it speaks and returns a
// [Client]. Both sides are alike from there on: a [Peer] sends requests, and a
// handler answers them, by appending raw JSON. Package typed puts Go values
// around that, and has an example of a server with several tools.
//
// [Mux.Validate] puts rules before a handler: the size and shape of params, of
// the protocol layer, and what the business allows, of the application layer. A
// call with [WithRetry] is sent again when that is safe, and a server with
// [Options].Idempotency gives those attempts one outcome.
//
// [Options.Observer] is told what happens: [NewMetrics] counts it, [NewLogObserver]
// logs it, module observe/otel makes spans of it. W3C trace context that comes with
// a request goes out with what its handler calls and notifies, observer or none;
// see [Trace].
//
// [Mux.Configure] says what the engine should know about a method. A server
// tells of changes with [Server.Publish], whatever era its clients are of, and a
// client hears of them with [Client.Listen]. A handler asks the client with
// [Request.Call]: by requests in the legacy era and, with [Options].Rounds, by
// results in 2026-07-28; [WithAnswers] lets a client's call answer those.
// [Server.Stats] says what is occupied and what waits.
//
// # Concurrency
//
// The goroutine that reads a message also handles it, so that a fast request
// costs no hand-over. A handler that has not returned after a millisecond, or
// that waits inside the engine ([Request.Call], [Request.Wait]), loses the
// reader role to another goroutine, so that nothing behind it is held up:
// answers, cancellations and ping are handled while handlers block. Handlers
// therefore run at once with one another and must be safe for that.
//
// Requests of a method that is slow on average, while more are waiting, and the
// items of an array run on goroutines of their own. [Limits] bounds the
// handlers that run; those beyond it wait in a queue per peer, and places are
// given to peers in turn. A full queue stops the reading, but for a few messages
// more, which is the back-pressure; except while a call of ours waits for its
// answer: then further requests are refused with -32000. An open subscription
// takes neither a place nor a goroutine.
//
// Notifications of one peer are handled one at a time, in order. The progress
// of a call is delivered before the call returns, on the caller's goroutine.
// Answers leave in any order.
//
// Everything exported is safe for concurrent use unless it says otherwise.
//
// # Ownership
//
// A handler borrows its [Request] or [Notification] and all they give out until
// it returns, and appends its result to memory of the engine. A [Result] is the
// caller's until Release. Params given to calls are borrowed until the call
// returns.
//
// # Limits
//
// All in [Limits], [RetryPolicy] and [Idempotency], none of them zero. Where a peer runs into one, the error it
// gets names it.
//
// # Errors
//
// An error answer of the peer is a *[codec.Error] with Remote set. An error
// with net.ErrClosed in its tree means that the connection is over; a timeout
// has [ErrTimeout] in it, and the end of a peer that is deaf or silent
// [ErrWriteStalled] or [ErrKeepAlive]. Where nobody knows whether the peer ran a call, and it
// makes a difference, the error has [ErrOutcomeUnknown] in it.
//
// What a handler returns is answered as it is if it is a *[codec.Error], or one for
// errors.As, as the error of typed.Decode is, and otherwise with -32603 and without
// its text.
package dispatch
