//go:build !unix

package httpx

// writeNow writes nothing: here every write is one that may block.
func writeNow(uintptr, []byte) (int, error) { return 0, nil }
