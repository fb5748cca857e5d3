package dispatch_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// TestDeafPeers: peers that ask for much and read nothing cost others neither a
// place nor time, whatever it is that they do not read.
func TestDeafPeers(t *testing.T) {
	for name, handler := range map[string]dispatch.Handler{
		"small answers": takes(time.Millisecond),
		"large answers": func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
			return append(append(append(dst, `{"a":"`...), strings.Repeat("x", 100<<10)...), `"}`...), nil
		},
		"progress": func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
			err := r.Progress(ctx, 1, 0, "")
			return append(dst, "{}"...), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := dispatch.NewServer(plain())
				s.Handle("much", handler)
				s.Handle("echo", echo)
				connect := func() net.Conn {
					near, far := net.Pipe()
					go func() { _ = s.Serve(context.Background(), transport.Stream(far, framing.Newline, nil)) }()
					return near
				}
				var deaf []net.Conn
				for range 5 { // more than all places take
					conn := connect()
					deaf = append(deaf, conn)
					var lines strings.Builder
					for i := range 200 {
						fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"much","params":{"_meta":{"progressToken":%d}}}`+"\n", i, i)
					}
					go func() { _, _ = conn.Write([]byte(lines.String())) }() // until it is closed
				}
				<-time.After(time.Minute)
				honest := connect()
				begun := time.Now()
				go func() { _, _ = fmt.Fprintln(honest, call("1", "echo")) }() // the answer shows it
				answer := make([]byte, 100)
				n, err := honest.Read(answer)
				require.NoError(t, err)
				require.Equal(t, empty("1")+"\n", string(answer[:n]))
				require.Less(t, time.Since(begun), 10*time.Millisecond)
				for _, conn := range append(deaf, honest) {
					require.NoError(t, conn.Close())
				}
				require.NoError(t, s.Shutdown(context.Background()))
			})
		})
	}
}

// TestCallToADeafPeer: ctx and the limits of a call hold while its request is
// being written, too.
func TestCallToADeafPeer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		near, far := net.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		begun := time.Now()
		_, err := dispatch.Connect(ctx, to(transport.Stream(far, framing.Newline, nil)), nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, time.Since(begun), 2*time.Second)
		require.NoError(t, near.Close())
	})
}

// TestPipelinedHandshake: whoever does not wait for the answer to initialize is
// served all the same, however long it takes.
func TestPipelinedHandshake(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, nil, func(s *dispatch.Server) {
			s.Handle("initialize", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				<-time.After(time.Second)
				return append(dst, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`...), nil
			})
			s.Handle("tools/list", echo)
		})
		w.send(hello, opened, call("2", "tools/list"))
		require.Contains(t, w.next(), `"protocolVersion":"2025-11-25"`)
		w.want(empty("2"))
		w.send(call("3", "tools/list"))
		w.want(empty("3"))
	})
}

// TestFailedHandshakePipelined: an initialize that fails leaves nothing open.
func TestFailedHandshakePipelined(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, nil, nil)
		w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, opened, call("2", "tools/list"))
		w.want(refusal("1", "-32602"), refusal("2", "-32602"))
		w.shake("2025-11-25")
	})
}

// TestLaneBytes: notifications that wait are bounded in bytes as well.
func TestLaneBytes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release, open := latch(t)
		near, far := net.Pipe()
		serveConn(t, &dispatch.Options{Gate: dispatch.GateOff, Limits: dispatch.Limits{MaxQueueBytes: 1 << 20}},
			transport.Stream(far, framing.Newline, nil), func(s *dispatch.Server) {
				s.HandleNotification("note", func(context.Context, *dispatch.Notification) { <-release })
			})
		line := []byte(`{"jsonrpc":"2.0","method":"note","params":{"m":"` + strings.Repeat("m", 100<<10) + `"}}` + "\n")
		var sent atomic.Int32
		go func() {
			for range 300 {
				if _, err := near.Write(line); err != nil {
					return
				}
				sent.Add(1)
			}
		}()
		<-time.After(time.Second)
		synctest.Wait()
		require.Less(t, sent.Load(), int32(16))
		open()
		<-time.After(time.Second)
		synctest.Wait()
		require.EqualValues(t, 300, sent.Load())
		require.NoError(t, near.Close())
	})
}

// TestNotificationsOfAnArray: an array is bounded already, so all of it enters.
func TestNotificationsOfAnArray(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got atomic.Int32
		_, w := serve(t, &dispatch.Options{Limits: dispatch.Limits{MaxNotifications: 1}}, func(s *dispatch.Server) {
			s.HandleNotification("n", func(context.Context, *dispatch.Notification) { got.Add(1) })
		})
		w.shake("2025-03-26")
		w.send("[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","method":"n"},`, 5), ",") + "]")
		w.silent()
		require.EqualValues(t, 5, got.Load())
	})
}

// TestVeryLongBatch: what would be more than a peer takes in one array goes out
// in several.
func TestVeryLongBatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServerIn(t, "2025-03-26", nil, nil)
		done := make(chan error, 1)
		calls := make([]dispatch.BatchCall, codec.DefaultMaxBatch+1)
		for i := range calls {
			calls[i] = dispatch.BatchCall{Method: "n", Notify: true}
		}
		go func() { done <- c.Batch(t.Context(), calls) }()
		first, second := w.next(), w.next()
		require.Equal(t, codec.DefaultMaxBatch, strings.Count(first, `"n"`))
		require.Equal(t, `[{"jsonrpc":"2.0","method":"n"}]`, second)
		require.NoError(t, <-done)
	})
}
