// Package eventstream reads and writes text/event-stream, the format of
// server-sent events, exactly as the HTML standard defines it (SE-01 to SE-06).
// It knows nothing of what the events carry.
//
// # Usage
//
// A server appends events to a slice and writes it; an event that was appended
// once may be written to any number of receivers:
//
//	b, err := eventstream.AppendEvent(b[:0], eventstream.Event{ID: id, Data: message})
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
// # Concurrency
//
// The Append functions are pure. A [Reader] is for one goroutine at a time.
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
// doubled: comments and lines of unknown fields are dropped as they come.
//
// # Errors
//
// An event that is refused is an [*Error] from Next, with the limit and the
// stream offset; call Next again. Anything else from Next is final.
package eventstream
