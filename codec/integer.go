package codec

import (
	"bytes"
	"strconv"
)

// decimal is a JSON number cut into its parts, views of the token.
type decimal struct {
	negative bool
	whole    []byte // digits before the point
	fraction []byte // digits behind it, trailing zeros dropped
	exponent int    // of ten; clamped, since beyond the clamp no answer changes
}

// maxExponent clamps an exponent far beyond maxIDDigits; a token that needs a
// larger one to come out as a short integer is longer than any id may be.
const maxExponent = 1 << 26

// cut takes a valid JSON number apart.
func cut(v []byte) decimal {
	var n decimal
	if v[0] == '-' {
		n.negative = true
		v = v[1:]
	}
	i := 0
	for i < len(v) && v[i]-'0' <= 9 {
		i++
	}
	n.whole, v = v[:i], v[i:]
	if len(v) > 0 && v[0] == '.' {
		i = 1
		for i < len(v) && v[i]-'0' <= 9 {
			i++
		}
		n.fraction, v = v[1:i], v[i:]
	}
	for len(n.fraction) > 0 && n.fraction[len(n.fraction)-1] == '0' {
		n.fraction = n.fraction[:len(n.fraction)-1]
	}
	if len(v) > 1 { // e or E, a sign perhaps, digits
		v = v[1:]
		minus := v[0] == '-'
		if minus || v[0] == '+' {
			v = v[1:]
		}
		for _, c := range v {
			n.exponent = min(n.exponent*10+int(c-'0'), maxExponent)
		}
		if minus {
			n.exponent = -n.exponent
		}
	}
	return n
}

// appendInteger appends the canonical digits of the integer that the JSON
// number v stands for: no leading zeros, no point, no exponent, and no minus
// before zero. It reports a fraction, or more than maxIDDigits digits.
func appendInteger(dst []byte, v []byte) ([]byte, reason) {
	n := cut(v)
	whole, fraction := bytes.TrimLeft(n.whole, "0"), n.fraction
	if len(whole) == 0 {
		fraction = bytes.TrimLeft(fraction, "0")
	}
	if len(whole)+len(fraction) == 0 {
		return append(dst, '0'), noFault
	}
	// scale is the power of ten that the last digit counts.
	scale := n.exponent - len(n.fraction)
	if scale < 0 && len(fraction) > 0 { // its last digit is not 0
		return dst, idFraction
	}
	for ; scale < 0; scale++ {
		if whole[len(whole)-1] != '0' {
			return dst, idFraction
		}
		whole = whole[:len(whole)-1]
	}
	if len(whole)+len(fraction)+scale > maxIDDigits {
		return dst, idDigits
	}
	if n.negative {
		dst = append(dst, '-')
	}
	dst = append(dst, whole...)
	dst = append(dst, fraction...)
	for range scale {
		dst = append(dst, '0')
	}
	return dst, noFault
}

// checkInteger reports why a JSON number cannot be an id.
func checkInteger(v []byte) reason {
	if isPlainInteger(v) {
		return noFault
	}
	var buf [maxIDDigits + 1]byte
	_, why := appendInteger(buf[:0], v)
	return why
}

// isPlainInteger reports whether a JSON number is its own canonical form:
// digits alone, at most 18 of them, a minus sign perhaps, and not "-0".
func isPlainInteger(v []byte) bool {
	if len(v) > 1 && v[0] == '-' && v[1] != '0' {
		v = v[1:]
	}
	if len(v) > 18 {
		return false
	}
	for _, c := range v {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// parseInteger returns the value of a JSON number that is an integer within
// int64.
func parseInteger(v []byte) (int64, bool) {
	if !isPlainInteger(v) {
		var buf [maxIDDigits + 1]byte
		digits, why := appendInteger(buf[:0], v)
		if why != noFault {
			return 0, false
		}
		v = digits
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}
