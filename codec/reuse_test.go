package codec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// reuseFrames follow one another in every pair: what one has, another lacks.
var reuseFrames = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","uri":"u","_meta":{"progressToken":1,"baggage":"b"}}}`,
	`{"jsonrpc":"2.0","method":"n"}`,
	`{"jsonrpc":"2.0","id":"x","result":{"isError":true,"resultType":"complete","_meta":{"traceparent":"t"}}}`,
	`{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"m","data":{}}}`,
	`{"jsonrpc":"2.0","error":{"code":5,"message":"m"}}`,
	`[{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"n"}},{"jsonrpc":"2.0","method":"b"},3]`,
	`[{"jsonrpc":"2.0","method":"c"}]`,
	`[1]`,
	`[null,{"jsonrpc":"2.0","id":1,"result":{}},"x"]`,
	`[]`,
	`[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":1,"result":{}}]`,
	`[{"jsonrpc":"2.0","id":1,"id":2,"method":"a"},{"jsonrpc":"2.0","id":7,"id":8,"method":"a"}]`,
	`{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`,
	`{"jsonrpc":"2.0","id":1.5,"method":"m"}`,
	`{"jsonrpc":"2.0","id":9}`,
	`{"jsonrpc":"1.0","id":9,"method":"m","params":{"name":"n"}}`,
	`{"jsonrpc":"2.0","id":9,"method":"m","params":{"name":"n",}}`,
	`[{"jsonrpc":"2.0","id":9,"method":"m"},`,
	`{"jsonrpc":"2.0","id":9,"method":"m","params":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`,
	`5`, `null`, ``, ` `,
	"{\n\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[\n]}",
}

// TestReuse decodes every frame after every other one into one Message with
// one Decoder: nothing of the earlier frame is left, neither facts, ids nor
// elements.
func TestReuse(t *testing.T) {
	type outcome struct {
		snapshot
		elements []snapshot
		oneLine  bool
		err      string
	}
	run := func(decode func([]byte, *codec.Message) error, frame string, m *codec.Message) outcome {
		err := decode([]byte(frame), m)
		o := outcome{snapshot: shot(m), oneLine: m.OneLine}
		for i := range m.Len() {
			el, _ := element(t, m, i)
			o.elements = append(o.elements, shot(el))
		}
		if err != nil {
			o.err = err.Error()
		}
		return o
	}
	d, m := codec.NewDecoder(nil), new(codec.Message)
	el := new(codec.Message)
	for _, before := range reuseFrames {
		for _, frame := range reuseFrames {
			want := run(codec.Decode, frame, new(codec.Message))
			_ = d.Decode([]byte(before), m)
			require.Equal(t, want, run(d.Decode, frame, m), "%q after %q", frame, before)

			// The same with a Message that was an element of another batch.
			batch := accept(t, reuseFrames[5])
			require.NoError(t, batch.Element(0, el))
			require.Equal(t, want, run(codec.Decode, frame, el), "%q after an element", frame)
			require.NoError(t, batch.Element(1, el))
			require.Nil(t, el.ID)
			require.Nil(t, el.Fact(codec.FactName))
		}
	}
}

func TestReset(t *testing.T) {
	for _, frame := range reuseFrames {
		m := new(codec.Message)
		_ = codec.Decode([]byte(frame), m)
		m.Reset()
		require.Equal(t, snapshot{}, shot(m))
		require.False(t, m.OneLine)
		m.Reset()
		_, err := m.AppendText(nil)
		require.ErrorIs(t, err, codec.ErrIncomplete)
	}
	// A hostile batch is forgotten, a small one's index is kept.
	large := accept(t, "["+strings.Repeat("1,", 1000)+"1]")
	require.Equal(t, 1001, large.Len())
	large.Reset()
	require.Zero(t, large.Len())
	require.NoError(t, codec.Decode([]byte(`[1]`), large))
	require.Equal(t, 1, large.Len())
}

// TestDecodersShareNothing: limits belong to one decoder, not to the pool.
func TestDecodersShareNothing(t *testing.T) {
	small := codec.NewDecoder(&codec.Limits{MaxDepth: 1})
	_, err := decodeWith(t, small.Decode, `{"jsonrpc":"2.0","method":"m","params":{}}`)
	require.NotNil(t, err)
	accept(t, `{"jsonrpc":"2.0","method":"m","params":{}}`)
}
