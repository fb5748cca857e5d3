package bridge

import (
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// call is a request that runs at the back.
type call struct {
	id     int64 // at the back; its progress token there too
	to     *reply
	slot   int // in an array, else -1
	method string

	front codec.ID // as the front knows it; nil for a request of the bridge's own
	key   frontKey
	token codec.Value // the front's progress token; nil if it wants none
	away  bool        // its client was told to come back; guarded by link.mu
	lost  bool        // it failed meanwhile; guarded by link.mu

	seen      time.Time // when it was begun, or the back last showed that it works on it; guarded by link.mu
	cancelled bool      // by the front, or because it takes too long; guarded by link.mu
	task      bool      // what was asked for may outlive its answer (TK-01)

	// cause is why a request of the bridge's own got no answer.
	cause error
	// kept is the params, where the answer decides what becomes of them; under the
	// lock of the link.
	kept codec.Value
	// between is what an adapter between eras keeps of the call.
	between *between

	back  codec.ID // the id as it is sent; guarded by link.mu while the call is in the table
	text  [20]byte // memory of back
	small [64]byte // memory of front and token
}

// frontKey finds a call by what the front calls it.
type frontKey struct {
	scope transport.Scope
	id    codec.IDKey
}

// newCall makes a call of a request, which it does not keep.
func newCall(in *transport.Inbound, r *reply, slot int) *call {
	c := &call{to: r, slot: slot, key: frontKey{in.Scope, in.ID.Key()}}
	if info, known := protocol.LookupMethod(in.Method); known {
		c.method = info.Name
	} else {
		c.method = string(in.Method)
	}
	memory := append(c.small[:0], in.ID...)
	c.front = codec.ID(memory)
	if token := in.Fact(codec.FactMetaProgressToken); token != nil {
		memory = append(memory, token...)
		c.token = codec.Value(memory[len(memory)-len(token):])
		c.front = codec.ID(memory[:len(in.ID):len(in.ID)])
		task, _ := codec.Find(in.Params, "task")
		c.task = task != nil
	}
	return c
}

// own reports whether the bridge itself asks.
func (c *call) own() bool { return c.front == nil }

// listens reports whether the call has no end of its own.
func (c *call) listens() bool { return c.method == protocol.MethodSubscriptionsListen }
