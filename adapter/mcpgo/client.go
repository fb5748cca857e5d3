package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"

	sdk "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/transport"
)

// ClientOptions configure a [ClientTransport]. They are copied; the zero value is
// ready to use.
type ClientOptions struct {
	// MaxReverse bounds the requests of the server that are handled at once;
	// those beyond it are answered -32000. 0 means DefaultMaxReverse.
	MaxReverse int
	// MaxNotifications bounds the notifications that wait for the handler of an
	// earlier one. Those beyond it keep the connection from being read; but while
	// a request of the client waits for its answer, which the handler may wait for,
	// or there is no handler, a progress or log message is dropped instead, or
	// else the oldest notification. 0 means DefaultMaxNotifications.
	MaxNotifications int
	// Logger gets diagnostics; nil discards them.
	Logger *slog.Logger
}

// ClientTransport puts mcp-go's client on a connection of this module. It
// implements the Interface and the BidirectionalInterface of mcp-go's package
// transport. Its methods are safe for concurrent use.
type ClientTransport struct {
	dialer transport.Dialer
	opts   ClientOptions
	log    *slog.Logger
	http   bool // requests have headers, and cancelling can be the transport's own

	starting sync.Mutex

	mu       sync.Mutex
	conn     transport.Conn // nil before Start
	cause    error          // why the connection is over; nil while it is not
	pending  map[codec.IDKey]*pendingCall
	onLost   func(error)
	closed   bool
	ctx      context.Context // of the server's requests
	cancel   context.CancelFunc
	revision string

	notices noticeLane
	reverse reverseCalls
}

var (
	_ sdk.BidirectionalInterface = (*ClientTransport)(nil)
	_ sdk.HTTPConnection         = (*HTTPTransport)(nil)
)

// NewTransport returns a transport that opens its connection with d when it is
// started: a child process of stdio.Command, for instance. o may be nil.
func NewTransport(d transport.Dialer, o *ClientOptions) *ClientTransport {
	t := &ClientTransport{dialer: d, pending: make(map[codec.IDKey]*pendingCall)}
	if o != nil {
		t.opts = *o
	}
	if t.opts.MaxReverse == 0 {
		t.opts.MaxReverse = DefaultMaxReverse
	}
	if t.opts.MaxNotifications == 0 {
		t.opts.MaxNotifications = DefaultMaxNotifications
	}
	t.log = t.opts.Logger
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.notices.init(t.opts.MaxNotifications, t.log)
	return t
}

// NewConnTransport returns a transport on a connection that is open already, one
// end of a transport.Pipe for instance. The transport closes it. o may be nil.
func NewConnTransport(c transport.Conn, o *ClientOptions) *ClientTransport {
	return NewTransport(transport.DialFunc(func(context.Context) (transport.Conn, error) { return c, nil }), o)
}

// Start implements mcp-go's Interface: it opens the connection, within ctx. What
// the server sends from then on waits until handlers are set. Starting again does
// nothing.
func (t *ClientTransport) Start(ctx context.Context) error {
	t.starting.Lock()
	defer t.starting.Unlock()
	t.mu.Lock()
	started, closed := t.conn != nil, t.closed
	t.mu.Unlock()
	switch {
	case closed:
		return sdk.ErrTransportClosed
	case started:
		return nil
	}
	c, err := t.dialer.Dial(ctx)
	if err != nil {
		return sdkError(err)
	}
	t.mu.Lock()
	t.conn = c
	closed = t.closed
	t.mu.Unlock()
	if closed {
		_ = c.Close()
		return sdk.ErrTransportClosed
	}
	go t.read(c)
	return nil
}

// SendRequest implements mcp-go's Interface. The result is the caller's.
func (t *ClientTransport) SendRequest(ctx context.Context, r sdk.JSONRPCRequest) (*sdk.JSONRPCResponse, error) {
	call := calls.Get().(*pendingCall)
	if err := call.encode(&r); err != nil {
		return nil, err
	}
	key := call.message.ID.Key()
	call.ordered = t.notices.begin()
	defer t.notices.over()
	c, err := t.enter(key, call)
	if err != nil {
		return nil, err
	}
	if err := t.send(ctx, c, call, r.Header); err != nil {
		t.leave(key)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, sdkError(err)
	}
	select {
	case <-call.answered:
	case <-ctx.Done():
		t.leave(key)
		if canceler, ok := c.(transport.Canceler); ok && t.http {
			canceler.Cancel(key)
		}
		return nil, ctx.Err()
	}
	response, err := call.response, call.err
	call.put() // nobody else has it any more
	if err != nil {
		return nil, err
	}
	response.ID = r.ID
	return response, nil
}

