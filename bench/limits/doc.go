// Package limits holds the least that must be done to move, frame, check and
// answer messages on this machine, as small as Go lets it be written. What the
// engine costs is told in multiples of these, so that a figure means something
// on any machine.
//
// # Usage
//
// Bytes: [Copy], [Append], [UTF8]. Framing: [Lines], [Headers] and [Events] hand
// out one frame after another. Memory: [Ring]. Whole servers on any reader and
// writer: [Pipe] returns every line unread, [StdJSON] is the simplest server on encoding/json; as the
// process behind a pair of pipes they are the limits of a stdio server. [Relay] and [RelayHTTP] pass on
// unread what goes between a client on a socket and such a server.
// [Handler], [EventStream] and [Tuned] are handlers that answer every request alike,
// [Broadcaster] is one that says the same to many.
//
// # Concurrency
//
// The functions may run concurrently; Lines, Headers and Events are for one
// goroutine, Ring.Append and the handlers are for any number.
//
// # Ownership
//
// A frame is borrowed until the next call of Next. Arguments are borrowed until
// the call returns.
//
// # Limits
//
// None: buffers grow with what a peer sends or announces. These are yardsticks
// for input of one's own, not servers for strangers.
//
// # Errors
//
// Errors of readers and writers come back as they are; input that ends within a
// frame is io.ErrUnexpectedEOF.
package limits
