//go:build !amd64 || purego

package scan

// EachKernel calls f with the only kernel there is.
func EachKernel(f func(name string)) { f("swar") }
