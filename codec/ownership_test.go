package codec_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// owned are frames whose every part is looked at below.
var owned = []string{
	`{"jsonrpc":"2.0","id":"some id","method":"tools/call","params":{"name":"n","arguments":{},"_meta":{"progressToken":"t"}}}`,
	` {"method":"tools\/call","id":17,"jsonrpc":"2.0","params":[1,2]} `,
	"\xef\xbb\xbf\n{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{\n\"level\":\"info\"}}",
	`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"_meta":{"traceparent":"t"}}}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":{"a":1}}}`,
	`  [{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"n"}}, 5, {"jsonrpc":"1","id":2}, {"id":3}, {"jsonrpc":"2.0","id":1.5,"method":"m"},{"jsonrpc":"2.0","method":"b"}]  `,
	`{"jsonrpc":"2.0","id":4,"method":5,"params":{"name":"n"}}`,
	`{"id":4,"method":"m"}`,
	`{}`, `[]`, `[1]`, `null`, ``, `{`,
}

func TestViewsAreCut(t *testing.T) {
	for _, frame := range owned {
		m := new(codec.Message)
		_ = codec.Decode([]byte(frame), m)
		check := func(m *codec.Message) {
			cut(t, "id", m.ID)
			cut(t, "params", m.Params)
			cut(t, "result", m.Result)
			cut(t, "error", m.Error)
			cut(t, "array", m.Array)
			if raw := m.Fact(codec.FactMethod); raw.Kind() == codec.String && !bytes.Contains(raw, []byte(`\`)) {
				cut(t, "method", m.Method)
			}
			for f := range facts() {
				cut(t, f.String(), m.Fact(f))
			}
		}
		check(m)
		for i := range m.Len() {
			el, _ := element(t, m, i)
			check(el)
			el.Detach()
			check(el)
		}
		m.Detach()
		check(m)
	}
}

// TestAppendToAView cannot touch its neighbour.
func TestAppendToAView(t *testing.T) {
	for _, frame := range owned {
		b := []byte(frame)
		m := new(codec.Message)
		_ = codec.Decode(b, m)
		for f := range facts() {
			_ = append(m.Fact(f), "XXXX"...)
		}
		for _, v := range [][]byte{m.ID, m.Method, m.Params, m.Result, m.Error, m.Array} {
			_ = append(v, "XXXX"...)
		}
		for i := range m.Len() {
			el, _ := element(t, m, i)
			_ = append(el.Params, "XXXX"...)
			_ = append(el.Method, "XXXX"...)
		}
		require.Equal(t, frame, string(b))
	}
}

// TestViewsBorrow: without Detach a message does change with its frame. If it
// did not, somebody would be copying.
func TestViewsBorrow(t *testing.T) {
	frame := []byte(owned[0])
	m := new(codec.Message)
	require.NoError(t, codec.Decode(frame, m))
	overwrite(frame)
	require.Equal(t, strings.Repeat("\xff", len(m.Params)), string(m.Params))
	require.Equal(t, strings.Repeat("\xff", len(m.Method)), string(m.Method))
	require.Equal(t, strings.Repeat("\xff", len(m.ID)), string(m.ID))
}

func overwrite(frame []byte) {
	for i := range frame {
		frame[i] = 0xFF
	}
}

// TestDetach: after it the frame may be overwritten, and nothing changes: no
// part, no fact, no element, nor what is wrong with one.
func TestDetach(t *testing.T) {
	for _, text := range owned {
		trimmed := strings.Trim(strings.TrimPrefix(text, "\xef\xbb\xbf"), " \n")
		want := new(codec.Message)
		wantErr := codec.Decode([]byte(trimmed), want)

		frame, m := []byte(text), new(codec.Message)
		err := codec.Decode(frame, m)
		require.Equal(t, wantErr == nil, err == nil)
		m.Detach()
		overwrite(frame)
		require.Equal(t, shot(want), shot(m), "%q", text)
		m.Detach() // again: a copy of the copy
		require.Equal(t, shot(want), shot(m), "%q", text)
	}
}

// TestDetachElement: an element lives on by itself, whether it or its batch is
// detached, and in whatever order.
func TestDetachElement(t *testing.T) {
	batchText := owned[5]
	for _, batchToo := range []bool{false, true} {
		frame, m := []byte(batchText), new(codec.Message)
		require.NoError(t, codec.Decode(frame, m))
		var before, after []snapshot
		var elements []*codec.Message
		for i := range m.Len() {
			el, _ := element(t, m, i)
			before = append(before, shot(el))
			if batchToo {
				m.Detach()
				el, _ = element(t, m, i)
			}
			el.Detach()
			elements = append(elements, el)
		}
		for i := range before { // the snapshots are views as well
			before[i] = clone(before[i])
		}
		m.Reset()
		overwrite(frame)
		for _, el := range elements {
			after = append(after, shot(el))
		}
		require.Equal(t, before, after)
	}
}

func clone(s snapshot) snapshot {
	s.ID, s.Method = slices.Clone(s.ID), slices.Clone(s.Method)
	s.Params, s.Result, s.Error, s.Array = slices.Clone(s.Params), slices.Clone(s.Result), slices.Clone(s.Error), slices.Clone(s.Array)
	return s
}

// TestDetachKeepsWhatTheUserSet: a field that is no longer the decoder's view
// stays as it is, also where it begins at the same byte.
func TestDetachKeepsWhatTheUserSet(t *testing.T) {
	frame, m := []byte(owned[0]), new(codec.Message)
	require.NoError(t, codec.Decode(frame, m))
	params, result := []byte(`{"mine":1}`), m.Params
	m.Params, m.Result, m.Method = params, result, m.Method[:5:5]
	m.ID = codec.IntID(5)
	m.Detach()
	require.Same(t, &params[0], &m.Params[0])
	require.Same(t, &result[0], &m.Result[0])
	require.Equal(t, "tools", string(m.Method))
	require.Equal(t, codec.ID("5"), m.ID)
	require.Equal(t, `"n"`, string(m.Fact(codec.FactName)))

	// A field that the message never had, in a Message that had it before.
	m = new(codec.Message)
	require.NoError(t, codec.Decode([]byte(`{"jsonrpc":"2.0","id":1,"result":{"a":"long enough to reach far"}}`), m))
	require.NoError(t, codec.Decode([]byte(`{"jsonrpc":"2.0","id":1,"params":{"a":1},"method":"echo"}`), m))
	m.Kind, m.Result = codec.Response, m.Params
	m.Detach()
	require.Equal(t, `{"a":1}`, string(m.Result))
	require.Equal(t, `{"a":1}`, string(m.Params))

	long := `{"jsonrpc":"2.0","x":"` + strings.Repeat("x", 100) + `","id":1,"result":{"a":1}}`
	require.NoError(t, codec.Decode([]byte(long), m))
	require.NoError(t, codec.Decode([]byte(`{"jsonrpc":"2.0","id":1,"method":"echo"}`), m))
	m.Result = codec.Value(`{"b":2}`) // as long as the one before
	m.Detach()
	require.Equal(t, `{"b":2}`, string(m.Result))

	// A message that was never decoded has nothing to copy.
	made := codec.Message{Kind: codec.Request, ID: codec.IntID(1), Method: []byte("m"), Params: params, Array: params}
	made.Detach()
	require.Equal(t, codec.Message{Kind: codec.Request, ID: codec.IntID(1), Method: []byte("m"), Params: params, Array: params}, made)
	new(codec.Message).Detach()
}

// TestMessageIsAValue: a copy of a message is as good as the message.
func TestMessageIsAValue(t *testing.T) {
	m := accept(t, owned[0])
	kept := *m
	want := clone(shot(m))
	require.NoError(t, codec.Decode([]byte(owned[3]), m))
	require.Equal(t, want, shot(&kept))
}

// TestWireErrorIsACopy.
func TestWireErrorIsACopy(t *testing.T) {
	frame, m := []byte(owned[4]), new(codec.Message)
	require.NoError(t, codec.Decode(frame, m))
	e := m.WireError()
	overwrite(frame)
	require.Equal(t, &codec.Error{Code: 1, Message: "m", Data: codec.Value(`{"a":1}`), Remote: true}, e)
}
