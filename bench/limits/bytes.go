package limits

import "unicode/utf8"

// Copy copies b into dst, which has room for it, and returns how many bytes
// that were: the least any code can do that hands bytes on.
func Copy(dst, b []byte) int { return copy(dst, b) }

// Append appends b to dst: the least an encoder can do that writes as much.
func Append(dst, b []byte) []byte { return append(dst, b...) }

// UTF8 reports whether b is valid UTF-8: the least a decoder can do that checks
// text.
func UTF8(b []byte) bool { return utf8.Valid(b) }
