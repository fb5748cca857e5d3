package eventlog

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"sync"
)

// RouteHandler takes a message that was sent to this replica by the one called
// from. The message is borrowed until the handler returns. An error refuses it.
type RouteHandler func(ctx context.Context, from string, msg []byte) error

// Router takes a message to the replica that waits for it: the answer to a
// request that a server sent may be posted to any replica, and the id of the
// request says which one sent it. Its methods may be called concurrently.
type Router interface {
	// Self is the name of this replica, new at each start, so that what was
	// meant for its predecessor finds nobody. It has letters, digits, "-" and
	// "_", and is at most 22 bytes long, to be part of a JSON-RPC id.
	Self() string

	// Serve hands messages to h until ctx ends. It returns once they reach it.
	// Calls of h may be concurrent. [ErrServing] if there is a handler already.
	Serve(ctx context.Context, h RouteHandler) error

	// Deliver returns nil when the handler of that replica has returned nil.
	// [ErrNoReplica] if nobody serves there; any other error means that the
	// message was refused, or that nobody knows. msg is borrowed until Deliver
	// returns.
	Deliver(ctx context.Context, replica string, msg []byte) error
}

// LocalRouter is a [Router] within one process. Handlers run on the goroutine
// that delivers.
type LocalRouter struct {
	self string
	all  *replicas
}

var _ Router = (*LocalRouter)(nil)

// replicas are the routers of one process that reach each other.
type replicas struct {
	mu       sync.RWMutex
	handlers map[string]RouteHandler
}

// NewLocalRouter returns a router that reaches itself, and those that Join adds.
func NewLocalRouter() *LocalRouter {
	return (&LocalRouter{all: &replicas{handlers: map[string]RouteHandler{}}}).Join()
}

// Join returns a further replica in this process. All that came of one
// NewLocalRouter reach each other.
func (r *LocalRouter) Join() *LocalRouter {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return &LocalRouter{self: base64.RawURLEncoding.EncodeToString(b[:]), all: r.all}
}

// Self implements [Router].
func (r *LocalRouter) Self() string { return r.self }

// Serve implements [Router].
func (r *LocalRouter) Serve(ctx context.Context, h RouteHandler) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	if r.all.handlers[r.self] != nil {
		return ErrServing
	}
	r.all.handlers[r.self] = h
	context.AfterFunc(ctx, func() {
		r.all.mu.Lock()
		defer r.all.mu.Unlock()
		delete(r.all.handlers, r.self)
	})
	return nil
}

// Deliver implements [Router].
func (r *LocalRouter) Deliver(ctx context.Context, replica string, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.all.mu.RLock()
	handle := r.all.handlers[replica]
	r.all.mu.RUnlock()
	if handle == nil {
		return fmt.Errorf("%w: %.22q", ErrNoReplica, replica)
	}
	return handle(ctx, r.self, msg)
}
