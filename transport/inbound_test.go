package transport_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/transport"
)

// readSome reads so much that any released block is used again.
func readSome(t *testing.T, c transport.Conn, raw *rawPeer) {
	t.Helper()
	var in transport.Inbound
	for range 30 {
		raw.write(slices.Repeat([]string{request("99", strings.Repeat("junk", 250))}, 10)...)
		for range 10 {
			require.NoError(t, c.Read(&in))
		}
	}
	in.Release()
}

const precious = `{"jsonrpc":"2.0","id":"an id","method":"m\u0065thod","params":{"name":"precious","_meta":{"progressToken":7}}}`

func requirePrecious(t *testing.T, in *transport.Inbound) {
	t.Helper()
	require.Equal(t, codec.Request, in.Kind)
	require.Equal(t, `"an id"`, in.ID.String())
	require.Equal(t, "method", string(in.Method))
	require.Equal(t, `{"name":"precious","_meta":{"progressToken":7}}`, string(in.Params))
	require.Equal(t, `"precious"`, string(in.Fact(codec.FactName)))
	require.Equal(t, `7`, string(in.Fact(codec.FactMetaProgressToken)))
}

// TestMoveTo: the message goes on to borrow its frame, for the new holder, while
// the reader uses its Inbound again.
func TestMoveTo(t *testing.T) {
	overAll(t, func(t *testing.T, c transport.Conn, raw *rawPeer) {
		raw.write(request("1", "old"), precious)
		var in, kept transport.Inbound
		require.NoError(t, c.Read(&kept))
		require.NoError(t, c.Read(&in))
		in.Scope = 5
		in.MoveTo(&kept)
		require.Equal(t, transport.Inbound{}, in)
		requirePrecious(t, &kept)
		require.Equal(t, transport.Scope(5), kept.Scope)
		require.Equal(t, c, kept.Via)
		require.Equal(t, len(precious), kept.Bytes)
		readSome(t, c, raw)
		requirePrecious(t, &kept)
		in.Release() // holds nothing
		requirePrecious(t, &kept)
		kept.Release()
		require.Nil(t, kept.Params)
	})
}

// TestRelease: nothing of a message is left, and a second Release is harmless,
// in poison builds too.
func TestRelease(t *testing.T) {
	overAll(t, func(t *testing.T, c transport.Conn, raw *rawPeer) {
		raw.write(precious, "{oops", precious)
		var in transport.Inbound
		for range 3 {
			require.NoError(t, c.Read(&in))
			in.Scope, in.Failed = 7, true
			in.Release()
			require.Equal(t, codec.Invalid, in.Kind)
			require.Nil(t, in.ID)
			require.Nil(t, in.Method)
			require.Nil(t, in.Fact(codec.FactName))
			require.NoError(t, in.Err)
			require.Nil(t, in.Via)
			require.Zero(t, in.Scope, "a reused Inbound must not carry another connection's scope")
			require.Zero(t, in.Bytes)
			require.False(t, in.Failed)
			in.Release()
		}
		readSome(t, c, raw)
	})
}

// TestDetach: the message is the holder's own from then on, and its frame goes
// back at once.
func TestDetach(t *testing.T) {
	overAll(t, func(t *testing.T, c transport.Conn, raw *rawPeer) {
		raw.write(precious)
		var in, moved transport.Inbound
		require.NoError(t, c.Read(&in))
		in.Detach()
		readSome(t, c, raw)
		requirePrecious(t, &in)
		in.MoveTo(&moved)
		requirePrecious(t, &moved)
		require.Equal(t, c, moved.Via)
		moved.Release()
		require.Nil(t, moved.Params)
	})
}

// TestSetFrame: the frame before goes back.
func TestSetFrame(t *testing.T) {
	r := framing.NewReader(strings.NewReader("{}\n[]\n"), framing.Newline, nil)
	one, err := r.Next()
	require.NoError(t, err)
	two, err := r.Next()
	require.NoError(t, err)
	var in transport.Inbound
	require.Nil(t, in.Raw())
	in.SetFrame(one)
	require.Equal(t, "{}", string(in.Raw()))
	require.Equal(t, "{}", string(one.Bytes()))
	in.SetFrame(two)
	require.Nil(t, one.Bytes())
	require.Equal(t, "[]", string(two.Bytes()))
	require.Equal(t, 2, in.Bytes)
	in.Release()
	require.Nil(t, two.Bytes())
}

// TestInboundByHand: a transport that has no frames fills an Inbound itself.
func TestInboundByHand(t *testing.T) {
	cause := errors.New("connection reset")
	in := transport.Inbound{Message: codec.Message{ID: codec.IntID(3)}, Err: cause, Failed: true}
	var out transport.Inbound
	in.MoveTo(&out)
	require.True(t, out.Failed)
	require.Equal(t, cause, out.Err)
	require.Equal(t, "3", out.ID.String())
	out.Detach()
	require.Equal(t, "3", out.ID.String())
	out.Release()
	require.Equal(t, transport.Inbound{}, out)
}

// TestSetBody: a body goes back to its pool with the Inbound that holds it, once,
// and the message that was detached before stays.
func TestSetBody(t *testing.T) {
	misuses := buf.Misuses()
	body := func() buf.Buffer {
		b := buf.Get(buf.Body)
		b.B = append(b.B, precious...)
		return b
	}
	var in, other transport.Inbound
	b := body()
	in.SetBody(b)
	require.Equal(t, precious, string(in.Raw()))
	require.NoError(t, codec.Decode(b.B, &in.Message))
	require.Equal(t, len(precious), in.Bytes)
	in.MoveTo(&other)
	in.Release()
	requirePrecious(t, &other)
	other.Detach()
	require.Nil(t, other.Raw())
	for range 4 { // the memory is used again
		next := body()
		for i := range next.B {
			next.B[i] = 'x'
		}
		next.Put()
	}
	requirePrecious(t, &other)
	other.SetBody(body())
	other.SetBody(body())
	other.Release()
	other.Release()
	require.Equal(t, misuses, buf.Misuses())
}
