package scan

import "bytes"

// lookTwice is what OneLine looks at twice in a row: it is still in the first-level
// cache the second time.
const lookTwice = 16 << 10

// OneLine reports whether b holds neither a line feed nor a carriage return.
func OneLine(b []byte) bool {
	for len(b) > lookTwice {
		if !oneLine(b[:lookTwice]) {
			return false
		}
		b = b[lookTwice:]
	}
	return oneLine(b)
}

func oneLine(b []byte) bool { return bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 }
