package streamhttp

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

func longMessage(method string) *codec.Message {
	return &codec.Message{
		Kind: codec.Request, ID: codec.ID("1"), Method: []byte(method),
		Params: codec.Value(`{"text":"` + strings.Repeat("x", pooledBody) + `"}`),
	}
}

// TestTextHolders: the memory of a large message is given back once, when neither
// its post nor a body of one of its requests has it any more; a body that is closed
// does not look at it.
func TestTextHolders(t *testing.T) {
	var sent text
	require.NoError(t, sent.encode(longMessage("tools/call"), true))
	want := string(sent.b)
	first, again := sent.open(), sent.open() // the request was sent twice

	part := make([]byte, 10)
	n, err := first.Read(part)
	require.NoError(t, err)
	require.Equal(t, want[:10], string(part[:n]))
	require.NoError(t, first.Close())
	require.NoError(t, first.Close())
	_, err = first.Read(part)
	require.ErrorIs(t, err, http.ErrBodyReadAfterClose)
	_, err = first.(*body).writeTo(io.Discard, 1)
	require.ErrorIs(t, err, http.ErrBodyReadAfterClose)

	sent.release()
	require.NotNil(t, sent.memory.B, "given back while a body reads it")
	all, err := io.ReadAll(again)
	require.NoError(t, err)
	require.Equal(t, want, string(all))
	require.NoError(t, again.Close())
	require.Nil(t, sent.memory.B, "not given back")
}

// TestTextWritten: a connection writes a body in one piece, which nobody takes from
// it meanwhile.
func TestTextWritten(t *testing.T) {
	var sent text
	require.NoError(t, sent.encode(longMessage("tools/call"), true))
	want := string(sent.b)
	b := sent.open()
	writes := 0
	w := writerFunc(func(p []byte) (int, error) {
		writes++
		require.NoError(t, b.Close())
		sent.release()
		require.Equal(t, want, string(p))
		require.NotNil(t, sent.memory.B, "given back while it is being written")
		return len(p), nil
	})
	n, err := b.(*body).writeTo(w, int64(len(want))+1)
	require.NoError(t, err)
	require.EqualValues(t, len(want), n)
	require.Equal(t, 1, writes)
	require.Nil(t, sent.memory.B, "not given back")
}

// TestTextKept: what is small, what a session keeps, and what a RoundTripper of
// somebody else reads, is left to the collector.
func TestTextKept(t *testing.T) {
	small := longMessage("tools/call")
	small.Params = codec.Value("{}")
	for name, c := range map[string]struct {
		m   *codec.Message
		own bool
	}{
		"small":      {small, true},
		"initialize": {longMessage("initialize"), true},
		"foreign":    {longMessage("tools/call"), false},
	} {
		var sent text
		require.NoError(t, sent.encode(c.m, c.own), name)
		want := string(sent.b)
		sent.release()
		got, err := io.ReadAll(sent.open())
		require.NoError(t, err, name)
		require.Equal(t, want, string(got), name)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
