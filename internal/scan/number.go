package scan

// Number scans the number that begins at b[i], a minus sign or a digit, and
// returns the index behind its last digit (RFC 8259 §6). What follows is the
// caller's to judge: "01" is the number 0 and a digit too many, which no
// separator can be; Number reports it as BadNumber to name the cause.
func Number(b []byte, i int) (end int, f Fault) {
	if b[i] == '-' {
		i++
		if i >= len(b) {
			return len(b), UnexpectedEnd
		}
	}
	switch c := b[i]; {
	case c == '0':
		i++
		if i < len(b) && isDigit(b[i]) {
			return i, BadNumber
		}
	case isDigit(c):
		for i++; i < len(b) && isDigit(b[i]); i++ {
		}
	default:
		return i, BadNumber
	}
	if i < len(b) && b[i] == '.' {
		if i, f = digits(b, i+1); f != OK {
			return i, f
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digits(b, i)
	}
	return i, OK
}

// digits scans one or more digits.
func digits(b []byte, i int) (int, Fault) {
	if i >= len(b) {
		return len(b), UnexpectedEnd
	}
	if !isDigit(b[i]) {
		return i, BadNumber
	}
	for i++; i < len(b) && isDigit(b[i]); i++ {
	}
	return i, OK
}

func isDigit(c byte) bool { return c-'0' <= 9 }
