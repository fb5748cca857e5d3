package transport_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// streams are the byte streams that a connection is tried over: each opens both
// ends of one.
var streams = map[string]func(testing.TB) (near, far net.Conn){
	"pipe": func(testing.TB) (near, far net.Conn) { return net.Pipe() },
	"tcp":  func(t testing.TB) (near, far net.Conn) { return dial(t, "tcp", "127.0.0.1:0") },
	"unix": func(t testing.TB) (near, far net.Conn) {
		dir, err := os.MkdirTemp("", "ws") // the names of sockets must be short
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dial(t, "unix", filepath.Join(dir, "s"))
	},
}

func dial(t testing.TB, network, address string) (near, far net.Conn) {
	l, err := net.Listen(network, address)
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, _ := l.Accept()
		accepted <- c
	}()
	near, err = net.Dial(network, l.Addr().String())
	require.NoError(t, err)
	return near, <-accepted
}

// overAll runs f over each kind of stream in each framing: conn is one end, raw
// the other.
func overAll(t *testing.T, f func(t *testing.T, conn transport.Conn, raw *rawPeer)) {
	for name, open := range streams {
		for _, framed := range []framing.Framing{framing.Newline, framing.ContentLength, framing.Detect} {
			t.Run(fmt.Sprint(name, "/", framed), func(t *testing.T) {
				near, far := open(t)
				c := transport.Stream(near, framed, nil)
				t.Cleanup(func() { _ = c.Close(); _ = far.Close() })
				f(t, c, &rawPeer{t: t, Conn: far, counted: framed == framing.ContentLength, in: bufio.NewReader(far)})
			})
		}
	}
}

// rawPeer is the other end as bytes. Where the framing is to be detected it
// speaks newline frames.
type rawPeer struct {
	net.Conn
	t       testing.TB
	counted bool
	in      *bufio.Reader
}

// frame puts a message into the peer's framing.
func (r *rawPeer) frame(message string) string {
	if r.counted {
		return counted(message)
	}
	return message + "\n"
}

func counted(message string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(message), message)
}

// write writes messages in the background, as a pipe has no buffer.
func (r *rawPeer) write(messages ...string) {
	var text strings.Builder
	for _, m := range messages {
		text.WriteString(r.frame(m))
	}
	go func() { _, _ = io.WriteString(r.Conn, text.String()) }()
}

// next reads one frame and returns its message.
func (r *rawPeer) next() string {
	r.t.Helper()
	line, err := r.in.ReadString('\n')
	require.NoError(r.t, err)
	if !r.counted {
		return strings.TrimSuffix(line, "\n")
	}
	var n int
	_, err = fmt.Sscanf(line, "Content-Length: %d\r\n", &n)
	require.NoError(r.t, err, "%q", line)
	body := make([]byte, 2+n)
	_, err = io.ReadFull(r.in, body)
	require.NoError(r.t, err)
	require.Equal(r.t, "\r\n", string(body[:2]))
	return string(body[2:])
}

func request(id, method string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}`
}

// note is a notification to send; big ones have params of that many bytes.
func note(n, size int) *codec.Message {
	return &codec.Message{
		Kind:   codec.Notification,
		Method: fmt.Appendf(nil, "n%d", n),
		Params: codec.Value(`{"x":"` + strings.Repeat("y", size) + `"}`),
	}
}

// noteText is how it looks on the wire.
func noteText(n, size int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"n%d","params":{"x":"%s"}}`, n, strings.Repeat("y", size))
}
