// Package eventlog keeps what was sent on a stream of server-sent events, so
// that a client that lost its connection can fetch what it missed (RS-05). It
// also has the other seams by which several replicas serve one client: a router
// for answers, a bus for changes, sessions that any replica can read. All of
// them come with an implementation for one process.
//
// Only the revisions of MCP up to 2025-11-25 resume streams. Later ones have no
// event ids (RS-14) and need no more than [Bus] and [Sealer].
//
// # Usage
//
//	log := eventlog.NewMemory(nil)
//	defer log.Close()
//
//	s := eventlog.Stream{Scope: sessionID, Key: eventlog.NewKey()}
//	err := log.Create(ctx, s, nil, eventlog.Limits{})
//	...
//	ev := &eventlog.Event{Data: message}
//	err = log.Append(ctx, s, ev) // then, and not before, ev.ID may be sent
//	...
//	err = log.Finish(ctx, s)
//
// and for a client that comes back with a Last-Event-ID header:
//
//	last, err := eventlog.ParseEventID(header)
//	...
//	s := eventlog.Stream{Scope: sessionID, Key: last.Key}
//	for ev, err := range log.After(ctx, s, last, true) {
//		if err != nil {
//			return err // before the first event: the status is 400
//		}
//		queue(ev)
//		if !ev.More {
//			flush()
//		}
//	}
//
// Store first, then send; store whether a client is there or not; and finish
// instead of drop, or what was sent in the gap is lost.
//
// # Concurrency
//
// Everything may be used by several goroutines at the same time. No lock is held
// while the body of a loop, a handler or a subscriber works. A [Memory] has no
// goroutine but the one of a timer while it removes expired streams, and none
// after Close.
//
// # Ownership
//
// What is given to a function is copied. The Data of an event that a loop yields
// and the message that a subscriber gets are shared with others: they must not
// be written to, and may be kept. The message that a [Router] hands to a handler
// is borrowed until the handler returns.
//
// # Limits
//
// See the constants of this package: each says what it stops. All are options.
// In a [Memory] a noisy stream pays for itself: it loses its own oldest events.
// Where all streams together are too large, finished ones go first.
//
// # Errors
//
// They are the variables of this package, wrapped where there is more to say.
// What a client's event id caused is answered with the status 400, never with
// 404, which would tell the client that its session is gone.
package eventlog
