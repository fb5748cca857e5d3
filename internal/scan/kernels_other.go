//go:build !amd64 || purego

package scan

// Without wide kernels everything is done eight bytes at a time.

func hasWide() bool { return false }

func indexBlocks(*byte, int, uint32, *indexState, *uint32) int { return 0 }

func plainRun(b []byte) int { return plainWords(b) }
