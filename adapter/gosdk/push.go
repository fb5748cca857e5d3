package gosdk

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// push hands a message to the SDK and returns when its answer has been given to
// the exchange, or the session has ended. in is empty then. A call whose exchange
// ends before is cancelled: nobody is there any more (SH26-21), or nobody wants to
// wait, and then its answer still counts (SU-10).
func (l *link) push(in *transport.Inbound) {
	mine := newInbound()
	in.MoveTo(mine)
	left := mine.Via.Context().Done()
	msg, wait, rest := l.take(mine)
	if msg == nil || !l.deliver(msg) {
		l.await(wait.done)
		return
	}
	for _, msg := range rest {
		if !l.deliver(msg) {
			return
		}
	}
	if wait.done == nil {
		return
	}
	select {
	case <-wait.done:
		return
	case <-l.ctx.Done():
		return
	case <-left:
	}
	if wait.call != nil {
		l.deliver(&jsonrpc.Request{Method: protocol.NotificationCancelled, Params: cancellation(wait.call.id, nil)})
	}
	l.await(wait.done)
}

// await waits for an answer, or for the end of the session.
func (l *link) await(done chan struct{}) {
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-l.ctx.Done():
	}
}

// deliver puts a message where the SDK reads; false when the session has ended.
func (l *link) deliver(msg jsonrpc.Message) bool {
	select {
	case l.inbox <- msg:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// joined is what the SDK connects to for a link that is there already.
type joined struct {
	l        *link
	versions []protocol.Revision
}

var (
	_ mcp.Transport                = joined{}
	_ mcp.ProtocolVersionSupporter = joined{}
)

// Connect implements [mcp.Transport].
func (j joined) Connect(context.Context) (mcp.Connection, error) { return j.l, nil }

// SupportsProtocolVersion implements [mcp.ProtocolVersionSupporter].
func (j joined) SupportsProtocolVersion(version string) bool {
	return slices.Contains(j.versions, protocol.Revision(version))
}

// refused answers a message that no session takes.
func refused(in *transport.Inbound, e *codec.Error) {
	defer in.Release()
	if in.Kind != codec.Request {
		return
	}
	m := codec.Message{Kind: codec.ErrorResponse, ID: in.ID, Error: codec.AppendError(nil, e), OneLine: true}
	_ = in.Via.Send(context.Background(), &m) // who has left is not told
}
