package bridge

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/transport"
)

// recorder is both ends of a bridge: a session that has no stream until it gets
// one, and a back.
type recorder struct {
	refuses bool
	sent    []string
}

func (r *recorder) Read(*transport.Inbound) error { return net.ErrClosed }
func (r *recorder) Close() error                  { return nil }
func (r *recorder) SessionID() string             { return "" }
func (r *recorder) Context() context.Context      { return context.Background() }

func (r *recorder) Send(_ context.Context, m *codec.Message) error {
	if r.refuses {
		return transport.ErrNoStream
	}
	text, err := m.AppendText(nil)
	r.sent = append(r.sent, string(text))
	return err
}

// A request of the server whose call is answered or cancelled in the moment in
// which it is on its way to that goes another way, and is denied where there is
// none (N8 of the field).
func TestAskMeetsTheEndOfItsCall(t *testing.T) {
	const asked = `{"jsonrpc":"2.0","id":7,"method":"roots/list"}`
	denied := `{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"front: ` + transport.ErrNoStream.Error() + `","data":{"io.github.wirespool/hop":"front"}}}`
	for name, test := range map[string]struct {
		stream, other, shared bool
		maxHeld               int
		front, back, mail     []string
	}{
		"the stream of the session": {stream: true, front: []string{asked}},
		"another call":              {other: true, mail: []string{asked}},
		"nothing":                   {maxHeld: -1, back: []string{denied}},
		"no session":                {shared: true, back: []string{denied}},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(nil, nil)
			defer b.Close()
			if test.maxHeld < 0 {
				b.limits.MaxHeld = 0
			}
			front, back := &recorder{refuses: !test.stream}, new(recorder)
			f := newFront(b, front, true)
			l := f.link(0)
			if test.shared {
				l.front = nil
			}
			l.conn, l.lastID = back, 6

			r := f.newReply(&transport.Inbound{})
			over := &call{to: r, front: codec.ID("1")}
			r.none()
			other := f.newReply(&transport.Inbound{})
			if test.other {
				_, refusal := l.enter(&call{front: codec.ID("2"), method: "tools/call"}, other)
				require.Nil(t, refusal)
				l.lastID = 6
			}

			a := &ask{back: codec.ID(`"a"`), key: codec.ID(`"a"`).Key(), method: "roots/list"}
			l.newAsk(a)
			l.send(over, &transport.Inbound{Message: codec.Message{Kind: codec.Request, ID: a.frontID(), Method: []byte(a.method)}})

			require.Equal(t, test.front, front.sent)
			require.Equal(t, test.back, back.sent)
			queue, _ := other.mail.take()
			var mail []string
			for _, in := range queue {
				text, err := in.AppendText(nil)
				require.NoError(t, err)
				mail = append(mail, string(text))
			}
			require.Equal(t, test.mail, mail)
			require.Equal(t, len(test.back) == 0, l.takeAsk(a.frontID()) != nil, "is an answer awaited?")
		})
	}
}
