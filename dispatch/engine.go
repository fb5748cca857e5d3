package dispatch

import (
	"context"
	"log/slog"
	"net"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/internal/linger"
	"github.com/wirespool/wirespool/protocol"
)

// Profile says which dialect of JSON-RPC 2.0 is spoken.
type Profile uint8

const (
	// MCP is the Model Context Protocol: a handshake or per-request metadata,
	// params are objects, arrays only where the revision has them.
	MCP Profile = iota
	// JSONRPC is plain JSON-RPC 2.0: no handshake, positional params, batches
	// always.
	JSONRPC
)

// Options configure a [Server] or a client. They are copied; the zero value is
// ready to use.
type Options struct {
	// Info is what this side says about itself.
	Info Info
	// Profile is the dialect, MCP by default.
	Profile Profile
	// Gate is what a server serves before a legacy handshake is complete.
	Gate Gate
	// Limits bound what peers can do.
	Limits Limits
	// TimeoutCode is the code that a request is answered with when its handler
	// runs out of time; 0 means -32000.
	TimeoutCode int
	// Idempotency, if set, keeps outcomes for callers who ask again.
	Idempotency *Idempotency
	// IDsPerExchange serves clients that give several requests of one session
	// the same id at a time: over a transport that pushes messages, each of them
	// has a name space of ids of its own then. A cancellation that fits more than
	// one request is ignored.
	IDsPerExchange bool
	// Listen, if set, judges a subscriptions/listen that the engine serves: it
	// may take away from what is granted, which is what the client asked for as
	// far as our capabilities announce it, or refuse all of it.
	Listen func(ctx context.Context, r *Request, granted *Filter) error
	// Rounds, if set, lets handlers ask the client in 2026-07-28 too.
	Rounds *Rounds
	// KeepAlive asks peers that are silent whether they are still there.
	KeepAlive KeepAlive
	// Outgoing wraps every call that is sent by [Peer.Call], the first
	// outermost: to authorize, measure or log what goes out.
	Outgoing []func(CallFunc) CallFunc
	// Observer is told of every request, call, notification and connection; nil
	// costs nothing.
	Observer Observer
	// NewTraces begins a trace for each request that comes without one, and for
	// each call made outside of any.
	NewTraces bool
	// Logger gets the engine's diagnostics; nil discards them.
	Logger *slog.Logger
}

// engine is what the peers of one Server or Client share.
type engine struct {
	opts        Options
	limits      Limits
	timeoutCode int64
	versions    []protocol.Revision // oldest first
	log         *slog.Logger
	metrics     *Metrics     // of Options.Observer
	observer    Observer     // the rest of it
	starter     Starter      // observer, if it is one
	logs        *logObserver // observer, if it is one
	mux         Mux
	sched       scheduler
	watchdog    watchdog
	outcomes    *outcomeStore // nil where none are kept
	hub         hub
	stamper     stamper
	sealer      sealer
	listen      *route                 // of subscriptions/listen; nil if there is nothing to listen for
	lingering   *linger.Watch[Request] // pushed requests that may turn out to be slow

	closing atomic.Bool

	mu    sync.Mutex
	peers map[*Peer]struct{}
}

func newEngine(opts *Options) *engine {
	e := &engine{peers: make(map[*Peer]struct{}), timeoutCode: protocol.CodeTimeout}
	if opts != nil {
		e.opts = *opts
	}
	e.limits = e.opts.Limits.filled()
	if e.opts.TimeoutCode != 0 {
		e.timeoutCode = int64(e.opts.TimeoutCode)
	}
	e.versions = slices.Clone(e.opts.Info.Versions)
	if len(e.versions) == 0 {
		e.versions = slices.Collect(protocol.Revisions())
	}
	e.metrics, e.observer = split(e.opts.Observer)
	e.starter, _ = e.observer.(Starter)
	e.logs, _ = e.observer.(*logObserver)
	if e.opts.Profile != JSONRPC && subscribable(e.opts.Info.Capabilities) {
		e.listen = &route{pattern: protocol.MethodSubscriptionsListen, handle: openListen}
	}
	e.sealer = newSealer(e.opts.Rounds)
	e.stamper = newStamper(&e.opts.Info)
	e.log = e.opts.Logger
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if e.opts.Idempotency != nil {
		e.outcomes = newOutcomeStore(*e.opts.Idempotency)
	}
	e.lingering = linger.New(lingerAfter, (*Request).arm)
	e.sched.max = int64(e.limits.MaxHandlers)
	e.sched.perPeer = int64(e.limits.MaxHandlersPerPeer)
	return e
}

func (e *engine) isClosing() bool { return e.closing.Load() }

// add makes p one of the engine's peers; false when the engine is closing.
func (e *engine) add(p *Peer) bool {
	e.mu.Lock()
	closing := e.closing.Load()
	if !closing {
		e.peers[p] = struct{}{}
	}
	e.mu.Unlock()
	if !closing && e.opts.Observer != nil {
		p.reportOpened()
	}
	return !closing
}

// remove undoes add; false when p was not there.
func (e *engine) remove(p *Peer) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.peers[p]
	delete(e.peers, p)
	return ok
}

// shutdown refuses new requests, waits for the running ones until ctx ends, and
// closes every connection.
func (e *engine) shutdown(ctx context.Context) error {
	e.mu.Lock()
	e.closing.Store(true)
	peers := make([]*Peer, 0, len(e.peers))
	for p := range e.peers {
		peers = append(peers, p)
	}
	e.mu.Unlock()
	// All at once: one that does not end takes all the time there is.
	var late atomic.Bool
	var draining sync.WaitGroup
	for _, p := range peers {
		draining.Go(func() {
			if !p.drain(ctx) && ctx.Err() != nil {
				late.Store(true)
			}
		})
	}
	draining.Wait()
	var err error
	if late.Load() {
		err = context.Cause(ctx)
	}
	for _, p := range peers {
		_ = p.shut(net.ErrClosed) // ending anyway
		if p.pushed {
			p.over()
		}
	}
	for _, p := range peers {
		select {
		case <-p.done:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	e.watchdog.close()
	e.lingering.Stop()
	e.outcomes.close()
	return err
}

// reportPanic logs a handler's panic with its stack; the peer learns nothing of
// it.
func (e *engine) reportPanic(method string, v any) {
	e.log.Error("handler panicked", "method", method, "panic", v, "stack", string(debug.Stack()))
}
