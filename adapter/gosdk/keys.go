package gosdk

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// learned is what the SDK shows of itself only to those who watch it: under which
// keys a handler's context holds the id of its request, and the error by which a
// transport refuses one message without ending the session.
type learned struct {
	requestKeys []any
	rejected    error
}

// learn watches a transport of the SDK's own refuse a notification: it asks the
// context that it is given for the request that the notification belongs to, and
// returns its sentinel. Nothing is connected to anything, and if the SDK changes
// its ways the result is empty keys or the fallback for the sentinel, never a
// wrong one: a key counts only if what it finds is an id of a running call.
var learn = sync.OnceValue(func() learned {
	l := learned{rejected: &jsonrpc.Error{Code: codeRejected, Message: "rejected by transport"}}
	conn, err := (&mcp.StreamableServerTransport{Stateless: true}).Connect(context.Background())
	if err != nil {
		return l
	}
	defer func() { _ = conn.Close() }()
	asked := &asked{Context: context.Background()}
	err = conn.Write(asked, &jsonrpc.Request{Method: "notifications/message"})
	if sentinel, ok := errors.AsType[*jsonrpc.Error](err); ok {
		l.rejected = sentinel
	}
	l.requestKeys = asked.keys
	return l
})

// codeRejected is the code of the SDK's sentinel, by which errors of it are equal.
const codeRejected = -32005

// asked is a context that notes the keys it is asked for, those of the SDK.
type asked struct {
	context.Context
	keys []any
}

// Value implements [context.Context].
func (a *asked) Value(key any) any {
	t := reflect.TypeOf(key)
	if t != nil && t.Comparable() && strings.Contains(t.PkgPath(), "/go-sdk/") && strings.Contains(strings.ToLower(t.Name()), "id") {
		a.keys = append(a.keys, key)
	}
	return a.Context.Value(key)
}

// requestOf returns the id of the request whose handler ctx belongs to, as the SDK
// knows it.
func (l *learned) requestOf(ctx context.Context) (jsonrpc.ID, bool) {
	for _, key := range l.requestKeys {
		if id, ok := ctx.Value(key).(jsonrpc.ID); ok && id.IsValid() {
			return id, true
		}
	}
	return jsonrpc.ID{}, false
}

// rejectedError refuses one message; the session goes on.
func rejectedError(err error) error {
	rejected := learn().rejected
	if errors.Is(err, rejected) {
		return err
	}
	return fmt.Errorf("%w: %w", rejected, err)
}
