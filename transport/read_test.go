package transport_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// TestRead: messages arrive in order, what the peer got wrong arrives as such,
// and the connection goes on.
func TestRead(t *testing.T) {
	overAll(t, func(t *testing.T, c transport.Conn, raw *rawPeer) {
		big := request("2", strings.Repeat("m", 200<<10))
		raw.write(request("1", "a"), `{oops`, big, `{"jsonrpc":"2.0","id":7}`, `[`+request("3", "b")+`]`, request("4", "c"))
		var in transport.Inbound
		next := func(kind codec.Kind) {
			t.Helper()
			require.NoError(t, c.Read(&in))
			require.Equal(t, kind, in.Kind)
			require.Equal(t, c, in.Via)
			require.Zero(t, in.Scope)
			require.False(t, in.Failed)
			if kind != codec.Invalid {
				require.NoError(t, in.Err)
			}
		}
		next(codec.Request)
		require.Equal(t, "1", in.ID.String())
		require.Equal(t, len(request("1", "a")), in.Bytes)
		next(codec.Invalid)
		var bad *codec.DecodeError
		require.ErrorAs(t, in.Err, &bad)
		require.EqualValues(t, -32700, bad.Code)
		next(codec.Request)
		require.Equal(t, len(big), in.Bytes)
		require.Len(t, in.Method, 200<<10)
		next(codec.Invalid)
		require.ErrorAs(t, in.Err, &bad)
		require.EqualValues(t, -32600, bad.Code)
		require.Equal(t, "7", in.ID.String())
		next(codec.Batch)
		require.Equal(t, 1, in.Len())
		next(codec.Request)
		require.Equal(t, "4", in.ID.String())
		require.NoError(t, raw.Close())
		require.Equal(t, io.EOF, c.Read(&in))
		require.Equal(t, io.EOF, c.Read(&in))
		require.Nil(t, in.ID)
	})
}

// TestReadBadFrame: a frame that is refused before it is a message is reported
// like one that is no message.
func TestReadBadFrame(t *testing.T) {
	for name, tt := range map[string]struct {
		framing framing.Framing
		text    string
		kind    framing.Kind
		after   string // id of the message behind it
	}{
		"too long":        {framing.Newline, strings.Repeat("x", 500) + "\n" + request("1", "a") + "\n", framing.TooLong, "1"},
		"foreign":         {framing.Newline, "GET / HTTP/1.1\r\nHost: x\r\n\r\n" + request("1", "a") + "\n", framing.WrongFraming, "1"},
		"truncated":       {framing.Newline, `{"jsonrpc":`, framing.Truncated, ""},
		"bad header":      {framing.ContentLength, "Content-Length: x\r\n\r\n" + counted(request("1", "a")), framing.BadHeader, "1"},
		"too long a body": {framing.ContentLength, "Content-Length: 500\r\n\r\n" + strings.Repeat("x", 500) + counted(request("1", "a")), framing.TooLong, "1"},
		"body cut off":    {framing.ContentLength, "Content-Length: 38\r\n\r\n{}", framing.Truncated, ""},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			c := transport.Stream(near, tt.framing, &transport.StreamOptions{Framing: framing.Options{MaxFrame: 200}})
			defer func() { require.NoError(t, c.Close()) }()
			go func() { _, _ = io.WriteString(far, tt.text); _ = far.Close() }()
			var in transport.Inbound
			require.NoError(t, c.Read(&in))
			var bad *framing.Error
			require.ErrorAs(t, in.Err, &bad)
			require.Equal(t, tt.kind, bad.Kind)
			require.Equal(t, codec.Invalid, in.Kind)
			require.NotNil(t, in.Via)
			require.Nil(t, in.ID)
			if tt.after != "" {
				require.NoError(t, c.Read(&in))
				require.Equal(t, tt.after, in.ID.String())
			}
			require.Equal(t, io.EOF, c.Read(&in))
		})
	}
}

// TestReadLimits: the limits of a message are the stream's options.
func TestReadLimits(t *testing.T) {
	near, far := net.Pipe()
	opts := &transport.StreamOptions{Limits: codec.Limits{MaxDepth: 3, MaxBatch: 2, MaxID: 4}}
	c := transport.Stream(near, framing.Newline, opts)
	*opts = transport.StreamOptions{} // they were copied
	defer func() { require.NoError(t, c.Close()); _ = far.Close() }()
	go func() {
		_, _ = io.WriteString(far, `{"a":[[[1]]]}`+"\n"+`[1,2,3]`+"\n"+request("12345", "a")+"\n"+request("1234", "a")+"\n")
	}()
	var in transport.Inbound
	for _, limit := range []string{"limit of 3", "limit of 2", "limit of 4"} {
		require.NoError(t, c.Read(&in))
		require.ErrorContains(t, in.Err, limit)
	}
	require.NoError(t, c.Read(&in))
	require.NoError(t, in.Err)
}

// TestReadError: an error of the stream ends the connection, and says both that
// and why.
func TestReadError(t *testing.T) {
	c := transport.Stream(broken{}, framing.Newline, nil)
	var in transport.Inbound
	err := c.Read(&in)
	require.ErrorIs(t, err, net.ErrClosed)
	require.ErrorIs(t, err, io.ErrNoProgress)
	err = c.Send(t.Context(), note(1, 1))
	require.ErrorIs(t, err, net.ErrClosed)
	require.ErrorIs(t, err, io.ErrShortBuffer)
	require.ErrorIs(t, c.Close(), io.ErrClosedPipe)
	require.ErrorIs(t, c.Close(), io.ErrClosedPipe)
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, io.ErrNoProgress }
func (broken) Write([]byte) (int, error) { return 0, io.ErrShortBuffer }
func (broken) Close() error              { return io.ErrClosedPipe }

// TestDetect answers in the framing that the peer turned out to use.
func TestDetect(t *testing.T) {
	for name, open := range streams {
		t.Run(name, func(t *testing.T) {
			near, far := open(t)
			c := transport.Stream(near, framing.Detect, nil)
			defer func() { _ = c.Close(); _ = far.Close() }()
			_ = far.SetDeadline(time.Now().Add(time.Minute))
			go func() { _, _ = io.WriteString(far, counted(request("1", "a"))) }()
			var in transport.Inbound
			require.NoError(t, c.Read(&in))
			require.Equal(t, "1", in.ID.String())
			go func() { _ = c.Send(t.Context(), note(1, 1)) }()
			want := counted(noteText(1, 1))
			got := make([]byte, len(want))
			_, err := io.ReadFull(far, got)
			require.NoError(t, err)
			require.Equal(t, want, string(got))
		})
	}
}
