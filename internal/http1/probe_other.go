//go:build !unix

package http1

// probes says that connections can be asked whether they are still open.
const probes = false

func silent(uintptr) bool { return true }
