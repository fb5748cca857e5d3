// Package alloctest measures in tests what code allocates, on machines that are
// busy with other work.
//
// # Usage
//
//	if n := alloctest.Least(1, 100, step); n > 1 {
//		t.Errorf("%v allocations, at most 1 promised", n)
//	}
//
// # Concurrency
//
// What other goroutines allocate meanwhile counts too, so tests that measure are
// not parallel.
//
// # Ownership
//
// Nothing is kept.
//
// # Limits
//
// A measurement ends after ten rounds.
//
// # Errors
//
// There are none: the caller judges the number.
package alloctest
