package transport_test

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/transport"
)

// TestClose: Close unblocks Read and Send, ends the exchange, and may be called
// by anybody at any time.
func TestClose(t *testing.T) {
	overAll(t, func(t *testing.T, c transport.Conn, _ *rawPeer) {
		var in transport.Inbound
		read := make(chan error, 1)
		go func() { read <- c.Read(&in) }()
		send := make(chan error, 1)
		go func() {
			for { // until nobody takes it any more
				if err := c.Send(context.Background(), note(1, 100<<10)); err != nil {
					send <- err
					return
				}
			}
		}()
		via := c.(transport.Exchange)
		require.NoError(t, via.Context().Err())
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { require.NoError(t, c.Close()) })
		}
		all.Wait()
		require.ErrorIs(t, <-read, net.ErrClosed)
		require.ErrorIs(t, <-send, net.ErrClosed)
		require.ErrorIs(t, context.Cause(via.Context()), net.ErrClosed)
		<-via.Context().Done()

		cork := c.(transport.Corker)
		require.ErrorIs(t, c.Read(&in), net.ErrClosed)
		require.ErrorIs(t, c.Send(context.Background(), note(1, 1)), net.ErrClosed)
		require.ErrorIs(t, cork.Queue(note(1, 1)), net.ErrClosed)
		require.ErrorIs(t, cork.Flush(), net.ErrClosed)
		require.NoError(t, c.Close())
	})
}

// TestCloseUnused: a connection on which nothing happened refuses as well.
func TestCloseUnused(t *testing.T) {
	overAll(t, func(t *testing.T, c transport.Conn, raw *rawPeer) {
		cork := c.(transport.Corker)
		require.NoError(t, cork.Queue(note(1, 1)))
		require.NoError(t, c.Close())
		require.ErrorIs(t, cork.Queue(note(1, 1)), net.ErrClosed)
		require.ErrorIs(t, cork.Flush(), net.ErrClosed)
		require.ErrorIs(t, c.Send(context.Background(), note(1, 1)), net.ErrClosed)
		_, err := raw.in.ReadByte()
		require.Error(t, err, "what was queued is dropped")
	})
}

// TestPeerGone: when the peer is gone Send says so, and the reader learns of
// the end.
func TestPeerGone(t *testing.T) {
	overAll(t, func(t *testing.T, c transport.Conn, raw *rawPeer) {
		require.NoError(t, raw.Close())
		var in transport.Inbound
		require.Error(t, c.Read(&in))
		for {
			if err := c.Send(context.Background(), note(1, 1)); err != nil {
				require.ErrorIs(t, err, net.ErrClosed)
				break
			}
		}
		require.ErrorIs(t, c.Send(context.Background(), note(1, 1)), net.ErrClosed)
	})
}
