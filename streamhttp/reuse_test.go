package streamhttp_test

import (
	"context"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestConnectionsReused: 640 calls, 32 of them at a time, find their connections
// again. One more carries the stream of the session. It is about the client's own
// transport, over TCP.
//
// Where a call waits for a connection that is being opened and gets one that has
// become free meanwhile, net/http opens one more than are needed: so the best of
// some runs counts.
func TestConnectionsReused(t *testing.T) {
	least := int64(math.MaxInt64)
	for range 5 {
		if least = min(least, opened(t)); least <= 33 {
			return
		}
	}
	t.Errorf("%d connections, at most 33 are needed", least)
}

// opened returns how many connections a client opens for its calls.
func opened(t *testing.T) int64 {
	t.Helper()
	s := dispatch.NewServer(&dispatch.Options{Info: everything})
	register(s)
	h := streamhttp.NewHandler(s, nil)
	var count atomic.Int64
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			count.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	defer h.Close()

	ctx := t.Context()
	c, err := dispatch.Connect(ctx, streamhttp.URL(srv.URL, nil), nil)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for range 20 {
				res, err := c.CallRaw(context.WithoutCancel(ctx), "tools/list", nil)
				if err != nil {
					t.Error(err)
					return
				}
				res.Release()
			}
		})
	}
	wg.Wait()
	require.NoError(t, c.Close())
	return count.Load()
}
