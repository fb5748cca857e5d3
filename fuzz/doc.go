// Package fuzz holds the native fuzz targets on the public packages of the
// module. It has no code of its own: each target compares what a package does
// with a slow model of it, built on the standard library and written to be
// read, or checks what must hold for any input.
//
// The targets run as tests over their seeds, which are the tables of
// seeds_test.go and every input that once failed (testdata/fuzz). To go on from
// there:
//
//	go test -run='^$' -fuzz='^FuzzDecode$' -parallel=2 ./fuzz
//
// Targets on kernels stand beside the kernels.
package fuzz
