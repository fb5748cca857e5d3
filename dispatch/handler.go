package dispatch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/protocol"
)

// Handler answers a request. It appends the result, raw JSON, to dst and
// returns the extended slice, in the manner of append; dst may already hold
// bytes, which must stay. r and everything it gives out are borrowed until the
// handler returns. ctx ends when the peer cancels, when the handler's time is
// up, or with the connection.
//
// A *[codec.Error] is sent as it is, and so is what an error in the tree makes of
// itself in errors.As, as those of typed.Decode do. Any other error, a panic, and a
// result that is not JSON or, but in the JSON-RPC profile, no object (CO-14), is
// answered with -32603 and without its text, which is for the log alone. What
// the handler returns after the peer cancelled is dropped. A handler must return
// or panic: runtime.Goexit, which testing's FailNow calls, leaves its request
// without an answer.
type Handler func(ctx context.Context, r *Request, dst []byte) ([]byte, error)

// NotificationHandler takes a notification. n is borrowed until it returns.
// Notifications of one peer are handled one at a time, in order.
type NotificationHandler func(ctx context.Context, n *Notification)

// Middleware wraps a handler, for instance to authorize or to measure. It runs
// for every request that reaches a handler, built-in ones excepted.
type Middleware func(Handler) Handler

// Mux routes by method name: an exact name first, then the longest namespace
// pattern such as "tools/*", then the fallback. Requests and notifications are
// two tables. Handlers may be added while connections are served. The zero Mux
// is ready to use.
type Mux struct {
	mu    sync.Mutex // serializes writers; readers load table
	table atomic.Pointer[muxTable]
}

// muxTable is never changed once it is published.
type muxTable struct {
	requests      map[string]*route
	notifications map[string]*route
	middleware    []Middleware
	rules         map[string]*Rule
	options       map[string]MethodOptions
}

// route is one entry of a table, with what the scheduler knows about it.
type route struct {
	pattern string
	handle  Handler // middleware applied; nil for a notification
	plain   Handler // as registered
	notify  NotificationHandler
	options MethodOptions
	mean    atomic.Int64 // running mean of the handler's time in nanoseconds, 0 before the first
}

// Handle registers the handler of a request method, of a namespace ("tools/*"),
// or of everything else ("*"). A later registration replaces an earlier one.
// It panics on a nil handler, an empty name and on names that begin with "rpc.", which
// JSON-RPC reserves (CO-36).
func (m *Mux) Handle(method string, h Handler) {
	checkPattern(method)
	if h == nil {
		panic("dispatch: no handler for " + method)
	}
	m.update(func(t *muxTable) {
		t.requests[method] = &route{pattern: method, handle: t.wrap(method, h), plain: h}
	})
}

// HandleNotification registers the handler of a notification, of a namespace,
// or of everything else; as [Mux.Handle].
func (m *Mux) HandleNotification(method string, h NotificationHandler) {
	checkPattern(method)
	if h == nil {
		panic("dispatch: no handler for " + method)
	}
	m.update(func(t *muxTable) {
		t.notifications[method] = &route{pattern: method, notify: h}
	})
}

// Use adds middleware around every request handler, those registered later
// included. The one added first is outermost. A middleware is applied to a
// handler when that is registered, and anew whenever Use is called.
func (m *Mux) Use(mw ...Middleware) {
	m.update(func(t *muxTable) {
		t.middleware = append(t.middleware, mw...)
		t.rewrap()
	})
}

// rewrap renews every route after middleware or rules have changed.
func (t *muxTable) rewrap() {
	for name, r := range t.requests {
		wrapped := &route{pattern: r.pattern, handle: t.wrap(r.pattern, r.plain), plain: r.plain, options: r.options}
		wrapped.mean.Store(r.mean.Load())
		t.requests[name] = wrapped
	}
}

// Has reports whether requests of this very name have a handler of their own.
func (m *Mux) Has(method string) bool {
	t := m.table.Load()
	return t != nil && t.has(method)
}

func (t *muxTable) has(method string) bool {
	r := t.requests[method]
	return r != nil && r.pattern == method // else it is a pattern's, with options
}

func checkPattern(name string) {
	if name == "" || protocol.IsReservedMethod(name) {
		panic(fmt.Sprintf("dispatch: %q cannot be registered: empty, or reserved by JSON-RPC", name))
	}
}

// update publishes a changed copy of the table.
func (m *Mux) update(change func(*muxTable)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := &muxTable{requests: map[string]*route{}, notifications: map[string]*route{}, options: map[string]MethodOptions{}}
	if old := m.table.Load(); old != nil {
		maps.Copy(next.requests, old.requests)
		maps.Copy(next.notifications, old.notifications)
		maps.Copy(next.options, old.options)
		next.middleware = slices.Clip(old.middleware)
		next.rules = old.rules
	}
	change(next)
	next.configure()
	m.table.Store(next)
}

// wrap returns the handler of a pattern behind its rule, inside all middleware.
func (t *muxTable) wrap(pattern string, h Handler) Handler {
	h = t.judged(pattern, h)
	for _, mw := range slices.Backward(t.middleware) {
		h = mw(h)
	}
	return h
}

// request finds the route of a request method, nil if there is none.
func (m *Mux) request(method []byte) *route {
	t := m.table.Load()
	if t == nil {
		return nil
	}
	return find(t.requests, method)
}

// notification finds the route of a notification, nil if there is none.
func (m *Mux) notification(method []byte) *route {
	t := m.table.Load()
	if t == nil {
		return nil
	}
	return find(t.notifications, method)
}

// find returns what stands for the method: the exact name, then the longest
// namespace, then "*". It does not allocate on a hit by exact name.
func find[T any](routes map[string]*T, method []byte) *T {
	if r := routes[string(method)]; r != nil {
		return r
	}
	for name := string(method); ; {
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return routes["*"]
		}
		name = name[:i]
		if r := routes[name+"/*"]; r != nil {
			return r
		}
	}
}

// observe adds one run of the handler to the running mean, each new one
// counting an eighth. Two runs that end at once may lose one of the two.
func (r *route) observe(nanos int64) {
	old := r.mean.Load()
	if old == 0 {
		r.mean.Store(max(nanos, 1))
		return
	}
	r.mean.Store(max(old+(nanos-old)/8, 1))
}
