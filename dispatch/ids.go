package dispatch

import (
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/transport"
)

// scopeOf returns the name space of the ids in a message. With
// [Options.IDsPerExchange] each message that a transport pushes has one of its
// own, so that only the items of one array can clash.
func (p *Peer) scopeOf(in *transport.Inbound) transport.Scope {
	if p.ownScopes() {
		return transport.Scope(p.exchanges.Add(1))
	}
	return in.Scope
}

func (p *Peer) ownScopes() bool { return p.pushed && p.engine.opts.IDsPerExchange }

// inFlightWith returns the request that a cancellation means, nil if there is
// none. Where ids are those of their exchange, several may have it: then it is
// none of them. Caller holds p.mu.
func (p *Peer) inFlightWith(scope transport.Scope, id codec.IDKey) (one *Request, several bool) {
	if !p.ownScopes() {
		return p.calls[callKey{scope, id}], false
	}
	for key, r := range p.calls {
		switch {
		case key.id != id || r.scope != scope:
		case one != nil:
			return nil, true
		default:
			one = r
		}
	}
	return one, false
}
