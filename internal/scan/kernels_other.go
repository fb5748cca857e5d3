//go:build !amd64 || purego

package scan

// Without wide kernels everything is done eight bytes at a time.

func hasWide() bool { return false }

func indexText([]byte, int, *indexState, []uint32) int { return 0 }

func textEnd([]byte, int) (int, bool, bool) { return 0, false, false }
