// Package transport is the seam between bytes and dispatch: what a connection
// is, what a message that came in carries besides its text, and how an answer
// finds its way back. Every transport of this module implements [Conn], and
// dispatch knows nothing but this package.
//
// # Usage
//
// [Stream] makes a Conn of any io.ReadWriteCloser, such as a Unix socket or a
// TCP connection; [Pipe] makes two that are joined in memory. A server that
// gets messages pushed, as HTTP does, hands them to an [Acceptor] instead of
// being read.
//
// # Concurrency
//
// Each interface states its contract method by method. In short: one reader at
// a time, though the role may change goroutine; any number of senders; Close at
// any time, from anywhere, any number of times.
//
// # Ownership
//
// What [Conn.Read] puts into an [Inbound] is borrowed until [Inbound.Release],
// or the Inbound's next use in Read. A message given to Send is borrowed until
// Send returns.
//
// # Limits
//
// A Stream has those of package framing and package codec: [StreamOptions].
//
// # Errors
//
// A bad frame is not an error of Read: it arrives as an Inbound whose Err says
// what is wrong, and the connection goes on. An error of Read is final. io.EOF
// is a clean end; everything a dead connection returns has net.ErrClosed in
// its tree, with the cause beside it.
package transport
