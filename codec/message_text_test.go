package codec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// TestAppendText: a message made by hand reads as the Append functions write it.
func TestAppendText(t *testing.T) {
	id, e := codec.StringID("x"), &codec.Error{Code: 5, Message: "m", Data: codec.Value("[1,\n2]")}
	for _, payload := range payloads {
		raw := codec.Value(payload)
		for _, tt := range []struct {
			m    codec.Message
			want []byte
		}{
			{codec.Message{Kind: codec.Request, ID: id, Method: []byte("a\nb"), Params: raw}, codec.AppendRequest(nil, id, "a\nb", raw)},
			{codec.Message{Kind: codec.Request, ID: id, Method: []byte{}}, codec.AppendRequest(nil, id, "", nil)},
			{codec.Message{Kind: codec.Notification, Method: []byte("n"), Params: raw}, codec.AppendNotification(nil, "n", raw)},
			{codec.Message{Kind: codec.Notification, Method: []byte("n")}, codec.AppendNotification(nil, "n", nil)},
			{codec.Message{Kind: codec.Notification, ID: id, Method: []byte("n")}, codec.AppendNotification(nil, "n", nil)}, // CO-16
			{codec.Message{Kind: codec.Response, ID: id, Result: raw}, codec.AppendResponse(nil, id, raw)},
			{codec.Message{Kind: codec.ErrorResponse, ID: id, Error: codec.AppendError(nil, e)}, codec.AppendErrorResponse(nil, id, e)},
			{codec.Message{Kind: codec.ErrorResponse, Error: codec.AppendError(nil, e)}, codec.AppendErrorResponse(nil, nil, e)},
			{codec.Message{Kind: codec.Batch, Array: raw}, codec.AppendOneLine(nil, raw)},
		} {
			got, err := tt.m.AppendText(dst())
			require.NoError(t, err)
			require.Equal(t, "dst:"+string(tt.want), string(got))
		}
	}
}

// TestAppendSplit: head, payload and tail one behind the other are what
// AppendText writes; payload is the message's own slice, line breaks and all.
func TestAppendSplit(t *testing.T) {
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a": [1]}}`, `{"jsonrpc":"2.0","id":1,"method":"m"}`,
		`{"jsonrpc":"2.0","method":"m","params":[]}`, `{"jsonrpc":"2.0","method":"m"}`,
		`{"jsonrpc":"2.0","id":"a","result":{"b":1}}`, `{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":""}}`,
		`{"jsonrpc":"2.0","error":{"code":1,"message":""}}`, `[1, {"jsonrpc":"2.0","method":"m"}]`,
	} {
		m := accept(t, frame)
		head, payload, tail, ok := m.AppendSplit(dst())
		require.True(t, ok)
		want, err := m.AppendText(dst())
		require.NoError(t, err)
		require.Equal(t, string(want), string(head)+string(payload)+string(tail))

		m.OneLine = false
		again, same, end, ok := m.AppendSplit(dst())
		require.True(t, ok)
		require.Equal(t, [][]byte{head, payload, tail}, [][]byte{again, same, end})
	}
	lines := codec.Message{Kind: codec.Notification, Method: []byte("m"), Params: codec.Value("{\n}")}
	_, payload, _, ok := lines.AppendSplit(nil)
	require.True(t, ok)
	require.Same(t, &lines.Params[0], &payload[0])
	require.Equal(t, "{\n}", string(payload))
}

// TestErrIncomplete: what a kind needs and does not have; dst comes back as it was.
func TestErrIncomplete(t *testing.T) {
	id, method, raw := codec.IntID(1), []byte("m"), codec.Value("{}")
	for name, m := range map[string]codec.Message{
		"no kind":                  {},
		"no kind, all fields":      {ID: id, Method: method, Params: raw, Result: raw, Error: raw, Array: raw},
		"unknown kind":             {Kind: 99, ID: id, Method: method, Params: raw, Result: raw, Error: raw, Array: raw},
		"request without id":       {Kind: codec.Request, Method: method, Params: raw},
		"request with empty id":    {Kind: codec.Request, ID: codec.ID{}, Method: method},
		"request without method":   {Kind: codec.Request, ID: id, Params: raw},
		"notification, no method":  {Kind: codec.Notification, Params: raw},
		"response without id":      {Kind: codec.Response, Result: raw},
		"response without result":  {Kind: codec.Response, ID: id, Error: raw},
		"response, empty result":   {Kind: codec.Response, ID: id, Result: codec.Value{}},
		"error without error":      {Kind: codec.ErrorResponse, ID: id, Result: raw},
		"error without id, either": {Kind: codec.ErrorResponse},
		"batch without array":      {Kind: codec.Batch, ID: id, Result: raw},
	} {
		t.Run(name, func(t *testing.T) {
			for _, split := range []bool{false, true} {
				m.OneLine = split
				before := dst()
				after, err := m.AppendText(before)
				require.ErrorIs(t, err, codec.ErrIncomplete)
				require.Equal(t, "dst:", string(after))
				require.Same(t, &before[0], &after[0])
				head, payload, tail, ok := m.AppendSplit(before)
				require.False(t, ok)
				require.Equal(t, "dst:", string(head))
				require.Nil(t, payload)
				require.Nil(t, tail)
			}
			nothing, err := m.AppendText(nil)
			require.ErrorIs(t, err, codec.ErrIncomplete)
			require.Nil(t, nothing)
		})
	}
}

// TestRoundTrip: what was decoded is written on one line and reads the same.
func TestRoundTrip(t *testing.T) {
	frames := []string{
		"{\n \"method\" : \"tools\\/call\",\r\n \"id\" : 1.0 , \"x\":1, \"jsonrpc\":\"2.0\", \"params\" : {\n\"a\" : \"\\ud83d\" }\r\n}",
		`{"jsonrpc":"2.0","method":"\u0000\"\\\n"}`,
		`{"jsonrpc":"2.0","id":"\u0031","method":""}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\n1.50,\n-0, 1e400]}",
		`{"jsonrpc":"2.0","id":1,"result":null}`,
		`{"jsonrpc":"2.0","id":null,"error":{"x":1,"code":-32700.0,"message":"a\ud800","data":null}}`,
		"[\r\n{\"jsonrpc\":\"2.0\",\"method\":\"m\"}, 5\n]",
	}
	for _, a := range articles(t) {
		if a.Kind != "" {
			frames = append(frames, a.Raw)
		}
	}
	for _, frame := range frames {
		m := accept(t, frame)
		text, err := m.AppendText(dst())
		require.NoError(t, err)
		if m.Kind != codec.Batch {
			oneLine(t, text)
		}
		require.NotContains(t, string(text), "\n")
		require.NotContains(t, string(text), "\r")

		again := accept(t, string(text[len("dst:"):]))
		require.True(t, again.OneLine)
		require.Equal(t, m.Kind, again.Kind)
		require.Equal(t, m.ID, again.ID)
		require.Equal(t, m.Method, again.Method)
		require.Equal(t, m.Len(), again.Len())
		for _, v := range [][2]codec.Value{{m.Params, again.Params}, {m.Result, again.Result}, {m.Error, again.Error}, {m.Array, again.Array}} {
			require.Equal(t, string(codec.AppendOneLine(nil, v[0])), string(v[1]), "payloads are copied, not marshalled")
			require.Equal(t, v[0] == nil, v[1] == nil)
		}
		twice, err := again.AppendText(dst())
		require.NoError(t, err)
		require.Equal(t, string(text), string(twice))
	}
}
