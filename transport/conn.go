package transport

import (
	"context"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// Conn carries messages to and from one peer.
type Conn interface {
	// Read waits for the next message and puts it into in, releasing what in
	// held before. One goroutine reads at a time; the role may move from one
	// to another. What the peer got wrong is reported in in.Err, not returned:
	// an error of Read ends the connection. io.EOF is a clean end. Close
	// unblocks Read.
	Read(in *Inbound) error

	// Send writes m whole, or refuses it. Any number of goroutines may send.
	// m is borrowed until Send returns, and is then on its way or refused. ctx
	// bounds the wait for admission to the send queue and nothing else: a
	// message that was admitted is written whole whatever becomes of ctx. An
	// error with net.ErrClosed in its tree means that the connection is dead;
	// after any other error it is usable.
	Send(ctx context.Context, m *codec.Message) error

	// Close ends the connection, at once and for both sides. It is idempotent
	// and safe to call concurrently with everything else.
	Close() error

	// SessionID names the session where the transport has one, else "".
	SessionID() string
}

// Corker is what a Conn on a byte stream implements besides, so that a burst of
// requests is answered with one write. Queue and Flush may be called by any
// number of goroutines, as Send may; More only by the one that reads.
type Corker interface {
	// Queue puts m behind what is queued without writing it. m is borrowed
	// until Queue returns. What is queued goes out with the next Flush or Send.
	Queue(m *codec.Message) error

	// Flush writes everything that is queued and returns when it is written.
	Flush() error

	// More reports that a complete frame is already buffered: the next Read
	// will not block.
	More() bool
}

// Pusher is what a Corker implements besides whose callers need not be held up by
// a peer that does not read, so that they can write themselves instead of having
// a goroutine do so. TryQueue and Interrupt may be called by any number of
// goroutines; Push and then Finish by one at a time, beside others that send.
type Pusher interface {
	Corker

	// TryQueue is Queue unless that would have to wait for room: then it reports
	// false, and nothing is queued.
	TryQueue(m *codec.Message) (queued bool, err error)

	// Push is Flush, but does not wait for others that write, and Interrupt ends
	// its own write. more reports that something is left to be written: then
	// Finish must be called, before anything else is written.
	Push() (more bool, err error)

	// Finish writes what Push has left, and returns when that is done.
	Finish() error

	// Interrupt ends the write of a Push, if there is one. It does not block.
	Interrupt()
}

// Scope is a name space of ids: two requests with one id are the same only
// within one scope. It is the connection on a byte stream and on HTTP+SSE
// (always the zero Scope), the session on legacy Streamable HTTP, and the
// single POST in 2026-07-28 (CO-08 to CO-10). A Scope is meaningful only
// together with its Conn.
type Scope uint64

// Exchange is the way back for one message. On a byte stream it is the
// connection, one value for all; over HTTP it is the response to one POST.
type Exchange interface {
	// Send sends m on the stream that the message's peer expects it on. The
	// contract is that of [Conn.Send].
	Send(ctx context.Context, m *codec.Message) error

	// Context ends when the exchange can carry nothing more: with the
	// connection on a byte stream, with the response over HTTP.
	Context() context.Context
}

// Canceler is implemented by a Conn whose transport cancels a call by other
// means than a notification, as Streamable HTTP does in 2026-07-28 by closing
// that call's stream (SC26-07). Where a Conn lacks it, dispatch sends
// notifications/cancelled.
type Canceler interface {
	// Cancel gives up the call that was sent with this id. An id that is not
	// in flight is ignored. It does not block.
	Cancel(id codec.IDKey)
}

// KeepAliver is implemented by a Conn whose silence says nothing about its peer:
// on a network a peer may be gone for long before a write fails.
type KeepAliver interface {
	// KeepAlive returns after how much silence the peer should be asked whether
	// it is still there, unless its user says otherwise; 0 for never.
	KeepAlive() time.Duration
}

// LegacyOnly is implemented by a Conn of a transport that belongs to the revisions
// with a handshake: no later one is spoken on it, whatever both ends could speak
// elsewhere (HS-12).
type LegacyOnly interface {
	LegacyOnly()
}

// Caller is implemented by a Conn on which a request and its answer are one
// exchange, as over HTTP: a caller that waits anyway spares the way through Read.
type Caller interface {
	// Call sends a request and gives take what comes back for it, as Read would:
	// notifications and requests of the peer, and last the answer, or that there
	// is none. It returns when nothing more comes. When ctx ends, the call is
	// cancelled, and Call returns soon. What take gets is borrowed until it
	// returns. Call fails with errors.ErrUnsupported, and nothing was sent, where
	// Send has to be used.
	Call(ctx context.Context, m *codec.Message, take func(in *Inbound)) error
}

// Dialer opens connections to one endpoint: a command to start, a URL.
type Dialer interface {
	// Dial opens a connection. ctx bounds the opening alone. Dial may be
	// called again, concurrently or after an earlier connection ended.
	Dial(ctx context.Context) (Conn, error)
}

// DialFunc is a function as a Dialer: for a connection that is there already, such
// as one end of [Pipe], or comes about in a way of one's own.
type DialFunc func(ctx context.Context) (Conn, error)

// Dial implements [Dialer].
func (f DialFunc) Dial(ctx context.Context) (Conn, error) { return f(ctx) }

// EraMemory is implemented by a Dialer that remembers which era its endpoint was
// found to speak, so that a client asks once (VN-26).
type EraMemory interface {
	// Era returns the era, or [protocol.EraUnknown] while nothing is known.
	Era() protocol.Era
}

// Acceptor takes messages that a transport pushes instead of being read.
// dispatch.Server implements it.
type Acceptor interface {
	// Attach makes known a connection whose Read nobody calls: the transport
	// hands each message to the Receiver instead. c.Send carries what belongs
	// to no exchange.
	Attach(c Conn) Receiver
}

// Receiver takes the messages of one attached connection.
type Receiver interface {
	// Receive handles one message on the caller's goroutine and returns when
	// its answer, if it gets one, has been given to in.Via. It takes over what
	// in holds, as [Inbound.MoveTo] does: in is empty when it returns. Any
	// number of goroutines may call it.
	Receive(in *Inbound)

	// Detach ends the connection: calls to the peer fail with cause, and
	// running handlers are cancelled. It is idempotent.
	Detach(cause error)
}
