// Package framing turns a byte stream into frames and frames into a byte
// stream. It knows nothing of what is inside a frame but that it is JSON text.
//
// # Usage
//
//	r := framing.NewReader(conn, framing.Newline, nil)
//	w := framing.NewWriterFor(r, conn, nil)
//	for {
//		frame, err := r.Next()
//		if framing.Recoverable(err) {
//			log.Print(err) // names what is wrong and where; the stream goes on
//			continue
//		}
//		if err != nil {
//			break // io.EOF is a clean end
//		}
//		// frame.Bytes() is one message
//		w.Queue(answer)
//		frame.Release()
//		if !r.More() {
//			w.Flush()
//		}
//	}
//
// A caller that is done with each frame before it asks for the next, as one that
// copies or searches a stream, takes them from [Reader.Lend] and has nothing to
// release.
//
// [Newline] is MCP's framing: a line feed ends a frame, one carriage return
// before it is dropped, lines of white space are skipped, one byte order mark
// at the start of the stream is skipped, and no other character ends a line.
// [ContentLength] is the framing of the Language Server Protocol. [Detect]
// lets the peer's first byte that is not white space decide: a letter begins a
// header, anything else a line. Any split of the input into reads gives the
// same frames, errors and offsets.
//
// # Concurrency
//
// A Reader is used by one goroutine at a time. That role may move between
// goroutines if the caller synchronises the move. Frames may be released by any
// goroutine, and Reader.Framing may be called by any.
//
// A Writer may be used by any number of goroutines. Concurrent Sends are merged:
// one of them, the leader, writes what has gathered in one go and hands the lead
// to the first that gathered meanwhile. No lock is held while the peer's
// connection is being written to. Whoever must not be held up by a peer that does
// not read uses TryQueue and [Writer.Push], which [Writer.Interrupt] ends early.
//
// # Ownership
//
// A frame's bytes are borrowed until its Release. They are cut to their length,
// so that an append cannot reach a neighbour. Releasing twice, through the same
// Frame or a copy of it, is a counted no-op, and a panic under the build tag
// wirespool_poison, which also overwrites each frame when it is released.
// Forgetting Release costs memory until the collector runs, never correctness.
// [Frame.Detach] copies out what is kept for longer than a moment. What
// [Reader.Lend] returns is borrowed until the Reader is called again.
//
// What Queue, QueueBytes are given is copied. What Send and SendBytes are given
// is borrowed until they return.
//
// # Limits
//
// See the constants of this package: each says which attack it stops. All are
// options and each refusal names its limit. A line that is too long costs no
// memory beyond its limit plus one read block (while a buffer grows, its
// predecessor of half the size exists beside it), a Content-Length that is too
// large costs none.
//
// # Errors
//
// A frame that is refused is an [*Error] from Next, with the limit or reason
// and the stream offset; call Next again. Anything else from Next is final:
// io.EOF for a clean end, otherwise the reader's error, wrapped.
//
// A Writer refuses a frame (an encoder's error, [ErrNotOneLine], a context that
// ended before admission) without harm to others. An error that wraps
// net.ErrClosed means that the writer is dead: after a failed write nobody can
// know what the peer has, so every later call returns that first failure.
package framing
