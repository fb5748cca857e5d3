package scan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/scan"
)

// rich has every construct of the grammar; it holds no number at its end, so
// each of its prefixes breaks off.
const rich = `{"jsonrpc": "2.0", "id":-0.5e+10,` + "\r\n\t" + `"m\u00e9thod\\":"tools\/call",
 "params":{"":[true,false , null,0,10,-1.25E-3,[[],{}, [ ] ,{ }]],"é你😀":"\ud83d\ude00 é你😀\n"},
 "z":"a string of more than two words, with a quote \" in it"}`

func TestPrefixes(t *testing.T) {
	s := scan.Scanner{MaxDepth: 8}
	for n := range len(rich) {
		end, f := s.Value([]byte(rich)[:n], 0, 0)
		require.Equal(t, scan.UnexpectedEnd, f, "%q: %s at %d", rich[:n], f, end)
		require.Equal(t, n, end, "%q", rich[:n])
	}
	end, f := s.Value([]byte(rich), 0, 0)
	require.Equal(t, scan.OK, f)
	require.Equal(t, len(rich), end)
	for _, number := range []string{"-12.50e+07", "0.1E-1", "10"} {
		for n := range len(number) + 1 {
			agree(t, &s, []byte(number[:n]), 0)
		}
	}
}

// TestNames has names of every length, with everything behind them, and breaks
// the text off at each byte.
func TestNames(t *testing.T) {
	s := scan.Scanner{MaxDepth: 2}
	for n := range 40 {
		for _, behind := range []string{`":1}`, `" :1}`, `": 1}`, `"1}`, `":}`, `"",`, `\n":1}`, "\x00\":1}", "é\":1}", `":[1,2,3,4,5,6,7,8]}`, `":"1234567"}`} {
			text := []byte(`{"` + strings.Repeat("k", n) + behind)
			for end := range len(text) + 1 {
				agree(t, &s, text[:end:end], 0)
			}
		}
	}
}

// TestMutations replaces, drops and doubles each byte of a rich document.
func TestMutations(t *testing.T) {
	s := scan.Scanner{MaxDepth: 4}
	for i := range len(rich) {
		for c := range 256 {
			text := []byte(rich)
			text[i] = byte(c)
			agree(t, &s, text, 0)
		}
		agree(t, &s, []byte(rich[:i]+rich[i+1:]), 0)
		agree(t, &s, []byte(rich[:i+1]+rich[i:]), 0)
		agree(t, &s, []byte(rich), i)
	}
}

// TestNewline wants the flag for line breaks in white space, wherever white
// space may stand inside the value, and for no others.
func TestNewline(t *testing.T) {
	for _, brk := range []string{"\n", "\r", "\r\n", " \n ", "\t\r\t"} {
		for _, text := range []string{
			`[|]`, `[|1]`, `[1|]`, `[1|,2]`, `[1,|2]`, `{|}`, `{|"a":1}`, `{"a"|:1}`, `{"a":|1}`, `{"a":1|}`,
			`{"a":1|,"b":2}`, `{"a":1,|"b":2}`, `[[|],{}]`, `[[],{|}]`,
		} {
			s := scan.Scanner{MaxDepth: 2}
			_, f := s.Value([]byte(strings.ReplaceAll(text, "|", brk)), 0, 0)
			require.Equal(t, scan.OK, f, text)
			require.True(t, s.Newline, "%q in %s", brk, text)
		}
	}
	for _, text := range []string{`[ 1 ,	2 ]`, `"\n\r"`, `["\u000a", "\u000D"]`, "[\"\u2028\u2029\u0085\"]", "1\n", "[]\r\n"} {
		s := scan.Scanner{MaxDepth: 2}
		_, f := s.Value([]byte(text), 0, 0)
		require.Equal(t, scan.OK, f, text)
		require.False(t, s.Newline, "%q", text)
	}
	s := scan.Scanner{MaxDepth: 2, Newline: true}
	_, f := s.Value([]byte(`[1, 2]`), 0, 0)
	require.Equal(t, scan.OK, f)
	require.True(t, s.Newline, "cleared by a value without line breaks")
}

func TestSpaceAndColon(t *testing.T) {
	for c := range 256 {
		var s scan.Scanner
		text := []byte{' ', byte(c), ' ', 'x'}
		white := c == ' ' || c == '\t' || c == '\n' || c == '\r'
		want := 1
		if white {
			want = 3
		}
		require.Equal(t, want, s.Space(text, 0), "byte %#x", c)
		require.Equal(t, c == '\n' || c == '\r', s.Newline, "byte %#x", c)
	}
	var s scan.Scanner
	for i := range 4 {
		require.Equal(t, 3, s.Space([]byte(" \t "), i))
	}
	for _, tt := range []struct {
		text string
		at   int
		want scan.Fault
	}{
		{`:1`, 1, scan.OK}, {` : 1`, 3, scan.OK}, {`:`, 1, scan.OK}, {`: `, 2, scan.OK},
		{``, 0, scan.UnexpectedEnd}, {"\t\n", 2, scan.UnexpectedEnd},
		{` 1`, 1, scan.MissingColon}, {`,`, 0, scan.MissingColon},
	} {
		end, f := s.Colon([]byte(tt.text), 0)
		require.Equal(t, tt.want, f, "%q", tt.text)
		require.Equal(t, tt.at, end, "%q", tt.text)
	}
}
