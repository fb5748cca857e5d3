package eventstream

import "time"

// Event is one event of a stream. A [Reader] returns it, [AppendEvent] writes it.
type Event struct {
	// Name is the event type. Empty means "message" (SE-04); use [Event.Is].
	Name []byte

	// Data is the data lines joined with LF. From a Reader it is nil when the
	// block had no data line at all and only brought an id or a retry: such a
	// block is no event to a browser, but its id and retry count (SE-05). An
	// event of MCP that primes a stream has Data that is empty.
	Data []byte

	// ID is, from a Reader, the last event id in force, whether this event or
	// an earlier one set it. To AppendEvent it is the id to send, if not empty.
	ID []byte

	// HasID says that this event itself has an id line. With an empty ID that
	// line resets the last event id (SE-06).
	HasID bool

	// Retry is the reconnection time that the event sets, in whole milliseconds
	// on the wire, and HasRetry that it sets one.
	Retry    time.Duration
	HasRetry bool
}

// message is the type of an event that names none.
const message = "message"

// Is reports whether the event's type is name. An event without a name has the
// type "message" (SE-04).
func (e *Event) Is(name string) bool {
	if len(e.Name) == 0 {
		return name == message
	}
	return string(e.Name) == name
}
