// Package mcpgo puts wirespool under github.com/mark3labs/mcp-go: its MCPServer is
// served on the transports of this module, and its client connects through them.
// It uses nothing but mcp-go's exported API.
//
// # Usage
//
// A server changes the lines that name its transports. Before:
//
//	err := server.ServeStdio(s)
//	http.Handle("/mcp", server.NewStreamableHTTPServer(s))
//	http.Handle("/sse", server.NewSSEServer(s))
//
// After:
//
//	err := mcpgo.ServeStdio(ctx, s, nil)
//	http.Handle("/mcp", mcpgo.NewHTTPHandler(mcpgo.NewServer(s, nil), nil))
//	h, err := mcpgo.NewSSEHandler(mcpgo.NewServer(s, nil), nil); http.Handle("/sse", h)
//
// So does a client. Before:
//
//	t := transport.NewStdio("server", nil)
//	t, err := transport.NewStreamableHTTP(url)
//	t, err := transport.NewSSE(url)
//
// After, with client.NewClient(t) as before:
//
//	t := mcpgo.NewStdio([]string{"server"}, nil, nil)
//	t := mcpgo.NewStreamableHTTP(url, nil, nil)
//	t := mcpgo.NewSSE(url, nil, nil)
//
// Any other connection of package transport serves as well: [Server.Serve] and
// [NewConnTransport] take one. A client with an OAuthHandler of mcp-go wraps its
// http.RoundTripper by [Authorized].
//
// # What changes
//
// Better, for the MCPServer and its clients:
//
//   - A notification that a handler sends reaches the stream of its call, before
//     the answer, also when there are many: who sends waits for room instead of
//     being told that there is none.
//   - Ids come back as they came, however large; 1 and "1" are two requests;
//     progress tokens and subscription ids too.
//   - A second request with an id in flight, an id that is none, an array, a line
//     that is no JSON: answered as the specification says, and the connection goes
//     on.
//   - A cancelled request is not answered. A handler that panics fails its own
//     request. The end of input lets running calls finish and answers them.
//   - A *codec.Error that a handler returns, and mcp-go's own
//     MissingRequiredClientCapabilityError, are answered with their codes.
//   - Requests of the server wait for a human as long as the handler's context
//     does.
//   - subscriptions/listen works on every transport, tags what it sends, and
//     merges what a slow client has not read.
//   - Headers that mirror arguments are checked; sessions are bound to principals;
//     bodies, streams and queues are bounded; slow calls over HTTP keep their
//     connection alive; [streamhttp.Options].Log makes streams resumable.
//   - Arguments of a tool are decoded once. mcp-go reads the text of a message
//     several times; the arguments are no longer in it, our hook hands them over, and
//     the same with who sends a request of 2026-07-28.
//
// What stays mcp-go's limit:
//
//   - It decodes the rest of each message itself, with encoding/json, and its
//     client decodes each result. That is most of what a small call still costs: see
//     the table below.
//   - Hooks see ids as its decoder makes them, integers as float64.
//   - It takes member names that differ in case alone for the same.
//   - Tasks are those of 2025-11-25.
//
// A small call against mcp-go's own transports, both ends: how many times as fast
// in processor time, in which part of the bytes. The limit is its client and its
// HandleMessage, given the shortest message there is, with nothing between them but
// bare net/http over HTTP: over HTTP with sessions it is no more than 1.8 times as
// fast, in 0.6 of the bytes (limit-sdk in BenchmarkAdapter of bench/peers). Only what
// does without net/http's client, as this package over plain HTTP, gets below those.
//
//	                     here          limit
//	HTTP, session        1.4 in 0.57   1.8 in 0.60
//	HTTP, 2026-07-28     1.7 in 0.45   2.0 in 0.41
//	pipes                2.5 in 0.53   4.4 in 0.43
//	pipes, 2026-07-28    2.1 in 0.57   3.0 in 0.45
//
// What cannot be done from outside:
//
//   - The headers that server.WithLogger and server.WithPropagator see. Use the
//     observer in [Options].Dispatch instead.
//   - Requests of a server within a request of 2026-07-28, which the revision does
//     not have: server.WithLegacyServerInitiatedRequests is without effect.
//   - BeforePing hooks: the engine answers ping.
//
// # Design
//
// The server's side stands on package dispatch. What mcp-go demands of a transport
// is what dispatch does: to route answers, split arrays, keep ids raw, cancel by
// connection and id, drain, recover, run long requests off the reading goroutine,
// over HTTP too. The price is that the text HandleMessage wants is put together
// again from its parts, some 50 ns. The client's side stands directly on package
// transport, because mcp-go's client chooses ids and does the handshake itself.
//
// Each connection is a session, registered as long as it lasts; each request has a
// session of its own that shares its identity and has a channel of its own. What
// has no session at the protocol's level, as 2026-07-28 over HTTP, gets one per
// request that is not registered, and one that stands for all of them is, so that
// broadcasts reach those who listen: hooks for sessions see that one once.
//
// # Concurrency
//
// Everything exported is safe for concurrent use. Notifications of one call are
// sent in order by one goroutine, which exists once there are any.
//
// # Ownership
//
// mcp-go gets memory of its own for all it may keep. The text of a message is
// reused when HandleMessage returns, unless there are hooks that could keep it.
// Results given to a client are the client's.
//
// # Limits
//
// The constants of this package, each with what it stops, and those of the
// transports and of package dispatch. Two that mcp-go does not have: a handler
// may run for five minutes of its own time, and before the handshake on a byte
// stream is complete nothing but ping is served; Limits.HandlerTimeout and Gate of
// [Options].Dispatch change that.
//
// # Errors
//
// A client's errors have the sentinels of mcp-go's transport package in their
// trees: ErrTransportClosed, ErrSessionTerminated, ErrUnauthorized; and those of
// this module beside them.
package mcpgo