// send sends the request of call. Over HTTP its answer comes on this goroutine,
// which waits for it anyway.
func (t *ClientTransport) send(ctx context.Context, c transport.Conn, call *pendingCall, h http.Header) error {
	if !t.http {
		return c.Send(ctx, &call.message)
	}
	if len(h) > 0 {
		ctx = transport.WithHeader(ctx, h)
	}
	if caller, ok := c.(transport.Caller); ok {
		if err := caller.Call(ctx, &call.message, t.received); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	return c.Send(ctx, &call.message)
}

// enter makes call one that an answer finds, and returns the connection.
func (t *ClientTransport) enter(key codec.IDKey, call *pendingCall) (transport.Conn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.cause != nil:
		return nil, t.cause
	case t.conn == nil:
		return nil, fmt.Errorf("%w: it was not started", sdk.ErrTransportClosed)
	case t.pending[key] != nil:
		return nil, fmt.Errorf("mcpgo: the id is in use by another request")
	}
	t.pending[key] = call
	return t.conn, nil
}

func (t *ClientTransport) leave(key codec.IDKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.pending, key)
}

// SendNotification implements mcp-go's Interface.
func (t *ClientTransport) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	t.mu.Lock()
	c, err := t.conn, t.cause
	t.mu.Unlock()
	switch {
	case err != nil:
		return err
	case c == nil:
		return fmt.Errorf("%w: it was not started", sdk.ErrTransportClosed)
	}
	params, err := appendParams(nil, &n.Params)
	if err != nil {
		return fmt.Errorf("mcpgo: params of %s: %w", n.Method, err)
	}
	m := codec.Message{Kind: codec.Notification, Method: []byte(n.Method), Params: params}
	if err := c.Send(ctx, &m); err != nil {
		return sdkError(err)
	}
	return nil
}

// SetNotificationHandler implements mcp-go's Interface. h is called with one
// notification at a time, in order; it may send requests.
func (t *ClientTransport) SetNotificationHandler(h func(mcp.JSONRPCNotification)) { t.notices.set(h) }

// SetRequestHandler implements mcp-go's BidirectionalInterface. Each request runs
// on a goroutine of its own, for as long as it likes, unless the server cancels
// it.
func (t *ClientTransport) SetRequestHandler(h sdk.RequestHandler) { t.reverse.set(t, h) }

// SetConnectionLostHandler is what client.OnConnectionLost looks for: h is called
// once when the connection has ended and Close was not called.
func (t *ClientTransport) SetConnectionLostHandler(h func(error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onLost = h
}

// GetSessionId implements mcp-go's Interface.
func (t *ClientTransport) GetSessionId() string {
	t.mu.Lock()
	c := t.conn
	t.mu.Unlock()
	if c == nil {
		return ""
	}
	return c.SessionID()
}

// Close implements mcp-go's Interface: it ends the connection, and every call
// fails.
func (t *ClientTransport) Close() error {
	t.mu.Lock()
	t.closed = true
	c := t.conn
	t.mu.Unlock()
	t.cancel()
	t.fail(sdk.ErrTransportClosed)
	if closer, ok := t.dialer.(io.Closer); ok && c == nil {
		return closer.Close()
	}
	if c == nil {
		return nil
	}
	return c.Close()
}

// HTTPTransport is a ClientTransport over Streamable HTTP, as mcp-go's client wants
// to know: it leaves cancellation to the transport then.
type HTTPTransport struct{ *ClientTransport }

// SetProtocolVersion implements mcp-go's HTTPConnection. The transport finds the
// version in what it carries.
func (t *HTTPTransport) SetProtocolVersion(version string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revision = version
}

// SSETransport is a ClientTransport over HTTP+SSE. It is no HTTPConnection of
// mcp-go's: a call there is cancelled by a notification, which the client sends.
type SSETransport struct{ *ClientTransport }

// RequiresLegacyProtocol keeps mcp-go's client from asking for 2026-07-28, which
// the transport cannot carry (HS-12).
func (t *SSETransport) RequiresLegacyProtocol() bool { return true }
