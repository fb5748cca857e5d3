package bridge

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// TestResumeMeetsTheEnd: a client comes back in the moment in which the call that it
// comes back for is answered, or lost with the back: it is answered once, and nothing
// is left of either.
func TestResumeMeetsTheEnd(t *testing.T) {
	for name, lost := range map[string]bool{"answered": false, "lost": true} {
		t.Run(name, func(t *testing.T) {
			b := New(nil, nil)
			defer b.Close()
			l := newLink(b, nil, protocol.Modern)
			l.conn = new(recorder)
			d := &downward{l: l, suspended: make(map[string]*suspension), listens: make(map[*call]*filter)}
			l.adapter = d
			call := func(id string) (*call, *reply) {
				c := &call{slot: -1, method: "tools/call", front: codec.ID(id), key: frontKey{transport.Scope(id[0]), codec.ID(id).Key()}, between: new(between)}
				r := &reply{mail: newMailbox()}
				_, refusal := l.enter(c, r)
				require.Nil(t, refusal)
				return c, r
			}
			old, first := call("1")
			d.suspend(old, &ask{back: codec.ID("9"), key: codec.ID("9").Key(), method: "elicitation/create"}, nil)
			queue, last := first.mail.take()
			require.True(t, last)
			state, _ := codec.Find(queue[0].Result, "requestState")

			again, second := call("2")
			gone := l.take(old.back) // an answer has come, or the back has ended
			require.Same(t, old, gone)
			if lost {
				l.settle(gone, &Error{HopPipe, net.ErrClosed})
			}
			d.resume(again, state, codec.Value(`{"1":{}}`))
			if !lost {
				in := &transport.Inbound{Message: codec.Message{Kind: codec.Response, ID: old.back, Result: codec.Value("{}")}}
				require.True(t, d.answer(gone, in))
				in.ID = gone.front
				gone.to.answer(l, gone.slot, in)
			}
			queue, last = second.mail.take()
			require.True(t, last)
			require.Len(t, queue, 1)
			require.Equal(t, "2", string(queue[0].ID))
			require.Equal(t, lost, queue[0].Kind == codec.ErrorResponse)
			require.Empty(t, l.calls)
			require.Empty(t, l.byFront)
			require.Empty(t, d.suspended)
		})
	}
}
