package eventlog

import (
	"errors"
	"fmt"
	"net"
)

// Errors of a [Log]. A client that caused one of the first three is answered
// with the status 400: 404 would tell it that its session is gone.
var (
	// ErrBadID: an event id that is malformed, or not one of this stream.
	ErrBadID = errors.New("eventlog: bad event id")

	// ErrUnknown: no such stream in this scope. Whether it exists in another one
	// is not told.
	ErrUnknown = errors.New("eventlog: unknown stream")

	// ErrPurged: events that should follow are no longer kept.
	ErrPurged = errors.New("eventlog: events were purged")

	// ErrExists: Create of a stream that exists.
	ErrExists = errors.New("eventlog: stream exists")

	// ErrFinished: Append to a finished stream.
	ErrFinished = errors.New("eventlog: stream is finished")

	// ErrFull: unfinished streams take up all the room there is.
	ErrFull = errors.New("eventlog: log is full")

	// ErrClosed: the log was closed. It has net.ErrClosed in its tree.
	ErrClosed = fmt.Errorf("eventlog: log is closed: %w", net.ErrClosed)
)

// Errors of a [Router].
var (
	// ErrNoReplica: nobody serves under that name.
	ErrNoReplica = errors.New("eventlog: no such replica")

	// ErrServing: the router has a handler already.
	ErrServing = errors.New("eventlog: replica is already served")
)

// ErrRefused is in the tree of every error with which a [Sealer] or [Sessions]
// refuses what a peer presented. The peer must be answered the same whatever
// the reason was, or it could tell a forged text from one of somebody else's.
var ErrRefused = errors.New("eventlog: refused")

// Reasons of [ErrRefused], for our own eyes.
var (
	// ErrUnsealable: not sealed by a key of the ring, changed, or too long.
	ErrUnsealable = fmt.Errorf("%w: not sealed by us", ErrRefused)

	// ErrForeign: sealed for another audience or principal.
	ErrForeign = fmt.Errorf("%w: sealed for somebody else", ErrRefused)

	// ErrExpired: sealed by us, and too long ago.
	ErrExpired = fmt.Errorf("%w: expired", ErrRefused)

	// ErrDeleted: the session was deleted.
	ErrDeleted = fmt.Errorf("%w: deleted", ErrRefused)

	// ErrTooLarge: what should be sealed is longer than the limit. It is the
	// caller's mistake and not an ErrRefused.
	ErrTooLarge = errors.New("eventlog: too large to seal")
)
