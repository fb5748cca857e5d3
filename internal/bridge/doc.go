// Package bridge carries MCP between two transports: a client in front, a
// server at the back, messages passed on one by one and in order.
//
// # Usage
//
// [New] makes a Bridge of the Dialer of its backs: a command to start, a URL.
// What accepts clients is given the Bridge in place of a server: it is a
// [transport.Acceptor] for Streamable HTTP and has Serve for connections that
// are read. Each session in front has a back of its own, opened at its first
// message; requests of 2026-07-28, which have no session, share one.
//
// A message is decoded once, looked up once and copied once. Ids, progress
// tokens and subscription ids are the bridge's own towards either side and
// restored exactly on the way back (CO-08, PR-01, SU-05), so that clients cannot
// meet in a back that they share; all the rest passes byte for byte, whatever it
// is called. Arrays are taken apart, and their answers put together again.
//
// # Eras
//
// Where both sides speak the same era, nothing is changed. Between a client of
// 2026-07-28 and a server that wants initialize, and between a client that
// initializes and a server of 2026-07-28, the bridge speaks for the one to the
// other: handshake, _meta, log level, subscriptions, and requests of the server
// (MR-12). A server over HTTP that answers as one of the other era would is asked for
// its era again, and spoken to otherwise from then on; what it refused fails. So is one
// that answers initialize and refuses what follows: nothing fails then.
//
// # Concurrency
//
// A Bridge serves any number of fronts at a time. What the front sends is passed
// on by whoever brings it; what a back sends, by the goroutine that reads that
// back, up to the goroutine of the HTTP request that waits for it: a client that
// does not read holds up nobody else.
//
// # Ownership
//
// Messages are borrowed and transferred as package transport says. Options are
// copied.
//
// # Limits
//
// limits.go has all of them, each with what it stops.
//
// # Errors
//
// A request that got no answer from the back is answered with a JSON-RPC error
// that names the hop which failed: an [*Error], in its message and its data. Over
// HTTP that is an answer like any other, with the status 200. The data says when
// the request provably did not run, the message when nobody knows. What a child
// wrote to its standard error is in neither, unless Options.Stderr is set.
package bridge
