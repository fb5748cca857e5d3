//go:build !amd64 || purego

package scan_test

import "testing"

// takeWide has nothing to demand: there is no wide pass.
func takeWide(*testing.T, []byte, int) {}
