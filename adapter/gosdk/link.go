package gosdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// link joins a session of the SDK and a connection of ours. It implements
// [mcp.Connection]: the SDK reads what it takes and writes what it sends.
type link struct {
	conn   transport.Conn
	opts   Options
	pushed bool                 // nobody reads conn
	inbox  chan jsonrpc.Message // where the SDK reads; nil if it reads conn
	values context.Context      // of the request that opened the session; nil if it has none of its own

	ctx context.Context // ends with the link
	end context.CancelCauseFunc

	// Of whoever reads.
	next  *transport.Inbound
	queue []jsonrpc.Message // elements of an array that are to be read

	listens  atomic.Int64 // subscriptions that are open
	revision atomic.Value // protocol.Revision that initialize settled on
	asks     atomic.Bool  // we asked first: the peer is a server

	stateless protocol.Revision // of all its messages where they belong to no session
	short     short

	mu      sync.Mutex
	lastID  int64
	calls   map[int64]*call
	ids     map[scopedID]*call
	working int           // calls that are no subscriptions
	idle    chan struct{} // closed when working falls to 0; nil when nobody waits
}

var _ mcp.Connection = (*link)(nil)

func newLink(conn transport.Conn, opts *Options, pushed bool) *link {
	l := &link{conn: conn, pushed: pushed, calls: make(map[int64]*call), ids: make(map[scopedID]*call)}
	l.opts = opts.filled()
	l.revision.Store(protocol.Revision(""))
	if pushed {
		l.inbox = make(chan jsonrpc.Message, inboxSize)
	}
	l.ctx, l.end = context.WithCancelCause(context.Background())
	return l
}

// Read implements [mcp.Connection]. What is wrong with a message concerns that
// message: it is answered or reported, and the next one is read (FR-03, CO-22).
func (l *link) Read(context.Context) (jsonrpc.Message, error) {
	if l.inbox != nil {
		return l.readInbox()
	}
	for {
		if len(l.queue) > 0 {
			msg := l.queue[0]
			l.queue = l.queue[1:]
			return msg, nil
		}
		if l.next == nil {
			l.next = newInbound()
		}
		if err := l.conn.Read(l.next); err != nil {
			putInbound(l.next)
			l.next = nil
			return nil, l.ended(err)
		}
		in := l.next
		l.next = nil
		msg, _, rest := l.take(in)
		l.queue = rest
		if msg != nil {
			return msg, nil
		}
	}
}

func (l *link) readInbox() (jsonrpc.Message, error) {
	select {
	case msg := <-l.inbox:
		return msg, nil
	case <-l.ctx.Done():
	}
	select {
	case msg := <-l.inbox: // it came before the end
		return msg, nil
	default:
		return nil, l.cause()
	}
}

// ended returns what the SDK is to know about the end of the input.
func (l *link) ended(err error) error {
	if l.ctx.Err() != nil {
		return io.EOF
	}
	if err == io.EOF {
		l.drain()
		return err
	}
	return lost(err)
}

// lost makes the end of a connection what the SDK's users look for, with the reason
// in it.
func lost(err error) error {
	if errors.Is(err, mcp.ErrConnectionClosed) {
		return err
	}
	return fmt.Errorf("%w: %w", mcp.ErrConnectionClosed, err)
}

// drain waits for the answers that are still to come: with the end of the input
// the SDK cancels what runs, but who has no more to ask may still listen. A signal
// says that it does not: clients end a child so when it does not end by itself, and
// a call whose cancellation they have not sent any more must not keep it.
func (l *link) drain() {
	l.mu.Lock()
	if l.working == 0 {
		l.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	l.idle = idle
	l.mu.Unlock()
	limit := time.NewTimer(l.opts.DrainWait)
	defer limit.Stop()
	signals := make(chan os.Signal, 1)
	if l.opts.standard {
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(signals)
	}
	select {
	case <-idle:
	case <-signals:
	case <-limit.C:
		l.opts.Logger.Warn("calls still ran when the input had ended", "limit", l.opts.DrainWait)
	case <-l.ctx.Done():
	}
}

func (l *link) cause() error {
	cause := context.Cause(l.ctx)
	if cause == errClosed {
		return io.EOF
	}
	return cause
}

// errClosed ends a link that was closed on purpose. It is a clean end.
var errClosed = fmt.Errorf("gosdk: session closed: %w", net.ErrClosed)

// Close implements [mcp.Connection].
func (l *link) Close() error {
	l.end(errClosed)
	err := l.conn.Close()
	if errors.Is(err, net.ErrClosed) {
		return nil // it had ended, and Read has said why
	}
	return err
}

// SessionID implements [mcp.Connection].
func (l *link) SessionID() string { return l.conn.SessionID() }

// agreed is the revision that initialize settled on, "" before that.
func (l *link) agreed() protocol.Revision { return l.revision.Load().(protocol.Revision) }

// Options configure a [Transport]. They are copied; nil and the zero value are
// ready to use.
type Options struct {
	// DrainWait bounds how long the end of the input waits for calls that run; 0
	// means DefaultDrainWait, and a negative time that nothing is waited for.
	DrainWait time.Duration
	// Logger is told of messages that were refused or could not be delivered; nil
	// discards that.
	Logger *slog.Logger

	standard bool // the connection is the standard input and output of this process
}

func (o *Options) filled() Options {
	var filled Options
	if o != nil {
		filled = *o
	}
	if filled.DrainWait == 0 {
		filled.DrainWait = DefaultDrainWait
	}
	if filled.Logger == nil {
		filled.Logger = slog.New(slog.DiscardHandler)
	}
	return filled
}

// sender carries a message: an exchange, or a whole connection.
type sender interface {
	Send(ctx context.Context, m *codec.Message) error
}
