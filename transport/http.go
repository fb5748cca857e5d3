package transport

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// What follows are interfaces that an Exchange or a Conn may have besides, for
// what HTTP adds to a message. Nobody needs them to answer.

// ErrNoStream is in the tree of the error of Send where nothing can carry the
// message now: the client has no stream open, or does not take one.
var ErrNoStream = errors.New("transport: the client has no stream open for this message")

// ErrStreamOver is returned for what is sent behind the answer of an exchange.
var ErrStreamOver = fmt.Errorf("%w: the exchange is over", net.ErrClosed)

// ErrDraining is the cause of the end of an exchange's Context when it ends
// because the endpoint shuts down, not because the peer has left: what answers the
// message is still taken.
var ErrDraining = errors.New("transport: the endpoint shuts down")

// Headers is an Exchange whose message came with headers beside it.
type Headers interface {
	// Header returns them by the canonical names of net/http. They must not be
	// written to, and may be kept.
	Header() map[string][]string
}

// Requester is an Exchange whose message came in an HTTP request.
type Requester interface {
	Headers
	Principal
}

// Poller is an Exchange that can let go of its connection before the answer: the
// client comes back for it after the given time, a server's default if that is
// zero. What was sent and what comes is kept meanwhile (SL-11). It fails with
// errors.ErrUnsupported where the client would not come back.
type Poller interface {
	CloseStream(retry time.Duration) error
}

// Committer is an Exchange whose status is still open: Commit makes it an event
// stream with nothing in it yet, for a handler that has nothing to say and will
// take its time. An error status is not possible afterwards. It fails with
// [ErrNoStream] in its tree where the client takes no stream. The exchanges of
// streamhttp that are answered have it, in every revision, and those of no other
// transport; only in 2025-11-25, in a session whose events are kept, does the
// stream begin with an id to come back with. streamhttp.Options.StreamAfter does
// the same for all calls.
type Committer interface {
	Commit() error
}

// Deferrer is an Exchange that can tell its peer to come again later by other
// means than the code of an error. Busy is called before the error is sent.
type Deferrer interface {
	Busy()
}

// Shared is a Conn that stands for any number of clients: no message that comes
// on it has to do with an earlier one, and no handshake changes it. Revision
// names the protocol revision in force for a message that does not name its own.
type Shared interface {
	Revision() string
}
