package dispatch_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

var seedFlag = flag.Uint64("seed", 0, "seed of TestStress, from the name of a run that failed; 0 takes a new one")

// TestStress: two peers that are alike send each other calls, nested calls,
// arrays, notifications and cancellations at random, with few places and short
// queues, over a pipe and over a socket. Nobody gets what another asked for,
// and everything ends: no goroutine is left. The seed is in the name of the run,
// which a test that hangs is told by, too; what is done follows from it, and only
// when it is done does not: go test -run TestStress ./dispatch -seed=SEED.
func TestStress(t *testing.T) {
	seed := cmp.Or(*seedFlag, rand.Uint64())
	t.Run(fmt.Sprintf("pipe,seed=%d", seed), func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			near, far := transport.Pipe(nil)
			stress(t, seed, near, far)
		})
	})
	t.Run(fmt.Sprintf("socket,seed=%d", seed), func(t *testing.T) {
		before := runtime.NumGoroutine()
		near, far := socket(t)
		stress(t, seed, near, far)
		// What has ended may not be gone yet.
		for limit := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
			if time.Now().After(limit) {
				stacks := make([]byte, 1<<20)
				require.FailNow(t, "goroutines are left", "%s", stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
}

// choices are those of one side of a call. They follow from its params, which no
// other call has, so that it does not matter for them who comes first.
func choices(seed uint64, side, params string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(side + params))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

func stress(t *testing.T, seed uint64, near, far transport.Conn) {
	random := func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		params := payload(r)
		rng := choices(seed, "handler", params)
		switch rng.IntN(10) {
		case 0: // takes a while
			select {
			case <-time.After(upTo(rng, 3*time.Millisecond)):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case 1: // asks back
			res, err := r.Call(ctx, "echo", []byte(params))
			if err != nil {
				return nil, err
			}
			defer res.Release()
			if string(res.Value()) != params {
				t.Errorf("a handler asked %s, got %s", params, res.Value())
			}
		case 2: // asks back in depth
			if res, err := r.Call(ctx, "random", deeper(params)); err == nil {
				res.Release()
			}
		case 3:
			_ = r.Progress(ctx, 1, 0, "")
			r.Wait(func() { <-time.After(upTo(rng, time.Millisecond)) })
			_ = r.Progress(ctx, 2, 0, "")
		case 4:
			return nil, &codec.Error{Code: 1001, Message: params}
		case 5:
			_ = r.Peer().Notify(ctx, "note", r.Params())
		}
		if payload(r) != params {
			t.Errorf("the params changed from %s to %s", params, payload(r))
		}
		return append(dst, params...), nil
	}
	o := dispatch.Options{Limits: dispatch.Limits{MaxHandlers: 4, MaxHandlersPerPeer: 4, MaxQueue: 8}}
	j := joinConns(t, o, near, far, func(s *dispatch.Server) {
		s.Handle("random", random)
		s.Handle("echo", echo)
		s.HandleNotification("note", func(context.Context, *dispatch.Notification) {})
	}, func(m *dispatch.Mux) {
		m.Handle("random", random)
		m.Handle("echo", echo)
		m.HandleNotification("note", func(context.Context, *dispatch.Notification) {})
	})
	wrong := make(chan error, 2*16*100)
	var all sync.WaitGroup
	for i, p := range []*dispatch.Peer{j.peer, j.client.Peer()} {
		for k := range 16 {
			all.Go(func() {
				for n := range 100 {
					params := fmt.Appendf(nil, `{"v":"%d.%d.%d"}`, i, k, n)
					if err := once(t.Context(), p, choices(seed, "caller", string(params)), params); err != nil {
						wrong <- err
					}
				}
			})
		}
	}
	all.Wait()
	close(wrong)
	for err := range wrong {
		require.NoError(t, err)
	}
	require.NoError(t, j.server.Shutdown(context.Background()))
	<-j.client.Peer().Done()
	require.NoError(t, j.client.Close())
}

// payload is the params without what the engine added to them.
func payload(r *dispatch.Request) string {
	v, _ := codec.Find(r.Params(), "v")
	return `{"v":` + string(v) + `}`
}

// deeper are the params of a call that is made for the one with params.
func deeper(params string) []byte { return []byte(strings.TrimSuffix(params, `"}`) + `+"}`) }

func upTo(rng *rand.Rand, d time.Duration) time.Duration { return time.Duration(rng.Int64N(int64(d))) }

// once makes one call, cancelled at random, and returns an error if something is
// wrong with what comes back.
func once(ctx context.Context, p *dispatch.Peer, rng *rand.Rand, params []byte) error {
	var opts []dispatch.CallOption
	last := 0.0
	if rng.IntN(2) == 0 {
		opts = append(opts, dispatch.WithProgress(func(p dispatch.Progress) { last = p.Progress }))
	}
	if rng.IntN(4) == 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, upTo(rng, 2*time.Millisecond))
		defer end()
	}
	if rng.IntN(8) == 0 {
		batch := []dispatch.BatchCall{{Method: "echo", Params: params}, {Method: "note", Notify: true}, {Method: "echo", Params: params}}
		if err := p.Batch(ctx, batch); err != nil {
			return ignore(ctx, err)
		}
		for _, b := range batch {
			if err := ignore(ctx, b.Err); err != nil {
				return err
			}
			if b.Result != nil {
				if string(b.Result.Value()) != string(params) {
					return fmt.Errorf("asked %s, got %s", params, b.Result.Value())
				}
				b.Result.Release()
			}
		}
		return nil
	}
	res, err := p.Call(ctx, "random", params, opts...)
	var e *codec.Error
	switch {
	case errors.As(err, &e):
		if e.Code == 1001 && e.Message != string(params) {
			return fmt.Errorf("asked %s, got %w", params, err)
		}
		return nil // what it asked us in turn may fail, and a full queue refuse
	case err != nil:
		return ignore(ctx, err)
	}
	defer res.Release()
	if got := string(res.Value()); got != string(params) {
		return fmt.Errorf("asked %s, got %s", params, got)
	}
	if last == 1 {
		return errors.New("the call returned before its progress")
	}
	return nil
}

// ignore drops what the end of ctx and a full queue bring about.
func ignore(ctx context.Context, err error) error {
	var e *codec.Error
	if ctx.Err() != nil || errors.As(err, &e) && e.Code == -32000 {
		return nil
	}
	return err
}

// socket returns the two ends of a TCP connection on this machine.
func socket(t testing.TB) (near, far transport.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, _ := l.Accept()
		accepted <- c
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	return transport.Stream(c, 0, nil), transport.Stream(<-accepted, 0, nil)
}
