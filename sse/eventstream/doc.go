// Package eventstream reads and writes text/event-stream, the format of
// server-sent events, exactly as the HTML standard defines it (SE-01 to SE-06).
// It knows nothing of what the events carry.
//
// # Usage
//
// A server appends events to a slice and writes it; an event that was appended
// once may be written to any number of receivers:
//
//	b, err := eventstream.AppendEvent(b[:0], eventstream.Event{ID: id, Data: message}) // both are bytes
//
// [AppendHead] and [AppendTail] are for whoever appends the data in place.
// [AppendPrime], [AppendRetry] and [AppendComment] are the rest of the format.
//
// A client pulls events from a body:
//
//	r := eventstream.NewReader(resp.Body, nil)
//	defer r.Close()
//	for {
//		e, err := r.Next()
//		if eventstream.Recoverable(err) {
//			continue // one event was too long; err says so
//		}
//		if err != nil {
//			return err // io.EOF is the end of the stream
//		}
//		// e.Data is valid until the next call
//	}
//
// A client whose stream is to survive its connections pulls them from a
// [Source], which waits as the server and [Backoff] say, resumes from the last
// event id, and drops what it has seen:
//
//	s := eventstream.NewSource(ctx, eventstream.Requests(client, newRequest), nil)
//	defer s.Close()
//	e, err := s.Next()
//
// # Concurrency
//
// The Append functions are pure. A [Reader] is for one goroutine at a time, and
// so is a [Source], but for Close. A Source has no goroutine of its own: it does
// all in Next.
//
// # Ownership
//
// The Append functions write to dst alone and borrow the rest until they
// return. The slices of an [Event] from Next are borrowed until the next call of
// Next; they are cut to their length, so that an append cannot reach a
// neighbour. The build tag wirespool_poison overwrites the data then.
//
// # Limits
//
// See the constants of this package: each says which failure it stops. All are
// options, and each refusal names its limit. A stream holds 4 KiB while it is
// quiet, and while an event comes in no more than that event's data needs,
// doubled: comments and lines of unknown fields are dropped as they come. A
// Source gives up after a number of attempts without progress, and where the
// peer asks for too long a wait.
//
// # Errors
//
// An event that is refused is an [*Error] from Next, with the limit and the
// stream offset; call Next again. Anything else from Next is final: of a Reader
// the end of its stream, of a Source what kept it from going on, be that
// [ErrGaveUp], [ErrNotResumable] or a [*ResponseError] with its status.
package eventstream
