package dispatch

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/scan"
)

// DefaultRedact returns the names of members that [NewLogObserver] redacts unless
// it is told others.
func DefaultRedact() []string {
	return []string{
		"authorization", "proxy_authorization", "cookie", "set_cookie", "password", "passwd", "passphrase", "secret", "token", "bearer", "jwt",
		"access_token", "refresh_token", "id_token", "auth_token", "api_token", "session_token", "bearer_token",
		"client_secret", "secret_key", "api_key", "x_api_key", "access_key", "secret_access_key", "private_key", "credentials",
	}
}

// redacted stands for a value that is not shown.
const redacted = `"[redacted]"`

// redactor makes payloads fit for a log.
type redactor struct {
	names   []string
	longest int // of a name that may be one of them, in bytes
	most    int // bytes
}

// text returns a copy of v without what must not be shown, and without what is
// too long. v is valid JSON. It is looked through once, whatever its depth, and
// no further than is shown.
func (r *redactor) text(v codec.Value) string {
	dst := make([]byte, 0, min(len(v), r.most)+len(redacted))
	skip := scan.Scanner{MaxDepth: math.MaxInt32}
	at := 0 // what is before it has been copied
	for i := 0; i < len(v) && len(dst)+i-at <= r.most; {
		if v[i] != '"' {
			i++
			continue
		}
		end := stringEnd(v, i)
		colon := scanSpace(v, end)
		if colon >= len(v) || v[colon] != ':' || !r.hides(v[i:end:end]) {
			i = end // a value, or a name like any other
			continue
		}
		value := scanSpace(v, colon+1)
		dst = append(append(dst, v[at:value]...), redacted...)
		next, fault := skip.Value(v, value, 0)
		if fault != scan.OK { // no valid JSON: show nothing more
			next = len(v)
		}
		i, at = next, next
	}
	dst = append(dst, v[at:min(len(v), at+max(0, r.most-len(dst)+1))]...)
	if len(dst) <= r.most {
		return string(dst)
	}
	return fmt.Sprintf("%s… (%d bytes in all)", cutBytes(dst, r.most), len(v))
}

// hides reports whether the value of the member with this name is not shown.
func (r *redactor) hides(name codec.Value) bool {
	text, _ := name.Text()
	return len(text) <= r.longest && slices.ContainsFunc(r.names, func(hidden string) bool { return sameName(hidden, text) })
}

// longestName returns the length of the longest text that may be one of names.
func longestName(names []string) (n int) {
	for _, name := range names {
		n = max(n, len(name))
	}
	return 4 * n // with a separator for each byte, and letters that are longer in the other case
}

// sameName reports whether two names differ in nothing but the case of letters,
// hyphens and underscores: APIKey, api_key and api-key are one.
func sameName(hidden string, text []byte) bool {
	separator := func(r rune) rune {
		if r == '-' || r == '_' {
			return -1
		}
		return r
	}
	if strings.EqualFold(hidden, string(text)) {
		return true
	}
	return strings.EqualFold(strings.Map(separator, hidden), string(bytes.Map(separator, text)))
}

// stringEnd returns the end of the string that begins at i.
func stringEnd(v []byte, i int) int {
	for i++; i < len(v); i++ {
		switch v[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(v)
}

func scanSpace(v []byte, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\t' || v[i] == '\r' || v[i] == '\n') {
		i++
	}
	return i
}

// cut shortens what a peer may have made long.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return string(cutBytes([]byte(s[:most]), most)) + "…"
}

// cutBytes returns no more than most bytes of b, without half a character at the
// end.
func cutBytes(b []byte, most int) []byte {
	b = b[:min(len(b), most)]
	for range utf8.UTFMax - 1 {
		if r, size := utf8.DecodeLastRune(b); r != utf8.RuneError || size != 1 {
			break
		}
		b = b[:len(b)-1]
	}
	return b
}
