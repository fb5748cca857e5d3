// Package scan holds the byte kernels under package codec: it walks JSON text
// once, strictly (RFC 8259, UTF-8, no raw control characters), without
// allocating and without recursion, and says where text stops being JSON.
//
// # Usage
//
// [String], [Number] and [Scanner.Value] take the slice and the index where
// the value begins, and return the index behind it. [Valid] judges a whole
// slice. Package codec builds its message decoder on these four.
//
// # Concurrency
//
// The functions are pure. A [Scanner] is scratch for one goroutine at a time.
//
// # Ownership
//
// Input is borrowed until the call returns; nothing is kept and nothing is
// written. No kernel reads past the slice it was given.
//
// # Limits
//
// Nesting is bounded by [Scanner.MaxDepth]; time is linear in the input.
//
// # Errors
//
// A [Fault] is one byte; its text is made only when somebody asks. The index
// returned with a fault is that of the first byte that cannot be accepted, or
// the length of the slice when the text breaks off.
package scan
