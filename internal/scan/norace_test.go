//go:build !race

package scan_test

// raced is set where every access costs tenfold.
const raced = false
