//go:build !unix

package work

// roomFor returns an error with ErrRoom in its tree where the process may not have
// so many more files open.
func roomFor(int) error { return nil }
