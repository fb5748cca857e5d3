package relay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/cmd/wirespool/internal/relay"
	"github.com/wirespool/wirespool/framing"
)

const (
	c2s = explain.ClientToServer
	s2c = explain.ServerToClient
)

// gate collects entries as text and can be closed, as if nobody took the explanations.
type gate struct {
	text    strings.Builder
	lost    int64
	explain int64 // bytes of frames
	reached chan struct{}
	open    chan struct{}
}

func newGate() *gate { return &gate{reached: make(chan struct{}, 1), open: make(chan struct{})} }

func (g *gate) emit(e *explain.Entry) {
	select {
	case g.reached <- struct{}{}:
	default:
	}
	<-g.open
	e.Timed = false
	g.text.Write(e.AppendText(nil))
	g.lost += e.Lost
	g.explain += int64(len(e.Raw))
}

func ping(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

func counted(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// However the bytes are cut into reads, the explanations are the same.
func TestAnySplit(t *testing.T) {
	for how, stream := range map[framing.Framing]string{
		framing.Newline:       "\xef\xbb\xbf" + ping(1) + "\r\n\n{oops\nContent-Length: 5\r\n\r\n" + ping(2) + "\n[" + ping(3) + "]\n{\"half\":",
		framing.ContentLength: counted(ping(1)) + counted("{oops") + "Content-Length: x\r\n\r\n" + counted(ping(2)) + "Content-Length: 9\r\n\r\n{",
		framing.Detect:        "\n \n" + counted(ping(1)) + counted(ping(2)),
	} {
		var want string
		for size := len(stream); size > 0; size-- {
			g := newGate()
			close(g.open)
			w := relay.WatchBound(how, 1<<20, g.emit)
			for rest := stream; rest != ""; {
				n := min(size, len(rest))
				w.Put(s2c, rest[:n])
				rest = rest[n:]
			}
			require.NoError(t, w.Close(time.Minute))
			if want == "" {
				want = g.text.String()
				require.Contains(t, want, "<--    1  request id=1 ping (40 bytes, depth 1)\n")
				require.Contains(t, want, "request id=2 ping (40 bytes, depth 1)\n")
			}
			require.Equal(t, want, g.text.String(), "%s in pieces of %d", how, size)
		}
	}
}

// Both directions appear in the order in which they were seen, each with offsets of its own.
func TestOrder(t *testing.T) {
	g := newGate()
	close(g.open)
	w := relay.WatchBound(framing.Newline, 1<<20, g.emit)
	var want strings.Builder
	for i := range 9 {
		w.Put(c2s, ping(i)+"\n")
		w.Put(s2c, ping(i)[:10])
		w.Put(s2c, ping(i)[10:]+"\n")
		fmt.Fprintf(&want, "-->%5d  request id=%d ping (40 bytes, depth 1)\n<--%5d  request id=%d ping (40 bytes, depth 1)\n", 2*i+1, i, 2*i+2, i)
	}
	require.NoError(t, w.Close(time.Minute))
	require.Equal(t, want.String(), g.text.String())
}

// When explaining falls behind, it says what it left out and goes on at the next frame.
func TestGap(t *testing.T) {
	for how, form := range map[framing.Framing]func(string) string{
		framing.Newline:       func(body string) string { return body + "\n" },
		framing.ContentLength: counted,
		framing.Detect:        counted,
	} {
		g := newGate()
		first := form(ping(1))
		cutOff := strings.TrimSuffix(form("{}"), "}\n")
		cutOff = strings.TrimSuffix(cutOff, "}")
		w := relay.WatchBound(how, 2*(len(first)+relay.ChunkCost), g.emit)
		w.Put(s2c, first)
		<-g.reached
		// The first is being explained, half of the second fits, its end and the third do not.
		second := form(ping(2))
		w.Put(s2c, second[:30])
		w.Put(s2c, second[30:])
		w.Put(s2c, form(ping(3))+form(ping(4))[:20])
		close(g.open)
		for _, piece := range []string{form(ping(4))[20:], form(ping(5)), form(ping(6))} {
			w.Wait()
			w.Put(s2c, piece)
		}
		w.Wait()
		w.Put(s2c, cutOff)
		require.NoError(t, w.Close(time.Minute))

		text := g.text.String()
		frame := int64(len(ping(1)))
		total := 6 * int64(len(first))
		require.True(t, strings.HasPrefix(text, "<--    1  request id=1 ping (40 bytes, depth 1)\n<--    2  "), text)
		require.Contains(t, text, " bytes not explained\n<--    3  request id=5 ping")
		require.Contains(t, text, "<--    4  request id=6 ping (40 bytes, depth 1)\n")
		// Offsets are those of the stream, not of what came after the gap.
		require.Contains(t, text, fmt.Sprintf("<--    5  invalid: -32700 at byte %d of the stream: the stream ended inside a", total+int64(len(cutOff)-1)))
		require.Equal(t, 3*frame, g.explain)
		header := int64(len(first)) - frame // of the frames that were explained, before or behind them
		if how == framing.Newline {
			require.Equal(t, total-3*int64(len(first)), g.lost, text)
		} else {
			require.Equal(t, total-3*int64(len(first))+header, g.lost, text)
		}
	}
}

// A gap at the very end is told as well.
func TestGapAtTheEnd(t *testing.T) {
	g := newGate()
	w := relay.WatchBound(framing.Newline, len(ping(1))+1+relay.ChunkCost, g.emit)
	w.Put(c2s, ping(1)+"\n")
	<-g.reached
	for i := range 1000 {
		w.Put(c2s, ping(i)+"\n")
	}
	w.Put(s2c, "xyz")
	close(g.open)
	require.NoError(t, w.Close(time.Minute))
	require.Contains(t, g.text.String(), "-->    2  42890 bytes not explained\n")
	require.Contains(t, g.text.String(), "<--    3  3 bytes not explained\n")
}

// Nobody waits for explanations that nobody takes.
func TestCloseGivesUp(t *testing.T) {
	g := newGate()
	w := relay.WatchBound(framing.Newline, 1<<20, g.emit)
	w.Put(c2s, ping(1)+"\n")
	<-g.reached
	require.ErrorIs(t, w.Close(time.Millisecond), relay.ErrBehind)
	close(g.open)
	require.NoError(t, w.Close(time.Minute))
}

// A defect in explaining ends the explanations and nothing else.
func TestBreakdown(t *testing.T) {
	w := relay.WatchBound(framing.Newline, 1<<20, func(*explain.Entry) { panic("defect") })
	w.Put(c2s, ping(1)+"\n")
	require.ErrorContains(t, w.Close(time.Minute), "broke down: defect")
	w.Put(c2s, ping(2)+"\n")
}
