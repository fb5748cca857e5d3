package scan

// Eager makes the wide steps begin with the first byte, and returns what makes
// them begin where they pay.
func Eager() (restore func()) {
	min, after, long := wideMin, wideAfter, longRun
	wideMin, wideAfter, longRun = 0, 0, 0
	return func() { wideMin, wideAfter, longRun = min, after, long }
}
