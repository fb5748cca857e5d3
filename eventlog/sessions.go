package eventlog

import (
	"context"
	"time"
)

// Sessions keeps what a replica must know of a session that another one began:
// the negotiated version, who the client is, what it can do. Its methods may be
// called concurrently.
type Sessions interface {
	// Save stores state, copied, for ttl, under an id that the caller made up
	// and that nobody can guess, and returns the id by which the client will
	// name the session: the same, or one that holds the state itself. The
	// session belongs to that principal.
	Save(ctx context.Context, id, principal string, state []byte, ttl time.Duration) (string, error)

	// Load returns the state of a session, which is the caller's. An error that
	// wraps [ErrRefused] means that the principal has no such session.
	Load(ctx context.Context, id, principal string) ([]byte, error)

	// Delete ends a session. One that is not there is no error.
	Delete(ctx context.Context, id string) error
}
