package framing

import (
	"bytes"

	"golang.org/x/net/http/httpguts"
)

// A peer that speaks HTTP or Content-Length framing into a newline stream is
// one problem, not one per line. Only these unmistakable lines begin such a
// block; a log line such as "INFO: started" is a frame like any other, or it
// would be lost without a trace.

// maxNameLen bounds what is looked at as a header name. No real one is longer.
const maxNameLen = 256

// foreign says what a line shows the peer to be speaking, or nothing.
func foreign(line []byte) string {
	if !isLetter(line[0]) {
		return ""
	}
	if isHTTPLine(line) {
		return "the peer speaks HTTP, not newline framing"
	}
	if name, ok := headerName(line); ok {
		if bytes.EqualFold(name, []byte("Content-Length")) || bytes.EqualFold(name, []byte("Content-Type")) {
			return "the peer speaks Content-Length framing, not newline framing"
		}
	}
	return ""
}

// isHTTPLine recognises "POST /mcp HTTP/1.1" and "HTTP/1.1 200 OK".
func isHTTPLine(line []byte) bool {
	if rest, ok := bytes.CutPrefix(line, []byte("HTTP/")); ok {
		return len(rest) > 0 && isDigit(rest[0])
	}
	method, rest, _ := bytes.Cut(line, []byte(" "))
	for _, c := range method {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	target, version, _ := bytes.Cut(rest, []byte(" "))
	version, ok := bytes.CutPrefix(version, []byte("HTTP/"))
	return ok && len(target) > 0 && len(version) <= len("1.1") && len(version) > 0 && isDigit(version[0])
}

// looksLikeHeader reports whether line is "name: value".
func looksLikeHeader(line []byte) bool {
	name, ok := headerName(line)
	return ok && validValue(line[len(name)+1:])
}

func headerName(line []byte) ([]byte, bool) {
	i := bytes.IndexByte(line[:min(len(line), maxNameLen+1)], ':')
	if i <= 0 || !httpguts.ValidHeaderFieldName(string(line[:i])) {
		return nil, false
	}
	return line[:i], true
}

// validValue asks httpguts about a value piece by piece: each fits the stack,
// where the conversion of the whole would allocate, and a value is valid if all
// its bytes are.
func validValue(v []byte) bool {
	const piece = 32
	for len(v) > piece {
		if !httpguts.ValidHeaderFieldValue(string(v[:piece])) {
			return false
		}
		v = v[piece:]
	}
	return httpguts.ValidHeaderFieldValue(string(v))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
