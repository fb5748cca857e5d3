package buf

import "sync/atomic"

// PoisonByte fills memory that was given back in builds with the tag
// wirespool_poison. It begins no JSON value and occurs in no UTF-8 text.
const PoisonByte = 0xFF

var misuses atomic.Uint64

// Misuses says how often something was released that was not held: a second
// Release of a frame or a second Put of a buffer.
func Misuses() uint64 { return misuses.Load() }

func misuse(what string) {
	misuses.Add(1)
	if Poisoned {
		panic("wirespool: " + what + " released twice")
	}
}
