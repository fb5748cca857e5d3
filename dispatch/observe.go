package dispatch

import (
	"context"
	"slices"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// Observer is told what happens on the connections of a Server or Client, in
// both directions. [NewMetrics] and [NewLogObserver] make observers;
// [Observers] makes one of several.
type Observer interface {
	// Observe is called once for each event, on the goroutine that brought it
	// about: at a request's end before its answer is sent, at a call's end
	// before the call returns. It must be quick, and safe for concurrent use. If
	// it panics that is logged. e and the views it holds are borrowed until
	// Observe returns.
	Observe(e *Event)
}

// Starter is an Observer that wants to be there from the beginning, as tracing
// does.
type Starter interface {
	Observer
	// Start is called before a request or notification is handled, and before a
	// call or notification of ours is sent, with what is known of the event by
	// then. The context it returns is ctx or made from it: the handler gets it,
	// the trace in it is sent, and the event has it in the end. Each Start is
	// followed by Observe with an event of the same kind. As [Observer.Observe]
	// in everything else.
	Start(ctx context.Context, e *Event) context.Context
}

// EventKind says what happened.
type EventKind uint8

// The kinds of events.
const (
	// EventServed: a request has been handled, or was cancelled before.
	EventServed EventKind = iota
	// EventRefused: what came in was not handled: no message, a method nobody
	// serves, nothing that may come now, no room.
	EventRefused
	// EventNotified: a notification has been handled, or ignored.
	EventNotified
	// EventCalled: a call of ours has ended, or one attempt of a call that is
	// sent again.
	EventCalled
	// EventSent: a notification of ours has been sent, or has not (Err).
	EventSent
	// EventOpened and EventClosed: a connection began, and ended.
	EventOpened
	EventClosed
	eventKinds
)

var eventText = [eventKinds]string{"request served", "input refused", "notification received", "call made", "notification sent", "peer opened", "peer closed"}

// String returns the kind in a few words.
func (k EventKind) String() string {
	if k < eventKinds {
		return eventText[k]
	}
	return "unknown"
}

// Event is what an [Observer] is told. A field that makes no sense for its kind
// is zero.
type Event struct {
	Kind EventKind
	// Peer is the connection.
	Peer *Peer
	// Context is that of the handler or of the call. [TraceFrom] reads its
	// trace.
	Context context.Context
	// Start is when the handler, the call or the connection began.
	Start time.Time
	// Method is the name of the request or notification: copied. The peer chose
	// it, if it sent it, and may have chosen anything.
	Method string
	// Route is what the handler was registered for, such as "tools/*": with the
	// methods of MCP the names there are reason to count by.
	Route string
	// ID is the request's: borrowed.
	ID codec.ID
	// Revision is the one in force.
	Revision protocol.Revision
	// Params are raw JSON as they came or were to be sent: borrowed.
	Params codec.Value
	// Result is raw JSON: borrowed.
	Result codec.Value
	// Err is why there is no result, as this side knows it: what a handler
	// returned, what a call returns, why a connection ended.
	Err error
	// Wire is the error that was answered, or came as the answer: not to be
	// changed.
	Wire *codec.Error
	// Outcome is the end in one word.
	Outcome Outcome
	// Code is that of Wire, or 0.
	Code int64
	// BytesIn and BytesOut are lengths in bytes: of the frame that came in, of
	// an array's the share of each item, and of the params, the result or the
	// error that go out.
	BytesIn, BytesOut int
	// Duration is the time that the handler took, that a call took until its
	// answer was there, or that a connection lasted.
	Duration time.Duration
	// Wait is the time that a request waited for a place before that.
	Wait time.Duration
}

// Observers returns an observer that passes everything on to all of these; nil
// ones are left out, and nil is returned where none is left.
func Observers(all ...Observer) Observer {
	var some observers
	starts := false
	for _, o := range all {
		if o != nil {
			some = append(some, o)
			_, ok := o.(Starter)
			starts = starts || ok
		}
	}
	switch {
	case len(some) == 0:
		return nil
	case len(some) == 1:
		return some[0]
	case starts:
		return starters{some}
	}
	return some
}

type observers []Observer

// Observe implements Observer.
func (all observers) Observe(e *Event) {
	for _, o := range all {
		o.Observe(e)
	}
}

// split takes the first Metrics out of an observer, which may be one of several.
func split(o Observer) (*Metrics, Observer) {
	var all observers
	switch o := o.(type) {
	case *Metrics:
		return o, nil
	case observers:
		all = o
	case starters:
		all = o.observers
	}
	for i, one := range all {
		if m, ok := one.(*Metrics); ok {
			return m, Observers(slices.Concat(all[:i], all[i+1:])...)
		}
	}
	return nil, o
}

// starters are observers with a Starter among them.
type starters struct{ observers }

// Start implements Starter.
func (all starters) Start(ctx context.Context, e *Event) context.Context {
	for _, o := range all.observers {
		if s, ok := o.(Starter); ok {
			ctx = s.Start(ctx, e)
		}
	}
	return ctx
}
