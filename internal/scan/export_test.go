package scan

// Eager makes the wide steps begin with the first byte, in strings with the
// fourth, and returns what makes them begin where they pay.
func Eager() (restore func()) {
	min, after, text := wideMin, wideAfter, wideText
	wideMin, wideAfter, wideText = 0, 0, 3
	return func() { wideMin, wideAfter, wideText = min, after, text }
}
