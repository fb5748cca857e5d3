package framing

import "fmt"

// Framing is how frames are told apart on a byte stream.
type Framing uint8

const (
	// Newline is one JSON text per line, the framing of MCP.
	Newline Framing = iota
	// ContentLength is a header block with the length before each JSON text,
	// the framing of the Language Server Protocol.
	ContentLength
	// Detect is whichever of the two the peer turns out to use.
	Detect
)

var names = [...]string{Newline: "newline", ContentLength: "content-length", Detect: "detect"}

// String returns the name that [ParseFraming] takes.
func (f Framing) String() string {
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("Framing(%d)", uint8(f))
}

// ParseFraming returns the framing called name: newline, content-length or
// detect.
func ParseFraming(name string) (Framing, error) {
	for f, n := range names {
		if n == name {
			return Framing(f), nil
		}
	}
	return 0, fmt.Errorf("framing: %q is none of newline, content-length, detect", name)
}

// mustBeKnown stops a number that is no framing where it enters: a silent
// default would be found by the peer.
func (f Framing) mustBeKnown() {
	if int(f) >= len(names) {
		panic("framing: unknown " + f.String())
	}
}
