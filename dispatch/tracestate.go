package dispatch

import (
	"slices"
	"strings"
)

// The two lists of the W3C that travel beside a traceparent. What is not valid
// is dropped whole: half of a list would say something that nobody said.

// validTracestate reports whether s is a list of at most 32 vendors' entries,
// each key once.
func validTracestate(s string) bool {
	if s == "" || len(s) > MaxTraceState {
		return false
	}
	var keys []string
	for member := range strings.SplitSeq(s, ",") {
		member = strings.Trim(member, " \t")
		if member == "" {
			continue // allowed
		}
		key, value, ok := strings.Cut(member, "=")
		if !ok || !validStateKey(key) || !validStateValue(value) || slices.Contains(keys, key) || len(keys) == maxTraceMembers {
			return false
		}
		keys = append(keys, key)
	}
	return len(keys) > 0
}

// maxTraceMembers is how many entries a tracestate may have.
const maxTraceMembers = 32

func validStateKey(key string) bool {
	if key == "" || len(key) > 256 || !isLowerOrDigit(key[0]) {
		return false
	}
	for i := range len(key) {
		if !isLowerOrDigit(key[i]) && strings.IndexByte("_-*/@", key[i]) < 0 {
			return false
		}
	}
	return true
}

func validStateValue(value string) bool {
	if value == "" || len(value) > 256 {
		return false
	}
	for i := range len(value) {
		if c := value[i]; c < 0x20 || c > 0x7e || c == ',' || c == '=' {
			return false
		}
	}
	return true
}

func isLowerOrDigit(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

// validBaggage reports whether s is a list of key=value, each with properties
// behind semicolons if it has any.
func validBaggage(s string) bool {
	if s == "" || len(s) > MaxBaggage {
		return false
	}
	for member := range strings.SplitSeq(s, ",") {
		for i, part := range strings.Split(member, ";") {
			key, value, pair := strings.Cut(part, "=")
			if !isToken(strings.Trim(key, " \t")) || !isBaggageValue(strings.Trim(value, " \t")) || i == 0 && !pair {
				return false
			}
		}
	}
	return true
}

// isToken reports whether s is a token as HTTP has it.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isLowerOrDigit(c) && (c < 'A' || c > 'Z') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

func isBaggageValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= 0x20 || c > 0x7e || strings.IndexByte("\",;\\", c) >= 0 {
			return false
		}
	}
	return true
}
