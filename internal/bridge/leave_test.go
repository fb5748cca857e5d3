package bridge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// TestLeaveMeetsTheOpening: of a client that leaves in the moment in which what it
// asked for is passed on to a fresh back nothing is left (L3 of the field).
func TestLeaveMeetsTheOpening(t *testing.T) {
	for _, method := range []string{protocol.MethodToolsCall, protocol.MethodSubscriptionsListen} {
		for _, entered := range []bool{false, true} {
			b := New(nil, nil)
			l, back := newLink(b, nil, protocol.Modern), new(recorder)
			l.conn = back
			d := &downward{l: l, server: codec.Value(`{"resources":{"subscribe":true}}`), listens: make(map[*call]*filter)}
			l.adapter = d
			in := new(transport.Inbound)
			text := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"notifications":{"resourceSubscriptions":["f://a"]},` +
				`"_meta":{"` + protocol.MetaProtocolVersion + `":"` + string(protocol.NewestModern) + `"}}}`
			require.NoError(t, codec.Decode([]byte(text), &in.Message))
			r := &reply{mail: newMailbox()}
			c := newCall(in, r, -1)
			if entered {
				_, refusal := l.enter(c, r)
				require.Nil(t, refusal)
			}
			l.leave(r, "")
			switch {
			case !entered:
				l.forward(in, r, -1)
			case c.listens():
				d.listen(c, in)
			}
			require.Empty(t, l.calls)
			require.Empty(t, d.listens)
			require.NoError(t, b.Close())
			for _, sent := range back.sent {
				require.NotContains(t, sent, `"`+method+`"`)
				require.NotContains(t, sent, "resources/subscribe")
			}
		}
	}
}
