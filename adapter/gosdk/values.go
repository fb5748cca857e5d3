package gosdk

import (
	"context"
	"reflect"
	"runtime"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/protocol"
)

// The SDK gives every handler of a session the values of one context. Middleware of
// ours, once in each server, adds those of the HTTP request that a call came in:
// what authentication and tracing in front of the handler have put there. It is also
// where stand-ins become calls.

// linkKey is under which the context of a session has its link.
type linkKey struct{}

// sessionContext returns the context to connect a session with: it has the values
// of another one, and no end.
func sessionContext(values context.Context, l *link) context.Context {
	return context.WithValue(context.WithoutCancel(values), linkKey{}, l)
}

// installed has the servers that have the middleware.
var installed sync.Map // of weak.Pointer[mcp.Server]

// install puts the middleware into a server, unless it is there.
func install(s *mcp.Server) {
	p := weak.Make(s)
	if _, there := installed.LoadOrStore(p, struct{}{}); there {
		return
	}
	runtime.AddCleanup(s, func(p weak.Pointer[mcp.Server]) { installed.Delete(p) }, p)
	s.AddReceivingMiddleware(receive)
}

func receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		l, _ := ctx.Value(linkKey{}).(*link)
		if l == nil {
			return next(ctx, method, req)
		}
		c := l.current(ctx, req)
		if c == nil {
			return next(ctx, method, req)
		}
		first := (c.standIn != nil || method == protocol.MethodToolsCall) && outermost()
		if l.pushed {
			ctx = &callContext{ctx, c.via.Context(), l.values}
		}
		switch {
		case c.standIn == nil:
			res, err := next(ctx, method, req)
			if first && err == nil {
				l.learnWay(c, res)
			}
			return res, err
		case !first:
			return nil, errNotOutermost
		}
		return c.standIn.serve(ctx, l, c, req, next)
	}
}

// current returns the call that a handler has been called for: by the context, or
// where that does not tell by what the transport gave the SDK with the request.
func (l *link) current(ctx context.Context, req mcp.Request) *call {
	if c := l.origin(ctx); c != nil || len(learn().requestKeys) > 0 {
		return c
	}
	extra := req.GetExtra()
	if extra == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.calls {
		if c.extra == extra {
			return c
		}
	}
	return nil
}

// callContext is the context of a handler with the values of its HTTP request.
type callContext struct {
	context.Context
	request context.Context
	session context.Context // whose values are older than those of request; may be nil
}

// Value implements [context.Context]: what was put in after the request came wins,
// then what came with the request, then what came with the first of the session.
func (c *callContext) Value(key any) any {
	v := c.Context.Value(key)
	if v != nil && (c.session == nil || !same(v, c.session.Value(key))) {
		return v
	}
	if r := c.request.Value(key); r != nil {
		return r
	}
	return v
}

func same(a, b any) bool {
	t := reflect.TypeOf(a)
	return t == reflect.TypeOf(b) && t.Comparable() && a == b
}
