//go:build !amd64 || purego

package scan

// Without wide kernels everything is done eight bytes at a time.

func hasIndex() bool { return false }

func hasText() bool { return false }

func indexBlocks(*byte, int, *index) {}

func nest(*grammar, uint64, uint64, uint64) uint64 { return 0 }

func textEnd([]byte, int) (int, bool, bool) { return 0, false, false }
