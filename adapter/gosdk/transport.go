package gosdk

import (
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/transport"
)

// Transport makes a session of the SDK run on a connection of this module. It
// implements [mcp.Transport], for servers and clients alike, and like each of them
// it connects once.
type Transport struct {
	opts Options
	dial func(ctx context.Context) (transport.Conn, error)

	mu   sync.Mutex
	conn transport.Conn
}

var _ mcp.Transport = (*Transport)(nil)

// Connect implements [mcp.Transport].
func (t *Transport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.conn = conn
	t.mu.Unlock()
	return newLink(conn, &t.opts, false), nil
}

// Conn returns the connection that Connect has made, nil before. What it offers
// beyond sessions, such as the standard error of a child, is found there; to read
// from it or to send is the SDK's.
func (t *Transport) Conn() transport.Conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conn
}

// Dial returns a transport that opens a connection of d when it connects: of
// stdio.Command, streamhttp.URL or sse.URL, for instance. opts may be nil.
func Dial(d transport.Dialer, opts *Options) *Transport {
	return &Transport{opts: opts.filled(), dial: d.Dial}
}

// Over returns a transport over a connection that is there already, which it owns
// from now on. opts may be nil.
func Over(c transport.Conn, opts *Options) *Transport {
	return &Transport{opts: opts.filled(), dial: func(context.Context) (transport.Conn, error) { return c, nil }}
}

// Stdio returns the transport of a server on the standard input and output of this
// process, in the place of [mcp.StdioTransport]. From Connect to the end of the
// session nobody else can read or write the streams, as package stdio describes;
// nothing should have read os.Stdin before. When the client has ended its side,
// calls that run are answered, until SIGINT or SIGTERM cancels them. o may be nil.
func Stdio(o *stdio.Options) *Transport {
	opts := optionsOf(o)
	opts.standard = true
	return &Transport{opts: opts, dial: func(context.Context) (transport.Conn, error) { return stdio.Claim(o) }}
}

// Command returns the transport of a client to a server that it starts, in the
// place of [mcp.CommandTransport]: argv[0] with the arguments argv[1:], no shell
// involved. o may be nil.
func Command(argv []string, o *stdio.Options) *Transport {
	return &Transport{opts: optionsOf(o), dial: stdio.Command(argv, o).Dial}
}

func optionsOf(o *stdio.Options) Options {
	if o == nil {
		o = &stdio.Options{}
	}
	return (&Options{Logger: o.Logger}).filled()
}

// IO returns a transport over a byte stream in newline framing, in the place of
// [mcp.IOTransport]. It owns both; to close r must unblock a Read of it. o may be
// nil.
func IO(r io.ReadCloser, w io.WriteCloser, o *transport.StreamOptions) *Transport {
	return Over(transport.Stream(halves{r, w}, framing.Newline, o), nil)
}

type halves struct {
	io.ReadCloser
	w io.WriteCloser
}

func (h halves) Write(p []byte) (int, error) { return h.w.Write(p) }

func (h halves) Close() error {
	err := h.ReadCloser.Close()
	if werr := h.w.Close(); err == nil {
		err = werr
	}
	return err
}

// Pipe returns two transports that are joined in memory, in the place of
// [mcp.NewInMemoryTransports]. Connect the server first. o may be nil.
func Pipe(o *transport.StreamOptions) (server, client *Transport) {
	a, b := transport.Pipe(o)
	return Over(a, nil), Over(b, nil)
}
