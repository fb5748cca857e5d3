package dispatch_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/protocol"
)

// TestCloseCancels: a client that closes takes back what it still waits for, so
// that a server, which finishes its work at the end of its input, has none left.
func TestCloseCancels(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServer(t, nil, nil)
		failed := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := c.CallRaw(context.Background(), protocol.MethodToolsCall, nil)
				failed <- err
			}()
		}
		w.next()
		w.next()
		synctest.Wait()               // both are sent, as far as their callers know
		go func() { _ = c.Close() }() // that it ends is seen below
		w.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"closing"}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"closing"}}`)
		w.ended()
		require.ErrorIs(t, <-failed, net.ErrClosed)
		require.ErrorIs(t, <-failed, net.ErrClosed)
	})
}
