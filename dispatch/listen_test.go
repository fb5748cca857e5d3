package dispatch_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

const listenEnd = `{"jsonrpc":"2.0","id":"L1","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"L1"}}}`

func listening(s *dispatch.Server) {
	s.Handle(protocol.MethodSubscriptionsListen, func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		r.Wait(func() { <-ctx.Done() })
		return dst, ctx.Err()
	})
}

// TestListenEnds: an open subscription holds up neither the end of the stream
// nor Shutdown, and ends with its result (SU-10), behind which a byte stream
// carries the cancellation (SU-11).
func TestListenEnds(t *testing.T) {
	for name, end := range map[string]func(*halfOpen){
		"end of stream": func(h *halfOpen) { h.closeWrite() },
		"Shutdown": func(h *halfOpen) {
			go func() { _ = h.served.Shutdown(context.Background()) }() // the lines show how it went
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newHalfOpen(t, nil, listening)
				h.write(modern(`"L1"`, protocol.MethodSubscriptionsListen) + "\n")
				<-time.After(time.Hour) // no limit ends it
				begun := time.Now()
				end(h)
				require.Equal(t, []string{listenEnd, cancel(`"L1"`)}, h.rest())
				require.Zero(t, time.Since(begun))
			})
		})
	}
}

// TestShutdownTogether: a peer whose handler does not end takes from none of the
// others the result of its subscription (SU-10).
func TestShutdownTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release, _ := latch(t)
		h, stuck := serve(t, plain(), func(s *dispatch.Server) {
			s.Handle("stuck", blocks(release))
			listening(s)
		})
		stuck.send(modern("1", "stuck"))
		synctest.Wait()
		var others []*wire
		for range 8 {
			w, conn := newWire(t, nil)
			go func() { _ = h.Serve(context.Background(), conn) }() // until Shutdown
			w.send(modern(`"L1"`, protocol.MethodSubscriptionsListen))
			synctest.Wait()
			others = append(others, w)
		}
		ctx, cancelled := context.WithTimeout(t.Context(), time.Minute)
		defer cancelled()
		shut := make(chan error, 1)
		go func() { shut <- h.Shutdown(ctx) }()
		begun := time.Now()
		for _, w := range others {
			w.want(listenEnd, cancel(`"L1"`))
		}
		require.Zero(t, time.Since(begun))
		require.ErrorIs(t, <-shut, context.DeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(begun))
	})
}

// TestListenCancelled: a subscription that the peer cancels ends without a word.
func TestListenCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, nil, listening)
		w.send(modern(`"L1"`, protocol.MethodSubscriptionsListen), cancel(`"L1"`))
		w.silent()
	})
}

func TestToolError(t *testing.T) {
	require.JSONEq(t, `{"content":[{"type":"text","text":"no \"b\"\n"}],"isError":true}`, string(dispatch.ToolError(nil, "no \"b\"\n")))
}
