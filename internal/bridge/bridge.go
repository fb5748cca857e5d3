package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Options configure a Bridge. They are copied; the zero value is ready to use.
type Options struct {
	// Over is what the way to a back consists of, for errors that do not say it
	// themselves: HopChild, HopHTTP, or HopPipe, which is the default.
	Over Hop
	// Name and Version are what the bridge calls itself where it speaks for
	// itself, between eras.
	Name, Version string
	// Stderr has clients told what a child that died wrote to its standard error,
	// which may hold secrets of this side. Without it only the log is.
	Stderr bool
	// Advice says what the user can do about an error of a back; empty for
	// nothing. It is added to the error.
	Advice func(error) string
	// Limits bound what peers can cost.
	Limits Limits
	// Logger gets diagnostics; nil discards them.
	Logger *slog.Logger
}

// Bridge passes messages between fronts and backs. Its methods may be called
// concurrently.
type Bridge struct {
	dialer transport.Dialer
	opts   Options
	limits Limits
	log    *slog.Logger
	tools  tools // of the back that requests without a session share

	draining atomic.Bool // connections that are read take no requests any more

	mu      sync.Mutex
	closed  bool
	fronts  map[*front]struct{}
	shared  *link
	failed  *Error // what the last back ended with; nil once one works
	trouble *Error // why an answer is still awaited; nil once one comes
	open    int    // backs
	running int    // goroutines
	idle    sync.Cond
}

// ErrClosed is why a bridge that was closed passes nothing on.
var ErrClosed = fmt.Errorf("%w: the bridge was closed", net.ErrClosed)

// New returns a bridge to what d dials. o may be nil.
func New(d transport.Dialer, o *Options) *Bridge {
	b := &Bridge{dialer: d, fronts: make(map[*front]struct{})}
	b.idle.L = &b.mu
	if o != nil {
		b.opts = *o
	}
	b.opts.Over = cmp.Or(b.opts.Over, HopPipe)
	b.opts.Name = cmp.Or(b.opts.Name, "wirespool")
	b.opts.Version = cmp.Or(b.opts.Version, "0")
	b.limits = b.opts.Limits.filled()
	b.log = cmp.Or(b.opts.Logger, slog.New(slog.DiscardHandler))
	return b
}

// Attach implements [transport.Acceptor]: a session in front, with a back of its
// own, or all requests without one.
func (b *Bridge) Attach(c transport.Conn) transport.Receiver {
	f := newFront(b, c, true)
	if _, shared := c.(transport.Shared); shared {
		f.modern = b.sharedLink()
	}
	b.enter(f)
	return f
}

// Serve passes the messages of a connection on until it ends: at its orderly end
// once what runs is answered, within Limits.Drain. Whoever ends ctx ends it at
// once. The error is that of the connection; the end of a stream is none.
func (b *Bridge) Serve(ctx context.Context, c transport.Conn) error {
	f := newFront(b, c, false)
	b.enter(f)
	stop := context.AfterFunc(ctx, func() {
		f.Detach(context.Cause(ctx))
		_ = c.Close() // unblocks Read
	})
	defer stop()
	err := f.read()
	if broken := f.broken(); broken != nil {
		err = broken
	}
	if err == io.EOF {
		bounded, cancel := context.WithTimeoutCause(ctx, b.limits.Drain,
			fmt.Errorf("the client ended its side, and the limit of %s for what it had asked is over", b.limits.Drain))
		f.drain(bounded)
		cancel()
		err = nil
	}
	f.Detach(&Error{HopFront, errors.New("the client has left")})
	return err
}

func (b *Bridge) enter(f *front) {
	b.mu.Lock()
	closed := b.closed
	if !closed {
		b.fronts[f] = struct{}{}
	}
	b.mu.Unlock()
	if closed {
		f.Detach(ErrClosed)
	}
}

func (b *Bridge) leave(f *front) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.fronts, f)
}

// sharedLink returns the link of requests without a session.
func (b *Bridge) sharedLink() *link {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shared == nil {
		b.shared = newLink(b, nil, protocol.Modern)
		if b.closed {
			b.shared.cancel(ErrClosed) // what comes is refused
		}
	}
	return b.shared
}

// Close ends every front and every back, and returns when nothing is left of
// them: no process, no goroutine.
func (b *Bridge) Close() error {
	b.mu.Lock()
	b.closed = true
	fronts, shared := b.fronts, b.shared
	b.fronts = nil
	b.mu.Unlock()
	for f := range fronts {
		f.Detach(ErrClosed)
		if !f.push {
			_ = f.conn.Close() // unblocks Read
		}
	}
	if shared != nil {
		shared.end(ErrClosed)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.running > 0 {
		b.idle.Wait()
	}
	return nil
}

// Drain refuses new requests on connections that are read, and waits until what runs
// for them is answered, or ctx ends. Sessions that are pushed end with what pushes
// them. Close is to follow.
func (b *Bridge) Drain(ctx context.Context) {
	b.draining.Store(true)
	b.mu.Lock()
	fronts := slices.Collect(maps.Keys(b.fronts))
	b.mu.Unlock()
	for _, f := range fronts {
		if !f.push {
			f.drain(ctx)
		}
	}
}

// Renewed is to be called when a back has lost its session and opened another one
// by itself, as streamhttp.ClientOptions.Renewed says: the server is told anew
// what it was told (N1 of the field).
func (b *Bridge) Renewed() {
	b.mu.Lock()
	fronts := slices.Collect(maps.Keys(b.fronts))
	b.mu.Unlock()
	for _, f := range fronts {
		for _, l := range f.links() {
			l.mu.Lock()
			conn, open := l.conn, l.hello != nil && l.adapter == nil
			l.mu.Unlock()
			if conn != nil && open {
				l.remind(conn)
			}
		}
	}
}

// Interrupted is to be called when a back has trouble that it tries to get over,
// as streamhttp.ClientOptions.Interrupted says: who has waited in vain is told.
func (b *Bridge) Interrupted(err error) {
	e := b.failure(err)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trouble = e
}

// late is what is said of a back that did not answer before cause.
func (b *Bridge) late(cause error) *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.trouble != nil {
		return &Error{b.trouble.Hop, fmt.Errorf("no answer: %w; the last failure: %w", cause, b.trouble.Err)}
	}
	return &Error{b.opts.Over, fmt.Errorf("no answer: %w", cause)}
}

// Backs returns how many backs there are: connections, or live children.
func (b *Bridge) Backs() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open
}

// Err returns how the last back failed, nil if none did or another one works by
// now.
func (b *Bridge) Err() *Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed
}

// count counts backs.
func (b *Bridge) count(more int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open += more
}

// blame notes how a back failed.
func (b *Bridge) blame(e *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed = e
}

// works notes that a back has answered.
func (b *Bridge) works() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed, b.trouble = nil, nil
}

// spawn runs f on a goroutine that Close waits for.
func (b *Bridge) spawn(f func()) {
	b.mu.Lock()
	b.running++
	b.mu.Unlock()
	go func() {
		f()
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.running--; b.running == 0 {
			b.idle.Broadcast()
		}
	}()
}

// info is the bridge as clientInfo or serverInfo.
func (b *Bridge) info() codec.Value {
	dst := codec.AppendString(append(codec.Value(nil), `{"name":`...), b.opts.Name)
	return append(codec.AppendString(append(dst, `,"version":`...), b.opts.Version), '}')
}
