//go:build race

package scan_test

// raced is set where every access costs tenfold. Nothing here is concurrent, so
// what takes long is left to the other builds.
const raced = true
