package protocol_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/protocol"
)

// encodings are the examples of the mirroring rules: value and header value.
var encodings = []struct{ value, field string }{
	{"us-west1", "us-west1"},
	{"us west 1", "us west 1"},
	{"file:///path/to/file%20name.txt", "file:///path/to/file%20name.txt"},
	{"https://example.com/resource?id=123", "https://example.com/resource?id=123"},
	{"", ""},
	{"true", "true"},
	{"42", "42"},
	{"-7", "-7"},
	{"Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
	{"日本語", "=?base64?5pel5pys6Kqe?="},
	{"file:///données.txt", "=?base64?ZmlsZTovLy9kb25uw6llcy50eHQ=?="},
	{" padded ", "=?base64?IHBhZGRlZCA=?="},
	{" us-west1", "=?base64?IHVzLXdlc3Qx?="},
	{"us-west1 ", "=?base64?dXMtd2VzdDEg?="},
	{" us-west1 ", "=?base64?IHVzLXdlc3QxIA==?="},
	{"\tindented", "=?base64?CWluZGVudGVk?="},
	{"a\tb", "=?base64?YQli?="},
	{"line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
	{"line1\r\nline2", "=?base64?bGluZTENCmxpbmUy?="},
	{"a\x7fb", "=?base64?YX9i?="},
	{"=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
	{"=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="},

	// Beyond the examples: one marker alone is plain, as is another spelling.
	{"=?base64?x", "=?base64?x"},
	{"x?=", "x?="},
	{"=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="},
	{"~", "~"},
	{" ", "=?base64?IA==?="},
	{"\x1f", "=?base64?Hw==?="},
	{"\x00", "=?base64?AA==?="},
}

func TestEncodeHeaderValue(t *testing.T) {
	for _, tt := range encodings {
		require.Equal(t, tt.field, protocol.EncodeHeaderValue(tt.value), "%q", tt.value)
		require.Equal(t, "dst:"+tt.field, string(protocol.AppendHeaderValue([]byte("dst:"), tt.value)), "%q", tt.value)

		got, err := protocol.DecodeHeaderValue(tt.field)
		require.NoError(t, err, "%q", tt.field)
		require.Equal(t, tt.value, got)
	}
}

func TestEncodeHeaderValueLong(t *testing.T) {
	value := strings.Repeat("日本語\n", 1000)
	got, err := protocol.DecodeHeaderValue(protocol.EncodeHeaderValue(value))
	require.NoError(t, err)
	require.Equal(t, value, got)
}

// literals and further fields that a server accepts.
var decodings = []struct{ field, value string }{
	{"=?base64?SGVsbG8=?=", "Hello"},
	{"SGVsbG8=", "SGVsbG8="},
	{"=?base64?SGVsbG8=", "=?base64?SGVsbG8="},
	{"=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="}, // HD-05
	{"=?Base64?SGVsbG8=?=", "=?Base64?SGVsbG8=?="},
	{"=?base64?SGVsbG8=?= x", "=?base64?SGVsbG8=?= x"},
	{"x =?base64?SGVsbG8=?=", "x =?base64?SGVsbG8=?="},
	{"=?base64?=", "=?base64?="},                   // 10 characters: markers overlap
	{"=?base64??=", ""},                            // HD-09
	{"   foo  ", "foo"},                            // HD-03
	{"\t =?base64?SGVsbG8=?= \t", "Hello"},         // HD-03 before HD-04
	{" \t ", ""},                                   // HD-03, HD-09
	{"a\tb", "a\tb"},                               // HTAB is legal in a field
	{"foo, foo", "foo, foo"},                       // HD-08: not taken apart
	{"file:///a%20b", "file:///a%20b"},             // HD-02: no decoding of percents
	{"=?base64?Pz8/Pj4+?=", "???>>>"},              // '/' and '+' of the standard alphabet
	{"=?base64?IA==?=", " "},                       // encoded whitespace is kept
	{"=?base64?PT9iYXNlNjQ/Pz0=?=", "=?base64??="}, // decoded once only
}

func TestDecodeHeaderValue(t *testing.T) {
	for _, tt := range decodings {
		got, err := protocol.DecodeHeaderValue(tt.field)
		require.NoError(t, err, "%q", tt.field)
		require.Equal(t, tt.value, got, "%q", tt.field)
	}
}

const (
	badByte   = "byte outside visible ASCII, space and tab"
	badBase64 = "not strict padded base64"
	badUTF8   = "encoded text is not UTF-8"
)

// refusals are fields with the reason and the offset of the error.
var refusals = []struct {
	field  string
	offset int
	reason string
}{
	// HD-06: padding, alphabet, structure.
	{"=?base64?SGVsbG8?=", 13, badBase64},
	{"=?base64?SGVs!!!bG8=?=", 13, badBase64},
	{"  =?base64?SGVs!!!bG8=?=", 15, badBase64},
	{"=?base64?A?=", 9, badBase64},
	{"=?base64?AA?=", 9, badBase64},
	{"=?base64?AAA?=", 9, badBase64},
	{"=?base64?=?=", 9, badBase64},
	{"=?base64?A===?=", 10, badBase64},
	{"=?base64?SGVsbG8==?=", 17, badBase64},
	{"=?base64?SGVsbG8=SGVs?=", 17, badBase64},
	{"=?base64?SGVs bG8=?=", 13, badBase64},
	{"=?base64?SGVs\tbG8=?=", 13, badBase64},
	{"=?base64? SGVsbG8=?=", 9, badBase64},
	{"=?base64?Pz8_Pj4-?=", 12, badBase64}, // URL-safe alphabet
	{"=?base64?SGVsbG8=?=?=", 17, badBase64},
	// Padding bits that are not zero: "Hello" again, and "H" from SA==.
	{"=?base64?SGVsbG9=?=", 16, badBase64},
	{"=?base64?SB==?=", 11, badBase64},
	// Valid base64 of bytes that are not UTF-8.
	{"=?base64?/w==?=", 9, badUTF8},
	{"=?base64?YWL/?=", 11, badUTF8},      // "ab\xff": the third byte begins in the third character
	{"=?base64?YWJj/w==?=", 13, badUTF8},  // "abc\xff"
	{" =?base64?5pel7aCA?=", 14, badUTF8}, // "日" and a surrogate
	{"=?base64?wIA=?=", 9, badUTF8},       // overlong NUL
	{"=?base64?9JCAgA==?=", 9, badUTF8},   // above U+10FFFF
	{"=?base64?77+95pc=?=", 13, badUTF8},  // a genuine U+FFFD, then a cut sequence
	// HD-07: bytes no field may hold, in a sentinel and outside.
	{"données", 4, badByte},
	{"a\x7fb", 1, badByte},
	{"a\x00", 1, badByte},
	{"\r\nX: y", 0, badByte},
	{"=?base64?SGVs\nbG8=?=", 13, badByte},
	{"=?base64?SGVsbG8=?=\n", 19, badByte},
	{"\x80", 0, badByte},
	{"\x1f", 0, badByte},
}

func TestDecodeHeaderValueRefuses(t *testing.T) {
	for _, tt := range refusals {
		got, err := protocol.DecodeHeaderValue(tt.field)
		want := &protocol.SyntaxError{What: "header value", Offset: tt.offset, Reason: tt.reason}
		require.Equal(t, want, err, "%q", tt.field)
		require.Empty(t, got, "%q", tt.field)
	}
}

func TestSyntaxErrorText(t *testing.T) {
	_, err := protocol.DecodeHeaderValue("=?base64?SGVs!!!bG8=?=")
	require.EqualError(t, err, "header value: not strict padded base64 at byte 13")
	require.EqualError(t, protocol.CheckMetaKey("a b"), "_meta key: character not allowed in a name at byte 1")
}

func TestTrimOWS(t *testing.T) {
	for field, want := range map[string]string{
		"":              "",
		" \t ":          "",
		"foo":           "foo",
		"   foo  ":      "foo",
		"\tfoo bar\t":   "foo bar",
		"\nfoo\n":       "\nfoo\n",
		"\u00a0foo":     "\u00a0foo",
		" a \t b ":      "a \t b",
		"2026-07-28\t ": "2026-07-28",
	} {
		require.Equal(t, want, protocol.TrimOWS(field), "HD-03 %q", field)
	}
}
