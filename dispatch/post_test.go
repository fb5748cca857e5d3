package dispatch_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// deaf returns a client, and the other end of its connection, which reads what it
// is told to.
func deaf(t *testing.T) (*dispatch.Client, *bufio.Reader, net.Conn) {
	near, far := net.Pipe()
	c, err := dispatch.Connect(t.Context(), to(transport.Stream(near, framing.Newline, nil)),
		&dispatch.ClientOptions{Options: dispatch.Options{Profile: dispatch.JSONRPC}})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = far.Close()
		_ = c.Close()
	})
	return c, bufio.NewReader(far), far
}

func readLine(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSuffix(line, "\n")
}

// TestPostedToDeafPeer: who calls a peer that does not read is held up by his
// own write for a moment, and those who come behind him not at all. All that was
// sent gets there in order once the peer reads again.
func TestPostedToDeafPeer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, r, far := deaf(t)
		ctx, end := context.WithCancel(t.Context())
		begun := time.Now()
		const calls = 3
		done := make(chan error, calls)
		for range calls {
			go func() {
				_, err := c.CallRaw(ctx, "work", nil)
				done <- err
			}()
			synctest.Wait()
		}
		<-time.After(50 * time.Millisecond)
		end()
		for range calls {
			require.ErrorIs(t, <-done, context.Canceled)
		}
		require.LessOrEqual(t, time.Since(begun), 1050*time.Millisecond, "each waits a second for its cancellation, at most")
		for id := range calls {
			require.Equal(t, call(fmt.Sprint(id+1), "work"), readLine(t, r))
		}
		for range calls {
			require.Contains(t, readLine(t, r), "notifications/cancelled")
		}
		go func() {
			_, err := c.CallRaw(t.Context(), "work", nil)
			done <- err
		}()
		require.Equal(t, call("4", "work"), readLine(t, r))
		_, err := far.Write([]byte(empty("4") + "\n"))
		require.NoError(t, err)
		require.NoError(t, <-done)
	})
}

// TestPostedMeanwhile: what is posted while another caller writes follows his
// request, and he does not wait for that.
func TestPostedMeanwhile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, r, far := deaf(t)
		done := make(chan error, 2)
		work := func() {
			_, err := c.CallRaw(t.Context(), "work", nil)
			done <- err
		}
		go work()
		synctest.Wait()
		go work()
		synctest.Wait()
		require.Equal(t, call("1", "work"), readLine(t, r))
		_, err := far.Write([]byte(empty("1") + "\n"))
		require.NoError(t, err)
		require.NoError(t, <-done)
		require.Equal(t, call("2", "work"), readLine(t, r))
		_, err = far.Write([]byte(empty("2") + "\n"))
		require.NoError(t, err)
		require.NoError(t, <-done)
	})
}

// TestShortCallToDeafPeer: a limit too short for that moment holds all the same.
func TestShortCallToDeafPeer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, _, _ := deaf(t)
		begun := time.Now()
		_, err := c.CallRaw(t.Context(), "initialize", nil, dispatch.WithTimeout(3*time.Millisecond, 0))
		require.ErrorIs(t, err, dispatch.ErrTimeout)
		require.Equal(t, 3*time.Millisecond, time.Since(begun))
		ctx, end := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer end()
		_, err = c.CallRaw(ctx, "initialize", nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 8*time.Millisecond, time.Since(begun))
	})
}

// TestCallsUsedAgain: a call that uses the memory of an earlier one has its own
// time, events and answer.
func TestCallsUsedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServer(t, nil, nil)
		opts := dispatch.WithTimeout(time.Second, 0)
		for id := 2; id < 6; id++ {
			answered := make(chan *dispatch.Result, 1)
			go func() {
				res, err := c.CallRaw(t.Context(), "ping", nil, opts)
				if err != nil {
					t.Error(err)
				}
				answered <- res
			}()
			w.want(call(fmt.Sprint(id), "ping"))
			<-time.After(900 * time.Millisecond)
			answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, id, id)
			w.send(answer, answer) // the second one is for nobody
			res := <-answered
			require.Equal(t, fmt.Sprintf(`{"n":%d}`, id), string(res.Value()))
			res.Release()
		}
		begun := time.Now()
		_, err := c.CallRaw(t.Context(), "initialize", nil, opts) // ends without a cancellation
		require.ErrorIs(t, err, dispatch.ErrTimeout)
		require.Equal(t, time.Second, time.Since(begun))
	})
}

// TestResultCopied: a copy of a Result that was released has nothing to do with
// the next one.
func TestResultCopied(t *testing.T) {
	bubble(t, func(t *testing.T) {
		j := join(t, dispatch.Options{}, func(s *dispatch.Server) { s.Handle("echo", echo) }, nil)
		ask := func(params string) *dispatch.Result {
			res, err := j.client.CallRaw(t.Context(), "echo", []byte(params))
			require.NoError(t, err)
			return res
		}
		first := ask(`{"a":1}`)
		twin := *first
		first.Release()
		require.Nil(t, first.Value())
		require.Nil(t, twin.Value())
		for range 8 { // one of them has the memory of the first
			next := ask(`{"b":2}`)
			require.Nil(t, twin.Value())
			another := twin
			another.Detach()
			another.Release()
			require.Equal(t, `{"b":2}`, string(next.Value()))
			next.Detach()
			require.Equal(t, `{"b":2}`, string(next.Value()))
			next.Release()
			next.Release()
		}
	})
}
