package gosdk

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// route returns what is to carry a request or notification of the SDK's: the way
// back of the call that it was made in, or the connection. On a byte stream both
// are the same. What m says of a subscription gets the id that its client knows.
//
// The call is found by the first of these that works: the request that the SDK
// notes in the context of a handler; the subscription or the progress token that
// the message names; and, where the SDK cannot be asked, the only call that runs.
func (l *link) route(ctx context.Context, req *jsonrpc.Request, m *codec.Message) sender {
	if l.listens.Load() > 0 {
		if n, ok := subscriptionOf(m.Params); ok {
			if c := l.find(n); c != nil {
				m.Params = restored(m.Params, c.wire)
				return c.via
			}
		}
	}
	if !l.pushed {
		return l.conn
	}
	if c := l.origin(ctx); c != nil {
		return c.via
	}
	if req.Method == protocol.NotificationProgress {
		if c := l.byToken(codec.Value(req.Params)); c != nil {
			return c.via
		}
	}
	if len(learn().requestKeys) == 0 {
		if c := l.only(); c != nil {
			return c.via
		}
	}
	return l.conn
}

// byToken returns the running call that asked for progress under the token that
// params name (PR-01).
func (l *link) byToken(params codec.Value) *call {
	token, err := codec.Find(params, "progressToken")
	if err != nil || token == nil {
		return nil
	}
	key := codec.ID(token).Key() // a token is compared as an id is
	if !key.Valid() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.calls {
		if codec.ID(c.in.Fact(codec.FactMetaProgressToken)).Key() == key {
			return c
		}
	}
	return nil
}

// only returns the call that runs if there is exactly one.
func (l *link) only() *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) != 1 {
		return nil
	}
	for _, c := range l.calls {
		return c
	}
	return nil
}
