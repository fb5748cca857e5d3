// Package gosdk puts the transports of this module under the official Go SDK of MCP,
// github.com/modelcontextprotocol/go-sdk: servers and clients are written and run as
// before, and only the line that names the transport changes. It uses what the SDK
// exports and nothing else.
//
// # Usage
//
// A server on standard input and output:
//
//	err := server.Run(ctx, &mcp.StdioTransport{})      // before
//	err := gosdk.Run(ctx, server, gosdk.Stdio(nil))    // after
//	err := server.Run(ctx, gosdk.Stdio(nil))           // does the same, but see Speed
//
// A client of a child process:
//
//	cs, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command("server", "-x")}, nil)
//	cs, err := client.Connect(ctx, gosdk.Command([]string{"server", "-x"}, nil), nil)
//
// A server over Streamable HTTP. The first line takes the SDK's options; the second
// has those of package streamhttp, and serves both eras of the protocol with
// sessions at one endpoint:
//
//	h := mcp.NewStreamableHTTPHandler(getServer, opts)
//	h := gosdk.NewStreamableHTTPHandler(getServer, opts)
//	h := gosdk.NewHandler(getServer, &streamhttp.Options{Log: eventlog.NewMemory(nil)})
//
// A client over Streamable HTTP:
//
//	t := &mcp.StreamableClientTransport{Endpoint: url}
//	t := gosdk.URL(url, nil)                                                  // or
//	t := gosdk.StreamableClient(&mcp.StreamableClientTransport{Endpoint: url}) // with its settings
//
// HTTP+SSE, both sides, and two ends in one process:
//
//	mcp.NewSSEHandler(getServer, nil)      gosdk.NewSSEHandler(getServer, nil)
//	&mcp.SSEClientTransport{Endpoint: url} gosdk.SSE(url, nil)
//	mcp.NewInMemoryTransports()            gosdk.Pipe(nil)
//	&mcp.IOTransport{Reader: r, Writer: w} gosdk.IO(r, w, nil)
//
// Any other connection of this module is one of the SDK's by [Over], and any dialer
// by [Dial]. [NewLog] has our handlers keep events in a store written for the SDK,
// [NewEventStore] has the SDK's keep them in a log of ours.
//
// # What changes
//
// Better:
//
//   - A line that is no message is answered or reported, and the session goes on;
//     so do too long lines, and names that occur twice are refused (FR-03, CO-22).
//   - Ids come back as they were written, of any size and spelling, also in
//     cancellations and subscriptions (CO-07, SU-05).
//   - A cancelled request gets no answer (CA-05).
//   - A request of 2026-07-28 whose client has left is cancelled, without an option
//     (SH26-21).
//   - A call that takes long over HTTP has headers and keep-alive comments early
//     (SH26-24); errors that need an HTTP status still get it.
//   - What nobody is there to take fails by itself and never ends the session.
//   - When standard input ends, calls that run are still answered ([Options].DrainWait).
//   - Handlers can print: standard output is out of their reach on stdio.
//   - A handler's context has the values of the HTTP request its call came in, and
//     its RequestExtra the token and the headers of that request, where a session
//     has those of its first request otherwise.
//   - Requests without a session share sessions of the SDK instead of making one
//     each: most of what 2026-07-28 costs is gone.
//   - Replies that come together go out with one write, and a payload is neither
//     parsed nor encoded by the transport.
//   - A call of a tool costs a tenth or less of what it did, in time and in memory: see
//     Speed.
//   - A client whose session the server has forgotten gets a new one; calls that may
//     be repeated are.
//
// Different:
//
//   - Origin is checked on every HTTP request, answers are one JSON text where one
//     message suffices, and idle sessions end after a while: see
//     [NewStreamableHTTPHandler].
//   - Session ids are made by the transport; ServerOptions.GetSessionID is not asked.
//   - A session belongs to the user of the token that opened it; for others it does
//     not exist, which is 404 instead of 403.
//   - Server.Sessions has the sessions that requests share, and one that watches
//     which tools there are; no InitializedHandler is called for these.
//   - While 2026-07-28 is in force, ServerSession.InitializeParams of requests that
//     share a session says nothing of any client; ask the request.
//
// Limits of the SDK that stay:
//
//   - It decodes params and encodes results itself, except where Speed says otherwise.
//   - Of two subscriptions on one connection of stdio the later replaces the
//     earlier; over HTTP each has a session of its own, where this does not happen.
//   - On the client, a callback for progress may run after its call has returned.
//   - Errors of handlers that are no *jsonrpc.Error go out with the code 0.
//
// Impossible from outside:
//
//   - What ServerOptions.SupportedProtocolVersions says cannot be read: give
//     streamhttp.Options.Versions the same.
//   - Optional interfaces of connections have unexported methods. What they tell is
//     read off the messages instead.
//   - Which call a notification was made in is noted under an unexported key of the
//     context. The adapter learns the key once by watching the SDK use it; if a later
//     release cannot be watched, progress is assigned by its token, and anything else
//     where only one call runs in a session.
//
// # Speed
//
// The SDK decodes the params of a request at least twice, with v1.8.0 into a new
// buffer of 32 KB or more each time, and the text of a result passes through its
// encoder four times. No transport can keep it from that, but middleware can. Where
// the adapter knows the server, which is in [Run] and over Streamable HTTP, it adds
// some, and the SDK is not given a tools/call but a small request that stands in for
// it; the middleware calls the tool with the params, and encodes the result. Tools,
// and middleware that was there before, see what they always saw. How many times
// faster a call to a server is than on the SDK's own transports, and its part of their
// allocated bytes, medians of nine runs; the third row is what a transport of the
// SDK could reach at most:
//
//	                              100 B         64 KB         1 MB
//	Run on stdio                  16×    0.01   18×    0.10   10×    0.10
//	server.Run on stdio           1.9×   0.41   1.9×   0.55   2.4×   0.57
//	a transport that does nothing 2.0×   0.40   1.5×   0.53   1.8×   0.52
//	HTTP with sessions            16×    0.02   17×    0.08   24×    0.07
//	HTTP of 2026-07-28            31×    0.01   25×    0.05   14×    0.06
//
// What goes the SDK's whole way: the first call of a session, methods other than
// tools/call, elements of arrays, params that ask for input or answer such a
// question, and in 2026-07-28 the first call of each client, and of one that wants
// log messages. So do all calls where other middleware was added behind the adapter's,
// which that happens to see as tools/list once: what it does with calls holds for all
// of them.
//
// # Concurrency
//
// As in the SDK: what it connects to is used once, and handlers serve any number of
// requests.
//
// # Ownership
//
// Options are copied. Params that a handler gets are the SDK's own, as before: they
// may be kept. The adapter lets the SDK read a message where it was received and
// gives the memory back when the call is answered; whatever replaces the SDK's
// decoding by middleware must not keep raw params longer than that.
//
// # Limits
//
// Those of the packages underneath, through their options, and the constants here.
//
// # Errors
//
// Errors of calls are those of the SDK: [mcp.ErrConnectionClosed] with the reason in
// its tree when the connection has ended, such as a *stdio.ExitError, and
// [mcp.ErrSessionMissing] where a session was lost and the call was not repeated.
package gosdk
