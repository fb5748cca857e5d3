package gosdk

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Run serves s on a transport until its client leaves or ctx ends, in the place of
// [mcp.Server.Run], and returns what that returns. s.Run(ctx, t) does the same more
// slowly: a transport does not learn which server it serves, and what the package
// documentation says under Speed needs that.
func Run(ctx context.Context, s *mcp.Server, t *Transport) error {
	conn, err := t.Connect(ctx)
	if err != nil {
		return err
	}
	l := conn.(*link)
	l.inbox = make(chan jsonrpc.Message, inboxSize)
	install(s)
	var feeding sync.WaitGroup
	feeding.Go(l.feed)
	err = s.Run(context.WithValue(ctx, linkKey{}, l), opened{l})
	_ = l.Close() // it may not have been connected
	feeding.Wait()
	return err
}

// feed reads the connection of a link whose messages come through inbox.
func (l *link) feed() {
	for {
		in := newInbound()
		if err := l.conn.Read(in); err != nil {
			putInbound(in)
			l.end(l.ended(err))
			return
		}
		msg, _, rest := l.take(in)
		if msg == nil {
			continue
		}
		for l.deliver(msg); len(rest) > 0; rest = rest[1:] {
			l.deliver(rest[0])
		}
	}
}

// opened is what the SDK connects to for a link that a [Transport] has made.
type opened struct{ l *link }

// Connect implements [mcp.Transport].
func (o opened) Connect(context.Context) (mcp.Connection, error) { return o.l, nil }
