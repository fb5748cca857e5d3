package scan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/scan"
)

// tableDepth is the MaxDepth under which the verdicts of faults hold.
const tableDepth = 3

// faults has every kind of refusal in RFC 8259 with the byte that is refused.
var faults = []struct {
	text string
	want scan.Fault
	at   int
}{
	{``, scan.UnexpectedEnd, 0},
	{`[`, scan.UnexpectedEnd, 1},
	{`[ `, scan.UnexpectedEnd, 2},
	{`[1`, scan.UnexpectedEnd, 2},
	{`[1 `, scan.UnexpectedEnd, 3},
	{`[1,`, scan.UnexpectedEnd, 3},
	{`{`, scan.UnexpectedEnd, 1},
	{`{"a`, scan.UnexpectedEnd, 3},
	{`{"a"`, scan.UnexpectedEnd, 4},
	{`{"a" `, scan.UnexpectedEnd, 5},
	{`{"a":`, scan.UnexpectedEnd, 5},
	{`{"a":1`, scan.UnexpectedEnd, 6},
	{`{"a":1,`, scan.UnexpectedEnd, 7},
	{`{"a":1, `, scan.UnexpectedEnd, 8},
	{`"`, scan.UnexpectedEnd, 1},
	{`"abcdefgh`, scan.UnexpectedEnd, 9},
	{`"\`, scan.UnexpectedEnd, 2},
	{`"\u`, scan.UnexpectedEnd, 3},
	{`"\u123`, scan.UnexpectedEnd, 6},
	{"\"\xC3", scan.UnexpectedEnd, 2},
	{"\"\xE4\xBD", scan.UnexpectedEnd, 3},
	{"\"\xF0\x9F\x98", scan.UnexpectedEnd, 4},
	{`-`, scan.UnexpectedEnd, 1},
	{`1.`, scan.UnexpectedEnd, 2},
	{`1e`, scan.UnexpectedEnd, 2},
	{`1E+`, scan.UnexpectedEnd, 3},
	{`tru`, scan.UnexpectedEnd, 3},
	{`f`, scan.UnexpectedEnd, 1},
	{`nul`, scan.UnexpectedEnd, 3},

	{`,`, scan.BadByte, 0},
	{`]`, scan.BadByte, 0},
	{`}`, scan.BadByte, 0},
	{`:`, scan.BadByte, 0},
	{`'a'`, scan.BadByte, 0},
	{`+1`, scan.BadByte, 0},
	{`.5`, scan.BadByte, 0},
	{`NaN`, scan.BadByte, 0},
	{`Infinity`, scan.BadByte, 0},
	{`True`, scan.BadByte, 0},
	{`/**/1`, scan.BadByte, 0},
	{"\x00", scan.BadByte, 0},
	{"\x7F", scan.BadByte, 0},
	{"\xEF\xBB\xBF1", scan.BadByte, 0},
	{"\u00A01", scan.BadByte, 0},
	{`[,1]`, scan.BadByte, 1},
	{`[1,]`, scan.BadByte, 3},
	{`[1,,2]`, scan.BadByte, 3},
	{`[}`, scan.BadByte, 1},
	{`[1, // one` + "\n]", scan.BadByte, 4},
	{`{"a":}`, scan.BadByte, 5},
	{`{"a":,}`, scan.BadByte, 5},
	{"[\x0C1]", scan.BadByte, 1},

	{`trUe`, scan.BadLiteral, 2},
	{`trux`, scan.BadLiteral, 3},
	{`fals3`, scan.BadLiteral, 4},
	{`nil`, scan.BadLiteral, 1},
	{`[nulL]`, scan.BadLiteral, 4},
	{`[t]`, scan.BadLiteral, 2},

	{`01`, scan.BadNumber, 1},
	{`00`, scan.BadNumber, 1},
	{`-01`, scan.BadNumber, 2},
	{`--1`, scan.BadNumber, 1},
	{`-a`, scan.BadNumber, 1},
	{`-.5`, scan.BadNumber, 1},
	{`-Infinity`, scan.BadNumber, 1},
	{`1.e1`, scan.BadNumber, 2},
	{`1..2`, scan.BadNumber, 2},
	{`1ee2`, scan.BadNumber, 2},
	{`1e+-2`, scan.BadNumber, 3},
	{`1e 2`, scan.BadNumber, 2},
	{`[0123]`, scan.BadNumber, 2},

	{`"\x"`, scan.BadEscape, 2},
	{`"\'"`, scan.BadEscape, 2},
	{`"\0"`, scan.BadEscape, 2},
	{`"\U0041"`, scan.BadEscape, 2},
	{"\"\\\n\"", scan.BadEscape, 2},
	{"\"\\\xC3\xA9\"", scan.BadEscape, 2},
	{`"\u"`, scan.BadEscape, 3},
	{`"\u00G0"`, scan.BadEscape, 5},
	{`"\u004"`, scan.BadEscape, 6},
	{`"\u+041"`, scan.BadEscape, 3},
	{`"1234567\x"`, scan.BadEscape, 9},

	{"\"\x00\"", scan.ControlChar, 1},
	{"\"\t\"", scan.ControlChar, 1},
	{"\"a\nb\"", scan.ControlChar, 2},
	{"\"1234567\x1F\"", scan.ControlChar, 8},
	{"{\"a\rb\":1}", scan.ControlChar, 3},

	{"\"\x80\"", scan.BadUTF8, 1},             // a continuation byte alone
	{"\"\xC0\xAF\"", scan.BadUTF8, 1},         // overlong slash
	{"\"\xC1\xBF\"", scan.BadUTF8, 1},         //
	{"\"\xC3\"", scan.BadUTF8, 1},             // the second byte is a quote
	{"\"\xE0\x9F\xBF\"", scan.BadUTF8, 1},     // overlong
	{"\"\xED\xA0\x80\"", scan.BadUTF8, 1},     // U+D800
	{"\"\xE4\xBD\"", scan.BadUTF8, 1},         //
	{"\"\xF0\x8F\xBF\xBF\"", scan.BadUTF8, 1}, // overlong
	{"\"\xF4\x90\x80\x80\"", scan.BadUTF8, 1}, // U+110000
	{"\"\xF5\x80\x80\x80\"", scan.BadUTF8, 1}, //
	{"\"\xFE\"", scan.BadUTF8, 1},             //
	{"\"\xFF\"", scan.BadUTF8, 1},             //
	{"\"\u4F60\xE4\xBDx\"", scan.BadUTF8, 4},  // behind a good one
	{"\"1234567\u00E9\xA9\"", scan.BadUTF8, 10},
	{"{\"\xFF\":1}", scan.BadUTF8, 2},

	{`{1:2}`, scan.MissingName, 1},
	{`{a:1}`, scan.MissingName, 1},
	{`{,}`, scan.MissingName, 1},
	{`{]`, scan.MissingName, 1},
	{`{"a":1,}`, scan.MissingName, 7},
	{`{"a":1,,"b":2}`, scan.MissingName, 7},
	{`{"a":1, null:2}`, scan.MissingName, 8},

	{`{"a"}`, scan.MissingColon, 4},
	{`{"a",1}`, scan.MissingColon, 4},
	{`{"a"1}`, scan.MissingColon, 4},
	{`{"a" "b"}`, scan.MissingColon, 5},
	{`{"a"=1}`, scan.MissingColon, 4},

	{`[1 2]`, scan.MissingComma, 3},
	{`[1}`, scan.MissingComma, 2},
	{`["a""b"]`, scan.MissingComma, 4},
	{`[1:2]`, scan.MissingComma, 2},
	{`[-0x1]`, scan.MissingComma, 3},
	{`{"a":1]`, scan.MissingComma, 6},
	{`{"a":1 "b":2}`, scan.MissingComma, 7},
	{`{"a":1:2}`, scan.MissingComma, 6},
	{"[1\x00]", scan.MissingComma, 2},
	{"[1\u2028]", scan.MissingComma, 2},

	{`[[[[]]]]`, scan.TooDeep, 3},
	{`{"a":{"b":{"c":{}}}}`, scan.TooDeep, 15},
	{`[[[1,2,{]`, scan.TooDeep, 7},
}

// values are accepted from their first byte up to the bar, under tableDepth.
var values = []string{
	`null|`, `true|`, `false|`, `0|`, `-0|`, `7|`, `-12|`, `1.5|`, `0.0|`, `1e9|`, `1E-9|`, `0e+00|`,
	`123456789012345678901234567890.5e-300|`,
	`""|`, `"a"|`, `"\"\\\/\b\f\n\r\t"|`, `"\u0041\uD83D\uDE00"|`, `"\uD800"|`, `"\uDFFF\uD800x"|`,
	"\"\x7F\u0080\u07FF\u0800\uD7FF\uE000\uFFFF\U00010000\U0010FFFF\"|", "\"\u2028\u2029\u0085\"|",
	`[]|`, `[ ]|`, `{}|`, "{\t}|", `[1,2,3]|`, `[[],[[]]]|`, `{"a":1}|`, `{"":{"":[]}}|`, `{"a":1,"a":2}|`,
	"[\r\n1 ,\t2 ]|", "[\r]|", "{\n}|", "{ \"a\" : [ null , {} ] , \"b\" : \"c\" }|",
	// What follows is the caller's to judge.
	`1| `, `1|,`, `-1|x`, `0|x1`, `1.5|.5`, `null|null`, `true|"`, `""|"`, `[]|]`, `{}|}`,
}

func TestFaults(t *testing.T) {
	seen := map[scan.Fault]bool{}
	for _, tt := range faults {
		s := scan.Scanner{MaxDepth: tableDepth}
		end, f := s.Value([]byte(tt.text), 0, 0)
		require.Equal(t, tt.want, f, "%q: %s at %d", tt.text, f, end)
		require.Equal(t, tt.at, end, "%q: %s", tt.text, f)
		require.False(t, scan.Valid([]byte(tt.text), tableDepth), "%q", tt.text)
		agree(t, &s, []byte(tt.text), 0)
		seen[tt.want] = true
	}
	for f := scan.UnexpectedEnd; f <= scan.TooDeep; f++ {
		if f != scan.TrailingText { // which only callers find
			require.True(t, seen[f], "no row for %q", f)
		}
	}
}

func TestValues(t *testing.T) {
	for _, row := range values {
		value, rest, found := strings.Cut(row, "|")
		require.True(t, found, row)
		text := []byte(value + rest)
		s := scan.Scanner{MaxDepth: tableDepth}
		end, f := s.Value(text, 0, 0)
		require.Equal(t, scan.OK, f, "%q: %s at %d", text, f, end)
		require.Equal(t, len(value), end, "%q", text)
		agree(t, &s, text, 0)
		require.True(t, scan.Valid([]byte(value), tableDepth), "%q", value)
		require.True(t, scan.Valid([]byte(" \t\r\n"+value+" \t\r\n"), tableDepth), "%q", value)
		require.False(t, scan.Valid([]byte(value+"\x00"), tableDepth), "%q", value)
		require.False(t, scan.Valid([]byte("\uFEFF"+value), tableDepth), "%q", value)
	}
}

func TestFaultText(t *testing.T) {
	texts := map[string]bool{}
	for f := scan.OK; f <= scan.TooDeep; f++ {
		require.NotEmpty(t, f.String())
		texts[f.String()] = true
	}
	require.Len(t, texts, int(scan.TooDeep)+1, "two faults read the same")
	require.Equal(t, "unknown fault", (scan.TooDeep + 1).String())
	require.Equal(t, "unknown fault", scan.Fault(255).String())
}
