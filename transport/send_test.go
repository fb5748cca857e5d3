package transport_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// TestSend: messages arrive whole, in the stream's framing, whatever their size,
// and one sender's in its order.
func TestSend(t *testing.T) {
	overAll(t, func(t *testing.T, c transport.Conn, raw *rawPeer) {
		require.Empty(t, c.SessionID())
		sizes := []int{0, 1, 1000, 70 << 10, 200 << 10}
		const senders, each = 8, 10
		var all sync.WaitGroup
		for s := range senders {
			all.Go(func() {
				for i := range each {
					m := note(s*each+i, sizes[(s+i)%len(sizes)])
					m.OneLine = i%2 == 0
					require.NoError(t, c.Send(t.Context(), m))
				}
			})
		}
		last := make(map[int]int)
		for range senders * each {
			line := raw.next()
			var n int
			_, err := fmt.Sscanf(line, `{"jsonrpc":"2.0","method":"n%d"`, &n)
			require.NoError(t, err)
			s, i := n/each, n%each
			require.Equal(t, noteText(n, sizes[(s+i)%len(sizes)]), line)
			require.Equal(t, last[s], i, "sender %d", s)
			last[s]++
		}
		all.Wait()
	})
}

// TestSendBorrows: the message may be used again when Send or Queue returns, and
// foreign JSON becomes one line on its way.
func TestSendBorrows(t *testing.T) {
	overAll(t, func(t *testing.T, c transport.Conn, raw *rawPeer) {
		params := []byte("{\n\"a\":\r1}")
		m := &codec.Message{Kind: codec.Request, ID: codec.IntID(1), Method: []byte("m"), Params: params}
		go func() {
			require.NoError(t, c.(transport.Corker).Queue(m))
			copy(params, "#########")
			m.Method[0] = '#'
			require.NoError(t, c.(transport.Corker).Flush())
		}()
		require.Equal(t, `{"jsonrpc":"2.0","id":1,"method":"m","params":{ "a": 1}}`, raw.next())
		require.ErrorIs(t, c.Send(t.Context(), &codec.Message{Kind: codec.Request}), codec.ErrIncomplete)
		go func() { require.NoError(t, c.Send(t.Context(), note(1, 1)), "the connection goes on") }()
		require.Equal(t, noteText(1, 1), raw.next())
	})
}

// TestQueue: what is queued goes out with the next Flush or Send, in order, and
// in one write.
func TestQueue(t *testing.T) {
	w := &writes{}
	c := transport.Stream(w, framing.Newline, nil).(transport.Corker)
	for i := range 3 {
		require.NoError(t, c.Queue(note(i, 1)))
	}
	require.Empty(t, w.all)
	require.NoError(t, c.Flush())
	require.NoError(t, c.Queue(note(3, 1)))
	require.NoError(t, c.(transport.Conn).Send(t.Context(), note(4, 1)))
	require.NoError(t, c.Flush())
	line := func(n int) string { return noteText(n, 1) + "\n" }
	require.Equal(t, []string{line(0) + line(1) + line(2), line(3) + line(4)}, w.all)
}

type writes struct {
	broken
	all []string
}

func (w *writes) Write(p []byte) (int, error) {
	w.all = append(w.all, string(p))
	return len(p), nil
}

// TestMore says whether the next Read will not block.
func TestMore(t *testing.T) {
	overAll(t, func(t *testing.T, c transport.Conn, raw *rawPeer) {
		more := c.(transport.Corker).More
		require.False(t, more())
		third := raw.frame(request("3", "c"))
		text := raw.frame(request("1", "a")) + raw.frame("{oops") + third[:len(third)-1]
		go func() { _, _ = raw.Write([]byte(text)) }()
		var in transport.Inbound
		require.NoError(t, c.Read(&in))
		require.True(t, more())
		require.True(t, more())
		require.Equal(t, "1", in.ID.String(), "More does not touch what was read")
		require.NoError(t, c.Read(&in))
		require.Error(t, in.Err)
		require.False(t, more(), "a frame that lacks a byte")
		go func() { _, _ = raw.Write([]byte(third[len(third)-1:])) }()
		require.NoError(t, c.Read(&in))
		require.Equal(t, "3", in.ID.String())
	})
}

// TestSendContext: ctx bounds the wait for room in the queue and nothing else.
func TestSendContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		c := transport.Stream(near, framing.Newline, &transport.StreamOptions{Framing: framing.Options{MaxQueue: 200}})
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		dead, kill := context.WithCancel(t.Context())
		kill()
		require.ErrorIs(t, c.Send(dead, note(0, 1)), context.Canceled)
		sent := make(chan error, 2)
		go func() { sent <- c.Send(ctx, note(1, 150)) }() // is being written
		synctest.Wait()
		begun := time.Now()
		err := c.Send(ctx, note(2, 150)) // has no room
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, net.ErrClosed)
		require.Equal(t, time.Second, time.Since(begun))
		synctest.Wait()
		require.Empty(t, sent, "the end of ctx does not cut a message off")
		raw := &rawPeer{t: t, Conn: far, in: bufio.NewReader(far)}
		require.Equal(t, noteText(1, 150), raw.next())
		require.NoError(t, <-sent)
		go func() { sent <- c.Send(t.Context(), note(3, 150)) }()
		require.Equal(t, noteText(3, 150), raw.next())
		require.NoError(t, <-sent)
		require.NoError(t, c.Close())
	})
}

// TestPipe joins two connections.
func TestPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := transport.Pipe(&transport.StreamOptions{Limits: codec.Limits{MaxID: 4}})
		go func() {
			for i := range 10 {
				require.NoError(t, a.Send(t.Context(), note(i, i*20<<10)))
			}
			require.NoError(t, a.Send(t.Context(), &codec.Message{Kind: codec.Request, ID: codec.ID("12345"), Method: []byte("m")}))
			require.NoError(t, a.Close())
		}()
		var in transport.Inbound
		for i := range 10 {
			require.NoError(t, b.Read(&in))
			require.Equal(t, fmt.Sprint("n", i), string(in.Method))
			require.Equal(t, i*20<<10, strings.Count(string(in.Params), "y"))
		}
		require.NoError(t, b.Read(&in))
		require.ErrorContains(t, in.Err, "limit of 4")
		require.Error(t, b.Read(&in))
		require.ErrorIs(t, b.Send(t.Context(), note(1, 1)), net.ErrClosed)
		require.NoError(t, b.Close())
	})
}
