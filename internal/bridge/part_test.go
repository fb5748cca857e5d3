package bridge_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/transport"
)

// lateConn is a back that takes its time to accept cancellations.
type lateConn struct {
	transport.Conn
	takes time.Duration
}

func (c lateConn) Send(ctx context.Context, m *codec.Message) error {
	if string(m.Method) == "notifications/cancelled" {
		select {
		case <-time.After(c.takes):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return c.Conn.Send(ctx, m)
}

type lateDialer struct {
	*backs
	takes time.Duration
}

func (d lateDialer) Dial(ctx context.Context) (transport.Conn, error) {
	c, err := d.backs.Dial(ctx)
	return lateConn{c, d.takes}, err
}

// TestPart: the back of a client that cancels and leaves at once hears of the
// cancellation before its end, within a bound: else it would work on for nobody, and
// its end would take that long.
func TestPart(t *testing.T) {
	for name, tt := range map[string]struct {
		over  bridge.Hop
		takes time.Duration // to accept a cancellation
		heard bool
	}{
		"pipe":           {bridge.HopPipe, 500 * time.Millisecond, true},
		"HTTP":           {bridge.HopHTTP, 500 * time.Millisecond, true},
		"deaf":           {bridge.HopPipe, time.Hour, false},
		"deaf over HTTP": {bridge.HopHTTP, time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := lateDialer{newBacks(t), tt.takes}
				r := &rig{t: t, to: d.backs, b: bridge.New(d, &bridge.Options{Over: tt.over, Limits: bridge.Limits{Tell: 2 * time.Second}})}
				front, served := r.halfPipe()
				back := r.session(front)
				front.send(request("1", "a", ""))
				back.want(request("2", "a", ""))
				synctest.Wait()
				front.send(notification("notifications/cancelled", `{"requestId":1}`))
				synctest.Wait()
				begun := time.Now()
				front.closeWrite()
				require.NoError(t, <-served)
				if tt.heard {
					back.want(notification("notifications/cancelled", `{"requestId":2}`))
				}
				back.ends()
				if !tt.heard {
					require.Equal(t, time.Second, time.Since(begun))
				}
				require.NoError(t, r.b.Close())
			})
		})
	}
}

// TestPartRunning: what runs at the back of its own when a client leaves is cancelled,
// but not initialize (LG-10), and not over HTTP, where the session ends (SS-08).
func TestPartRunning(t *testing.T) {
	for _, over := range []bridge.Hop{bridge.HopPipe, bridge.HopHTTP} {
		virtual(t, &bridge.Options{Over: over}, func(t *testing.T, r *rig) {
			front, _ := r.pipe()
			back := r.session(front)
			front.send(request("1", "a", ""))
			back.want(request("2", "a", ""))
			require.NoError(t, front.conn.Close())
			if over == bridge.HopPipe {
				back.want(leftBehind("2"))
			}
			back.ends()
		})
		virtual(t, &bridge.Options{Over: over}, func(t *testing.T, r *rig) {
			front, _ := r.pipe()
			front.send(request("1", "initialize", hello))
			back := r.to.next()
			back.want(request("1", "initialize", hello))
			require.NoError(t, r.b.Close())
			back.ends()
		})
	}
}
