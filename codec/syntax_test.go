package codec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// notJSON has every way in which RFC 8259 says no: the mark stands before the
// first byte that cannot be accepted. None of these is complete in itself, so
// each is refused where it stands, whatever follows.
var notJSON = []struct{ name, marked, reason string }{
	// §2: structure and white space.
	{"a vertical tab is no white space", "▲\v1", "unexpected byte"},
	{"a form feed is no white space", "▲\f1", "unexpected byte"},
	{"a NUL is no white space", "▲\x001", "unexpected byte"},
	{"U+00A0 is no white space", "▲\u00a01", "unexpected byte"},
	{"U+2028 is no white space", "▲\u20281", "unexpected byte"},
	{"a byte order mark inside", "▲\ufeff1", "unexpected byte"},
	{"a line comment", "▲// no\n1", "unexpected byte"},
	{"a block comment", "▲/* no */1", "unexpected byte"},
	{"a hash comment", "▲# no\n1", "unexpected byte"},
	{"a comma alone", `▲,`, "unexpected byte"},
	{"a colon alone", `▲:`, "unexpected byte"},
	{"a closing bracket alone", `▲]`, "unexpected byte"},
	{"a closing brace alone", `▲}`, "unexpected byte"},
	{"a bracket closed by a brace", `[1▲}`, "missing comma"},
	{"a brace closed by a bracket", `{"a":1▲]`, "missing comma"},
	{"an empty array closed by a brace", `[▲}`, "unexpected byte"},
	{"an empty object closed by a bracket", `{▲]`, "must begin with a string"},

	// §3: literals.
	{"True", `▲True`, "unexpected byte"},
	{"TRUE", `▲TRUE`, "unexpected byte"},
	{"tRUE", `t▲RUE`, "literal"},
	{"truth", `tru▲th`, "literal"},
	{"falsy", `fals▲y`, "literal"},
	{"nil", `n▲il`, "literal"},
	{"nul", `[nul▲]`, "literal"},
	{"None", `▲None`, "unexpected byte"},
	{"undefined", `▲undefined`, "unexpected byte"},
	{"a bare word", `▲word`, "unexpected byte"},
	{"a literal with a tail", `[true▲x]`, "missing comma"},
	{"a literal with an escape", `[▲\u0074rue]`, "unexpected byte"},

	// §4: objects.
	{"a name without quotes", `{▲a:1}`, "must begin with a string"},
	{"a name in single quotes", `{▲'a':1}`, "must begin with a string"},
	{"a number as a name", `{▲1:1}`, "must begin with a string"},
	{"a literal as a name", `{▲null:1}`, "must begin with a string"},
	{"an object as a name", `{▲{}:1}`, "must begin with a string"},
	{"a comma first in an object", `{▲,"a":1}`, "must begin with a string"},
	{"a comma last in an object", `{"a":1,▲}`, "must begin with a string"},
	{"two commas in an object", `{"a":1,▲,"b":2}`, "must begin with a string"},
	{"no colon", `{"a"▲1}`, "missing colon"},
	{"a comma for a colon", `{"a"▲,1}`, "missing colon"},
	{"an equals sign for a colon", `{"a"▲=1}`, "missing colon"},
	{"a name alone", `{"a"▲}`, "missing colon"},
	{"two colons", `{"a":▲:1}`, "unexpected byte"},
	{"no value", `{"a":▲}`, "unexpected byte"},
	{"a comma for a value", `{"a":▲,"b":1}`, "unexpected byte"},
	{"no comma between members", `{"a":1 ▲"b":2}`, "missing comma"},
	{"a semicolon between members", `{"a":1▲;"b":2}`, "missing comma"},

	// §5: arrays.
	{"a comma first in an array", `[▲,1]`, "unexpected byte"},
	{"a comma last in an array", `[1,▲]`, "unexpected byte"},
	{"two commas in an array", `[1,▲,2]`, "unexpected byte"},
	{"only a comma in an array", `[▲,]`, "unexpected byte"},
	{"no comma between elements", `[1 ▲2]`, "missing comma"},
	{"no comma between strings", `["a"▲"b"]`, "missing comma"},
	{"a colon between elements", `["a"▲:1]`, "missing comma"},
	{"two arrays in one", `[[]▲[]]`, "missing comma"},

	// §6: numbers.
	{"a plus sign", `▲+1`, "unexpected byte"},
	{"a leading zero", `0▲1`, "number"},
	{"a leading zero behind a minus", `-0▲1`, "number"},
	{"two zeros", `0▲0`, "number"},
	{"a point first", `▲.5`, "unexpected byte"},
	{"a point first behind a minus", `-▲.5`, "number"},
	{"a minus alone", `[-▲]`, "number"},
	{"two minus signs", `-▲-1`, "number"},
	{"a minus and a space", `-▲ 1`, "number"},
	{"a point last", `[1.▲]`, "number"},
	{"a point and an exponent", `1.▲e5`, "number"},
	{"two points", `[1.2▲.3]`, "missing comma"},
	{"an exponent without digits", `[1e▲]`, "number"},
	{"an exponent with a sign alone", `[1E+▲]`, "number"},
	{"an exponent with two signs", `1e+▲-1`, "number"},
	{"a fraction in an exponent", `[1e5▲.5]`, "missing comma"},
	{"two exponents", `[1e5▲e5]`, "missing comma"},
	{"hexadecimal", `[0▲x1F]`, "missing comma"},
	{"an underscore", `[1▲_000]`, "missing comma"},
	{"a suffix", `[1▲n]`, "missing comma"},
	{"Infinity", `▲Infinity`, "unexpected byte"},
	{"minus infinity", `-▲Infinity`, "number"},
	{"NaN", `▲NaN`, "unexpected byte"},
	{"digits that are not ASCII", "▲１", "unexpected byte"},

	// §7: strings.
	{"single quotes", `▲'a'`, "unexpected byte"},
	{"a backtick", "▲`a`", "unexpected byte"},
	{"a raw tab", "\"a▲\tb\"", "control character"},
	{"a raw line feed", "\"a▲\nb\"", "control character"},
	{"a raw carriage return", "\"a▲\rb\"", "control character"},
	{"a raw NUL", "\"▲\x00\"", "control character"},
	{"a raw unit separator", "\"abcdefghijklmnop▲\x1f\"", "control character"},
	{"a raw escape character behind an escape", "\"\\n▲\x1b\"", "control character"},
	{"a raw control character in a name", "{\"a▲\tb\":1}", "control character"},
	{"escape of a letter that has none", `"\▲a"`, "escape"},
	{"escape of a capital", `"\▲N"`, "escape"},
	{"escape of a single quote", `"\▲'"`, "escape"},
	{"escape of a NUL", `"\▲0"`, "escape"},
	{"escape in hexadecimal", `"\▲x41"`, "escape"},
	{"escape of a line feed", "\"\\▲\n\"", "escape"},
	{"escape of a character that is not ASCII", `"\▲é"`, "escape"},
	{"escape with a capital U", `"\▲U0041"`, "escape"},
	{"escape with braces", `"\u▲{41}"`, "escape"},
	{"escape with no digit", `"\u▲"`, "escape"},
	{"escape with three digits", `"\u004▲"`, "escape"},
	{"escape with a letter beyond F", `"\u00▲g0"`, "escape"},
	{"escape with a sign", `"\u▲+041"`, "escape"},
	{"second half of a pair cut short", `"\ud83d\ude0▲"`, "escape"},
	{"escape in a name", `{"\▲q":1}`, "escape"},

	// §8: UTF-8. The mark stands before the whole broken sequence.
	{"CO-02 a continuation byte alone", "\"▲\x80\"", "UTF-8"},
	{"CO-02 0xFF", "\"abc▲\xff\"", "UTF-8"},
	{"CO-02 0xFE", "\"▲\xfe\"", "UTF-8"},
	{"overlong slash in two bytes", "\"▲\xc0\xaf\"", "UTF-8"},
	{"overlong in two bytes, last", "\"▲\xc1\xbf\"", "UTF-8"},
	{"overlong slash in three bytes", "\"▲\xe0\x80\xaf\"", "UTF-8"},
	{"overlong in three bytes, last", "\"▲\xe0\x9f\xbf\"", "UTF-8"},
	{"overlong in four bytes, last", "\"▲\xf0\x8f\xbf\xbf\"", "UTF-8"},
	{"first surrogate", "\"▲\xed\xa0\x80\"", "UTF-8"},
	{"last surrogate", "\"▲\xed\xbf\xbf\"", "UTF-8"},
	{"first beyond U+10FFFF", "\"▲\xf4\x90\x80\x80\"", "UTF-8"},
	{"five bytes", "\"▲\xf8\x88\x80\x80\x80\"", "UTF-8"},
	{"six bytes", "\"▲\xfc\x84\x80\x80\x80\x80\"", "UTF-8"},
	{"two bytes cut short", "\"a▲\xc3\"", "UTF-8"},
	{"three bytes cut short by one", "\"é▲\xe4\xb8\"", "UTF-8"},
	{"three bytes cut short by two", "\"▲\xe4\"", "UTF-8"},
	{"four bytes cut short by one", "\"\U0001f600▲\xf0\x9f\x98\"", "UTF-8"},
	{"a good character, then Latin-1", "\"caf\u00e9 caf▲\xe9 and so on\"", "UTF-8"},
	{"in a name", "{\"▲\xc3\":1}", "UTF-8"},
	{"behind eight plain bytes", "\"01234567▲\xff\"", "UTF-8"},
	{"outside a string", "▲\xe9", "unexpected byte"},
}

