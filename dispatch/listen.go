package dispatch

import (
	"context"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// A subscriptions/listen of 2026-07-28 has no end of its own: its handler waits
// for ctx, inside [Request.Wait], so that it takes no place. It is exempt from
// the handler's time limit (SU-15), and when the connection drains, because the
// peer ended its side or on Shutdown, its ctx ends first of all. What the
// handler then returns is up to it; for context.Canceled the engine sends the
// result that ends a subscription gracefully (SU-10).

// endListens ends the subscriptions of a connection that drains.
func (p *Peer) endListens() {
	p.mu.Lock()
	var listens []*Request
	for _, r := range p.calls {
		if r.listens {
			listens = append(listens, r)
		}
	}
	p.mu.Unlock()
	for _, r := range listens {
		r.ctx.end(context.Canceled)
	}
}

func appendListenEnd(dst []byte, id codec.ID) []byte {
	dst = append(dst, `{"resultType":"`+protocol.ResultComplete+`","_meta":{"`+protocol.MetaSubscriptionID+`":`...)
	return append(append(dst, id...), "}}"...)
}
