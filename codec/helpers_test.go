package codec_test

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

const (
	parseError     = -32700
	invalidRequest = -32600
)

// decode decodes a frame with the default limits and checks what holds for
// every frame.
func decode(t testing.TB, frame string) (*codec.Message, *codec.DecodeError) {
	t.Helper()
	return decodeWith(t, codec.Decode, frame)
}

// decodeWith is decode with another decoder: the frame is not written to, a
// refusal is a *DecodeError within the frame, and text that is not JSON leaves
// nothing behind.
func decodeWith(t testing.TB, decode func([]byte, *codec.Message) error, frame string) (*codec.Message, *codec.DecodeError) {
	t.Helper()
	b := []byte(frame)
	m := new(codec.Message)
	err := decode(b, m)
	require.Equal(t, frame, string(b), "the frame was written to")
	if err == nil {
		require.NotEqual(t, codec.Invalid, m.Kind, "frame %q", frame)
		return m, nil
	}
	e, ok := err.(*codec.DecodeError)
	require.True(t, ok, "%T", err)
	require.Contains(t, []int64{parseError, invalidRequest}, e.Code)
	require.GreaterOrEqual(t, e.Offset, 0)
	require.LessOrEqual(t, e.Offset, len(frame))
	require.NotEmpty(t, e.Reason)
	require.Equal(t, codec.Invalid, m.Kind)
	if e.Code == parseError {
		require.Equal(t, snapshot{}, shot(m), "nothing in %q can be trusted", frame)
	}
	return m, e
}

// accept decodes a frame that must be accepted.
func accept(t testing.TB, frame string) *codec.Message {
	t.Helper()
	m, err := decode(t, frame)
	if err != nil {
		require.NoError(t, err, "frame %q", frame)
	}
	return m
}

// refuse decodes a frame that must be refused with this code at the byte that
// the mark stands before.
func refuse(t testing.TB, code int64, marked string) (*codec.Message, *codec.DecodeError) {
	t.Helper()
	frame, at := unmark(t, marked)
	m, err := decode(t, frame)
	require.NotNil(t, err, "frame %q was accepted", frame)
	require.Equal(t, code, err.Code, "frame %q: %v", frame, err)
	require.Equal(t, at, err.Offset, "frame %q: %v", frame, err)
	return m, err
}

// mark stands in a test's bytes before the one that an error must point at.
const mark = "▲"

func unmark(t testing.TB, marked string) (frame string, at int) {
	t.Helper()
	require.Equal(t, 1, strings.Count(marked, mark), "marks in %q", marked)
	before, behind, _ := strings.Cut(marked, mark)
	return before + behind, len(before)
}

// snapshot is all that a message says, comparable by require.Equal. Absent
// values are nil, which require.Equal tells from empty ones.
type snapshot struct {
	Kind                         codec.Kind
	ID                           codec.ID
	Method                       []byte
	Params, Result, Error, Array codec.Value
	Facts                        map[string]string
	ElementErrors                []string
}

func shot(m *codec.Message) snapshot {
	s := snapshot{
		Kind: m.Kind, ID: m.ID, Method: m.Method,
		Params: m.Params, Result: m.Result, Error: m.Error, Array: m.Array,
	}
	for f := range facts() {
		if v := m.Fact(f); v != nil {
			if s.Facts == nil {
				s.Facts = map[string]string{}
			}
			s.Facts[f.String()] = string(v)
		}
	}
	for i := range m.Len() {
		text := "ok"
		if err := m.Element(i, new(codec.Message)); err != nil {
			text = err.Error()
		}
		s.ElementErrors = append(s.ElementErrors, text)
	}
	return s
}

// facts yields every fact there is.
func facts() iter.Seq[codec.Fact] {
	return func(yield func(codec.Fact) bool) {
		for f := codec.Fact(0); f.String() != "unknown fact"; f++ {
			if !yield(f) {
				return
			}
		}
	}
}

// element returns element i of a batch.
func element(t testing.TB, m *codec.Message, i int) (*codec.Message, *codec.DecodeError) {
	t.Helper()
	el := new(codec.Message)
	err := m.Element(i, el)
	if err == nil {
		require.NotEqual(t, codec.Invalid, el.Kind)
		return el, nil
	}
	e, ok := err.(*codec.DecodeError)
	require.True(t, ok, "%T", err)
	require.Equal(t, codec.Invalid, el.Kind)
	return el, e
}

// orders yields every order of the numbers below n. The slice is only valid
// until the next one.
func orders(n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		permute(order, n, yield)
	}
}

func permute(order []int, n int, yield func([]int) bool) bool {
	if n <= 1 {
		return yield(order)
	}
	for i := range n {
		order[i], order[n-1] = order[n-1], order[i]
		more := permute(order, n-1, yield)
		order[i], order[n-1] = order[n-1], order[i]
		if !more {
			return false
		}
	}
	return true
}

// members cuts an object into its members, raw, with the standard library.
func members(t testing.TB, object string) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(object))
	open, err := dec.Token()
	require.NoError(t, err)
	require.Equal(t, json.Delim('{'), open)
	var out []string
	for dec.More() {
		name, err := dec.Token()
		require.NoError(t, err)
		quoted, err := json.Marshal(name)
		require.NoError(t, err)
		var value json.RawMessage
		require.NoError(t, dec.Decode(&value))
		out = append(out, string(quoted)+":"+string(value))
	}
	return out
}

// joined is the object with these members in this order.
func joined(members []string, order []int) string {
	parts := make([]string, len(order))
	for i, n := range order {
		parts[i] = members[n]
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// spellings returns a JSON string in several spellings that all read text.
func spellings(text string) []string {
	out := []string{`"` + text + `"`}
	hex := func(s string, upper bool) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			digits := "0123456789abcdef"
			if upper {
				digits = "0123456789ABCDEF"
			}
			b.WriteString(`\u00`)
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
		return b.String()
	}
	last := len(text) - 1
	out = append(out, `"`+hex(text[:1], false)+text[1:]+`"`)
	out = append(out, `"`+text[:last]+hex(text[last:], true)+`"`)
	out = append(out, `"`+hex(text, true)+`"`)
	if strings.Contains(text, "/") {
		out = append(out, `"`+strings.ReplaceAll(text, "/", `\/`)+`"`)
	}
	return slices.Compact(out)
}

// cut checks that a view has no room behind it, so that an append cannot
// touch its neighbour.
func cut[S ~[]byte](t testing.TB, what string, v S) {
	t.Helper()
	require.Equal(t, len(v), cap(v), "%s is not cut to its length: %q", what, bytes.Clone(v))
}