// TestNotJSON puts each refusal into every place a value can stand in: the
// whole frame, params, an unknown member, a walked object, a batch.
func TestNotJSON(t *testing.T) {
	for _, tt := range notJSON {
		t.Run(tt.name, func(t *testing.T) {
			for _, place := range []struct{ before, behind string }{
				{"", ""},
				{"[", "]"},
				{`{"jsonrpc":"2.0","id":1,"method":"m","params":`, `}`},
				{`{"jsonrpc":"2.0","id":1,"method":"m","params":[`, `]}`},
				{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":`, `}}`},
				{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":`, `}}`},
				{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":`, `}}}`},
				{`{"jsonrpc":"2.0","id":1,"method":"m","x":`, `}`},
				{`{"jsonrpc":"2.0","id":`, `,"method":"m"}`},
				{`{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":`, `}]}}`},
				{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":`, `}}`},
				{`[{"jsonrpc":"2.0","id":1,"method":"m"},{"a":`, `}]`},
			} {
				if strings.HasSuffix(place.before, "[") && tt.marked == mark+"]" ||
					place.before == "" && strings.HasPrefix(tt.marked, mark+"\ufeff") {
					continue // "[]" is JSON, and a frame may begin with a byte order mark
				}
				_, err := refuse(t, parseError, place.before+tt.marked+place.behind)
				require.Contains(t, err.Reason, tt.reason)
			}
		})
	}
}

// TestTextBehindTheMessage: a frame holds one value.
func TestTextBehindTheMessage(t *testing.T) {
	for _, frame := range []string{`{"jsonrpc":"2.0","method":"m"}`, `[{"jsonrpc":"2.0","method":"m"}]`, `[]`, `{}`, `null`, `"a"`} {
		for _, tail := range []string{"▲x", "▲,", "▲}", "▲]", " \n▲{}", "▲\x00", "▲\xef\xbb\xbf", "▲null"} {
			_, err := refuse(t, parseError, frame+tail)
			require.Contains(t, err.Reason, "behind the value")
		}
	}
	// A number or a word has no end of its own.
	refuse(t, parseError, `1 ▲2`)
	refuse(t, parseError, `true▲false`)
}

// TestByteOrderMark: one is tolerated, at the very beginning (CO-02).
func TestByteOrderMark(t *testing.T) {
	const bom, frame = "\xef\xbb\xbf", `{"jsonrpc":"2.0","method":"m"}`
	accept(t, bom+frame)
	accept(t, bom+"["+frame+"]")
	refuse(t, parseError, bom+mark+bom+frame)
	refuse(t, parseError, " "+mark+bom+frame)
	refuse(t, parseError, "\xef\xbb\xbf"+mark)
	refuse(t, parseError, mark+"\xef\xbb"+frame)
	refuse(t, parseError, mark+"\xff\xfe"+frame)
}

// TestBrokenOff cuts messages after every byte: what is left is never accepted
// and the offset is its length, except where only white space is missing.
func TestBrokenOff(t *testing.T) {
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":-12.50e+1,"method":"tools\/c\u0061ll","params":{"name":"é\ud83d\ude00","_meta":{"progressToken":1},"arguments":{"a":[true,false,null,{},[],0.5E-7]}}}`,
		"[ {\"jsonrpc\" : \"2.0\" , \"id\" : \"\u4e16\U0001f600\" ,\"error\":{\"code\":1,\"message\":\"\\\\\",\"data\":[[\"x\"]]}} , 1 ]",
		`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"a":{"b":[{"c":null}]}},"isError":false}}`,
		"\xef\xbb\xbf \"text\"",
	} {
		for n := range len(frame) {
			if n == 1 || n == 2 { // half a byte order mark is no beginning at all
				if strings.HasPrefix(frame, "\xef") {
					continue
				}
			}
			_, err := refuse(t, parseError, frame[:n]+mark)
			require.Contains(t, err.Reason, "unexpected end", "%q", frame[:n])
		}
	}
}

// TestIsJSON has the corners that must be accepted, and come through unchanged.
func TestIsJSON(t *testing.T) {
	for _, value := range []string{
		// Numbers of any size and spelling are text to us (A3).
		`0`, `-0`, `0.0`, `-0.0e-0`, `1E+2`, `1e00`, `0e999999999`, `0.1`, `1e400`, `-1e-400`, `1.0`,
		`9007199254740993`, `-9223372036854775809`, strings.Repeat("9", 5000), `0.` + strings.Repeat("0", 5000) + `1`,
		// Every escape there is.
		`"\"\\\/\b\f\n\r\t\u0000\u001F\u007f\uFFFF\uabCD"`,
		`"\ud83d\ude00"`, `"\ud83d"`, `"\udcaf"`, `"\ude00\ud83d"`, `"\uD834\u0041"`,
		// Raw characters that other formats escape.
		"\"\u007f\u0080\u0085\u2028\u2029\ufeff\ufffd\uffff\U0001f600\U0010ffff\"", "\"</script>&'\"",
		"\"" + strings.Repeat("\u00e9", 100) + strings.Repeat("a", 100) + "\"",
		// Empty names, names with anything in them, the same name twice.
		`{"":0}`, `{"":{"":{"":[]}}}`, `{"\u0000":1,"\ud800":2," ":3}`, `{"x":1,"x":2}`, `{"{":"}","[":"]"}`,
		// White space everywhere.
		" [ \t1\r\n,\n2 ] ", " { \"a\" \t:\r\n1 , \n\"b\": { } } ", "[\n\n]", "{\t}", "[[ ] , { } ]",
		`{}`, `[]`, `[[[[[[[[]]]]]]]]`, `[true,false,null]`,
	} {
		trimmed := strings.Trim(value, " \t\r\n")

		m := accept(t, `{"jsonrpc":"2.0","id":1,"method":"m","params":[`+value+`]}`)
		require.Equal(t, "["+value+"]", string(m.Params))

		m = accept(t, `{"jsonrpc":"2.0","id":1,"result":`+value+`}`)
		require.Equal(t, trimmed, string(m.Result))

		m = accept(t, `{"jsonrpc":"2.0","method":"m","params":{"arguments":`+value+`,"x":`+value+`}}`)
		require.Equal(t, trimmed, string(m.Fact(codec.FactArguments)))

		m = accept(t, `{"jsonrpc":"2.0","x":`+value+`,"error":{"code":0,"message":"","data":`+value+`}}`)
		require.Equal(t, trimmed, string(m.Fact(codec.FactErrorData)))
	}
}

// TestStringsOfEveryLength puts a stopping byte at every distance from the
// beginning of a string and of the frame, which is where a kernel that looks
// at several bytes at once could go wrong.
func TestStringsOfEveryLength(t *testing.T) {
	for n := range 80 {
		plain := strings.Repeat("~", n)
		m := accept(t, `{"jsonrpc":"2.0","id":"`+plain+`","method":"`+plain+`"}`)
		require.Equal(t, plain, string(m.Method))
		require.Equal(t, `"`+plain+`"`, m.ID.String())

		for _, char := range []string{`\"`, `\\`, "é", "\u4e16", "\U0001f600", " ", "!", "\x7f"} {
			m = accept(t, `{"jsonrpc":"2.0","id":"`+plain+char+plain+`","method":"m"}`)
			require.Equal(t, `"`+plain+char+plain+`"`, m.ID.String())
		}
		for _, bad := range []string{"\x1f", "\x00", "\n", "\x80", "\xff", "\xc0\x80"} {
			refuse(t, parseError, `{"jsonrpc":"2.0","id":"`+plain+mark+bad+plain+`","method":"m"}`)
		}
		refuse(t, parseError, `{"jsonrpc":"2.0","id":"`+plain+`"▲"`+plain)
	}
}
