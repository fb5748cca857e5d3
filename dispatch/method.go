package dispatch

import (
	"maps"
	"time"

	"github.com/wirespool/wirespool/protocol"
)

// Mode says on which goroutine the handlers of a method run. The items of an
// array have goroutines of their own whatever it says.
type Mode uint8

const (
	// ModeAuto runs a request on the goroutine that read it, unless the method
	// is slow on average and more requests are waiting.
	ModeAuto Mode = iota
	// ModeInline runs it on the goroutine that read it whenever there is a
	// place: for handlers that are quick but for rare exceptions.
	ModeInline
	// ModeWorker gives it a goroutine of its own always: for handlers that
	// compute for long, so that nothing behind one waits for the millisecond
	// after which it would be noticed.
	ModeWorker
)

// MethodOptions are what the engine should know about one method. The zero
// value changes nothing.
type MethodOptions struct {
	// Mode is where its handlers run.
	Mode Mode
	// Timeout bounds a handler's own running time: 0 means
	// [Limits.HandlerTimeout], a negative value no bound.
	Timeout time.Duration
	// TTL and Public are the cache hints that complete results get in
	// 2026-07-28, if the method is one whose results carry any (SH26-26) and
	// the handler does not write them itself: for how long a result may be
	// kept, in whole milliseconds, and whether others than the caller may be
	// given it. Every page of a list needs the same (ME-04).
	TTL    time.Duration
	Public bool
}

// Configure sets the options of a method, or of a pattern exactly as it was or
// will be given to [Mux.Handle]. A method that only a pattern serves gets a
// running mean of its own with its options. A later call replaces an earlier
// one.
func (m *Mux) Configure(method string, o MethodOptions) {
	checkPattern(method)
	m.update(func(t *muxTable) { t.options[method] = o })
}

// configure gives the routes their options, and methods that have some but no
// handler of their own a route to the pattern that serves them.
func (t *muxTable) configure() {
	for name, r := range t.requests {
		if r.pattern != name {
			delete(t.requests, name) // of an earlier table
		}
	}
	alone := make(map[string]*route, len(t.options))
	for name, o := range t.options {
		own := t.requests[name]
		switch base := find(t.requests, []byte(name)); {
		case base == nil || builtIn(name):
		case own != nil && own.options == o:
		default:
			r := &route{pattern: base.pattern, handle: base.handle, plain: base.plain, options: o}
			r.mean.Store(base.mean.Load())
			alone[name] = r
		}
	}
	maps.Copy(t.requests, alone)
}

// builtIn reports a method that the engine serves itself where no handler has
// its very name.
func builtIn(method string) bool {
	switch method {
	case protocol.MethodInitialize, protocol.MethodServerDiscover, protocol.MethodSubscriptionsListen:
		return true
	}
	return false
}

// limit is how long the handler may run.
func (r *Request) limit() time.Duration {
	switch d := r.route.options.Timeout; {
	case d > 0:
		return d
	case d < 0:
		return 1<<63 - 1
	}
	return r.peer.engine.limits.HandlerTimeout
}

// slow reports whether the handler is better off on a goroutine of its own;
// more says that another message is waiting to be read.
func (r *route) slow(more bool) bool {
	switch r.options.Mode {
	case ModeInline:
		return false
	case ModeWorker:
		return true
	}
	return more && r.mean.Load() > int64(slowHandler)
}
