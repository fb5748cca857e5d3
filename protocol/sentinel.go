package protocol

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode/utf8"
)

// SentinelPrefix and SentinelSuffix enclose the padded base64 of a mirrored
// header value that cannot travel as it is. Both are compared exactly (HD-05).
const (
	SentinelPrefix = "=?base64?"
	SentinelSuffix = "?="
)

// ows is the optional whitespace of HTTP field values.
const ows = " \t"

// strictBase64 is the standard alphabet with padding, and refuses padding bits
// that are not zero. Line breaks, which it would skip, do not reach it.
var strictBase64 = base64.StdEncoding.Strict()

// EncodeHeaderValue returns the field value that mirrors value in HeaderName or
// in a header of HeaderParamPrefix. A value travels as it is when all its bytes
// lie in 0x20 to 0x7E, it has no space at either end and does not look like a
// sentinel; anything else becomes one. The empty string stays empty, and the
// header must be sent all the same (HD-09). value is UTF-8; a receiver refuses
// the encoding of anything else. The result may share memory with value.
func EncodeHeaderValue(value string) string {
	if isPlain(value) {
		return value
	}
	var stack [256]byte
	return string(AppendHeaderValue(stack[:0], value))
}

// AppendHeaderValue appends what [EncodeHeaderValue] returns to dst, which is
// transferred.
func AppendHeaderValue(dst []byte, value string) []byte {
	if isPlain(value) {
		return append(dst, value...)
	}
	dst = append(dst, SentinelPrefix...)
	dst = base64.StdEncoding.AppendEncode(dst, []byte(value))
	return append(dst, SentinelSuffix...)
}

// DecodeHeaderValue returns the value that a received field mirrors, ready to
// be compared exactly with the body (HD-02, HD-04). Whitespace around the field
// is dropped (HD-03). A field that is not a complete sentinel is literal, among
// them other spellings of the markers and "=?base64?=", where they overlap
// (HD-05).
//
// The error is a [*SyntaxError] with the offset in field: a byte outside 0x20
// to 0x7E and HTAB (HD-07), or a sentinel whose content is not strict, padded
// base64 of the standard alphabet or not UTF-8 (HD-06). A wrong sentinel is
// never taken as literal. An empty field and an empty sentinel are both "";
// whether the header is present at all is the caller's to know (HD-09).
func DecodeHeaderValue(field string) (string, error) {
	for i := range len(field) {
		if ch := field[i]; (ch < 0x20 && ch != '\t') || ch > 0x7E {
			return "", headerValueError(i, "byte outside visible ASCII, space and tab")
		}
	}
	value := TrimOWS(field)
	if !looksLikeSentinel(value) || len(value) < len(SentinelPrefix)+len(SentinelSuffix) {
		return value, nil
	}
	content := value[len(SentinelPrefix) : len(value)-len(SentinelSuffix)]
	return decodeSentinel(content, strings.Index(field, SentinelPrefix)+len(SentinelPrefix))
}

// decodeSentinel decodes the content of a sentinel that begins at offset start
// of its field.
func decodeSentinel(content string, start int) (string, error) {
	var stack [192]byte
	text, err := strictBase64.AppendDecode(stack[:0], []byte(content))
	if err != nil {
		offset := start
		if at, ok := errors.AsType[base64.CorruptInputError](err); ok {
			offset += int(at)
		}
		return "", headerValueError(offset, "not strict padded base64")
	}
	if !utf8.Valid(text) {
		// Byte n of the text begins in character 8n/6 of the base64.
		return "", headerValueError(start+validPrefix(text)*8/6, "encoded text is not UTF-8")
	}
	return string(text), nil
}

// validPrefix returns the length of the longest prefix of text that is UTF-8.
func validPrefix(text []byte) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// TrimOWS returns field without the spaces and tabs at its ends, as HTTP
// demands before a value is compared; those inside stay (HD-03). The result
// shares the memory of field.
func TrimOWS(field string) string {
	return strings.Trim(field, ows)
}

// isPlain reports whether value may travel as it is.
func isPlain(value string) bool {
	for i := range len(value) {
		if ch := value[i]; ch < 0x20 || ch > 0x7E {
			return false
		}
	}
	return !strings.HasPrefix(value, " ") && !strings.HasSuffix(value, " ") && !looksLikeSentinel(value)
}

// looksLikeSentinel reports whether value has both markers, which may overlap.
func looksLikeSentinel(value string) bool {
	return strings.HasPrefix(value, SentinelPrefix) && strings.HasSuffix(value, SentinelSuffix)
}

func headerValueError(offset int, reason string) error {
	return &SyntaxError{What: "header value", Offset: offset, Reason: reason}
}
