package typed_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/typed"
)

// The bodies of the benchmarks do what they say, and both libraries the same.
func TestBenchmarkBodies(t *testing.T) {
	for _, w := range works() {
		require.NoError(t, w.do(), "%s %s %s", w.shape, w.size, w.impl)
	}
	text := sizedCall(1 << 10)
	require.Len(t, text, 1<<10)
	var ours, std searchCall
	require.NoError(t, typed.Decode(codec.Value(text), &ours))
	require.NoError(t, json.Unmarshal(text, &std))
	require.Equal(t, std, ours)
	require.NotEmpty(t, ours.Arguments.Query)

	got, err := typed.Append(nil, &ours)
	require.NoError(t, err)
	require.Equal(t, string(text), string(got))
}

// FuzzStrings writes any string so that a strict reader takes it and gets the
// same text, with what is no UTF-8 replaced.
func FuzzStrings(f *testing.F) {
	for _, s := range []string{"", "plain", "<b>&amp;</b>", "\x00\x1f\x7f\"\\", "\u2028\u2029\u0085", "日本語\U0001F600", "a\xff\xed\xa0\x80b", "line\r\nbreak"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := typed.Append(nil, map[string]any{"s": s, s: 1})
		if err != nil {
			t.Fatal(err)
		}
		var m codec.Message
		if err := codec.Decode(codec.AppendResponse(nil, codec.IntID(1), text), &m); err != nil {
			t.Fatalf("%q: %v in %s", s, err, text)
		}
		var back map[string]any
		if err := typed.Decode(m.Result, &back); err != nil {
			t.Fatal(err)
		}
		want := string([]rune(s)) // each bad byte becomes U+FFFD
		if back["s"] != want && want != "s" {
			t.Fatalf("%q became %q", want, back["s"])
		}
	})
}
