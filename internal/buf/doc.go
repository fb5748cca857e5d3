// Package buf owns the memory that the engine reads into and writes from.
//
// # Usage
//
// A reader takes a [Block] with [NewBlock], reads into [Block.Mem], takes one
// [Region] per frame with [Block.Take] and calls [Block.Done] when it moves on.
// Whoever holds a frame calls [Region.Release] once; the last release after Done
// gives the block back to its pool.
//
// Whoever builds bytes by appending takes a [Buffer] with [Get], appends to its
// field B and gives it back with [Buffer.Put]. Each [Kind] of traffic has a
// pool of its own; for memory above [MaxKept] it calibrates itself on the lengths
// it sees.
//
// # Concurrency
//
// Get, Put, NewBlock and Release may be called by any goroutine. Mem, Take and
// Done of one block belong to the one goroutine that fills it; that role may
// move between goroutines if the caller synchronises the move.
//
// # Ownership
//
// Block.Mem is borrowed until Done, a frame's part of it until that frame's
// Release. Buffer.B is the holder's alone until Put.
//
// A second Release or Put of the same thing, also through a copied handle and
// also after the memory has found a new holder, changes nothing: every handle
// carries the generation it was issued in, and generation and liveness change
// in one atomic step. Such a call is counted ([Misuses]); under the build tag
// wirespool_poison it panics, and each frame's region and each buffer is filled
// with [PoisonByte] when it is given back, so that a view kept too long is seen.
//
// # Limits
//
// A buffer above [MaxPooled] and a block above [MaxBlock] are left to the garbage
// collector instead of being put back: one huge message must not be held for
// ever by a pool.
//
// # Errors
//
// No function of this package returns an error. Misuse is counted or panics as
// described above.
package buf
