package scan

import "encoding/binary"

// Eight bytes at a time in a 64-bit word. Each mask has the top bit of every
// lane set; only the lowest flagged lane is exact, because a subtraction may
// borrow into the lanes above it, and callers look at that one alone.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Word reads b[i:i+8] as a little-endian word, so that lane 0 is b[i]. With all
// three indices the address is b's plus i and no more: else it is made sure that
// an empty slice does not point behind b, in five steps that depend on i.
func Word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i : i+8 : i+8]) }

// Stops flags lanes that end a run of plain ASCII in a string: a quote,
// a backslash, a control character, or a byte of a multi-byte character.
func Stops(w uint64) uint64 {
	quote := w ^ (ones * '"')
	slash := w ^ (ones * '\\')
	return (w | (w - ones*0x20) | (quote - ones) | (slash - ones)) & highs
}
