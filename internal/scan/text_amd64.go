//go:build !purego

package scan

// textState is what the kernels of text report and carry from one call to the
// next.
type textState struct {
	escapes uint64 // not 0 once a backslash stood in the string
	//lint:ignore U1000 the assembly's: 1 if the next byte is escaped
	escaped uint64
	//lint:ignore U1000 the assembly's: which of the next bytes must be hexadecimal digits
	digits uint64
	//lint:ignore U1000 the assembly's: 1 if the last byte was not ASCII
	high uint64
}

// textEnd looks for the quote that closes a string from b[i] on, where a
// character or an escape begins, and checks what stands before it. It reports
// false when that is not valid or the string does not end. At least longestPart
// bytes of the string stand before b[i] and have been checked.
func textEnd(b []byte, i int) (quote int, escaped, ok bool) {
	var s textState
	text := b[i:]
	n := 0
	if kernels.text == avx512 {
		n = textAVX512(&text[0], len(text), &s)
	} else {
		whole := len(text) &^ (block - 1)
		if whole > 0 {
			n = textAVX2(&text[0], whole/block, &s)
		}
		if n == whole && whole < len(text) {
			var tail [block + block]byte // zeros behind the text: control characters
			copy(tail[block-longestPart:], b[i+whole-longestPart:])
			n = textAVX2(&tail[block], 1, &s)
			if n >= 0 {
				n += whole
			}
		}
	}
	return i + n, s.escapes != 0, uint(n) < uint(len(text))
}

// longestPart is how far behind the first byte of a character its last one can
// be: the kernels look at as many bytes before the text.
const longestPart = 3

// Both kernels return the index of the closing quote, the length of the text if
// it does not end, and -1 if it is not valid.

//go:noescape
func textAVX512(text *byte, n int, s *textState) int

//go:noescape
func textAVX2(text *byte, blocks int, s *textState) int

// What may follow a backslash, by the two nibbles of a byte: allowed if the
// entries have a bit in common.
var (
	//lint:ignore U1000 read by the assembly
	escapeHigh = [16]byte{2: 1, 5: 2, 6: 4, 7: 8}
	//lint:ignore U1000 read by the assembly
	escapeLow = [16]byte{
		'"' & 15:  1 | 4 | 8, // also b and r
		'/' & 15:  1,
		'\\' & 15: 2,
		'f' & 15:  4, 'n' & 15: 4,
		't' & 15: 8, 'u' & 15: 8,
	}
)

// What is wrong with two neighbouring bytes, by the nibbles of the first and the
// high one of the second: it is wrong if all three entries have the bit
// (Unicode 15, table 3-7).
const (
	cutShort  = 1 << iota // a first byte and no continuation
	stray                 // a continuation behind ASCII
	overlong2             // U+0000 to U+007F in two bytes
	overlong3             // below U+0800 in three bytes
	overlong4             // below U+10000 in four bytes, and what would begin with 0xf5 and more
	surrogate             // U+D800 to U+DFFF
	tooLarge              // above U+10FFFF
	twice                 // two continuations: wrong unless the kernel knows better

	anyLow = cutShort | stray | twice
)

var (
	//lint:ignore U1000 read by the assembly
	firstHigh = [16]byte{
		stray, stray, stray, stray, stray, stray, stray, stray, twice, twice, twice, twice,
		cutShort | overlong2, cutShort, cutShort | overlong3 | surrogate, cutShort | overlong4 | tooLarge,
	}
	//lint:ignore U1000 read by the assembly
	firstLow = [16]byte{
		anyLow | overlong2 | overlong3 | overlong4, anyLow | overlong2, anyLow, anyLow,
		anyLow | tooLarge, anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4,
		anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4,
		anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4 | surrogate, anyLow | tooLarge | overlong4, anyLow | tooLarge | overlong4,
	}
	//lint:ignore U1000 read by the assembly
	secondHigh = [16]byte{
		cutShort, cutShort, cutShort, cutShort, cutShort, cutShort, cutShort, cutShort,
		stray | twice | overlong2 | overlong3 | overlong4, stray | twice | overlong2 | overlong3 | tooLarge,
		stray | twice | overlong2 | surrogate | tooLarge, stray | twice | overlong2 | surrogate | tooLarge,
		cutShort, cutShort, cutShort, cutShort,
	}
)
