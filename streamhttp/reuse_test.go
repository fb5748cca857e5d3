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
// again; over TLS, where a connection takes longer, they are fewer. One more
// carries the stream of the session. It is about the client's own transports, over
// TCP.
//
// Where a call waits for a connection that is being opened and gets one that has
// become free meanwhile, net/http, which TLS goes through, opens one more than are
// needed: so the best of some runs counts there.
func TestConnectionsReused(t *testing.T) {
	for _, c := range []struct {
		name   string
		secure bool
		atOnce int
		runs   int
	}{{"plain", false, 32, 1}, {"TLS", true, 8, 5}} {
		t.Run(c.name, func(t *testing.T) {
			least := int64(math.MaxInt64)
			for range c.runs {
				if least = min(least, opened(t, c.secure, c.atOnce)); least <= int64(c.atOnce)+1 {
					return
				}
			}
			t.Errorf("%d connections, at most %d are needed", least, c.atOnce+1)
		})
	}
}

// opened returns how many connections a client opens for its calls.
func opened(t *testing.T, secure bool, atOnce int) int64 {
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
	o := &streamhttp.ClientOptions{}
	if secure {
		srv.StartTLS() // without HTTP/2, which needs one connection
		o.TLS = srv.Client().Transport.(*http.Transport).TLSClientConfig
	} else {
		srv.Start()
	}
	defer srv.Close()
	defer h.Close()

	ctx := t.Context()
	c, err := dispatch.Connect(ctx, streamhttp.URL(srv.URL, o), nil)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range atOnce {
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
