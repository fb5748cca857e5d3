package protocol

import "strconv"

// SyntaxError says what was refused, where and why. It never repeats the input,
// so that it can be logged and sent.
type SyntaxError struct {
	What   string // "header value" or "_meta key"
	Offset int    // byte offset in the argument of the call
	Reason string // what is wrong there, in fixed words
}

// Error returns the three facts in one line.
func (e *SyntaxError) Error() string {
	return e.What + ": " + e.Reason + " at byte " + strconv.Itoa(e.Offset)
}
