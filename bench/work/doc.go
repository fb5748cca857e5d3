// Package work has what is measured as data: groups of entries that do the same
// work on the same bytes, for the benchmarks of package bench and for those of
// bench/peers, which add what other libraries do.
//
// # Usage
//
//	for _, g := range work.DecodeGroups(nil) {
//		for _, e := range g.Entries {
//			err := e.Do()
//			…
//		}
//	}
//
// [Bench] measures groups, [Check] holds the entries of a group to the same work.
//
// # Concurrency
//
// An entry is for one goroutine at a time; different entries are independent.
//
// # Ownership
//
// Entries keep the bytes they work on and do not change them.
//
// # Limits
//
// None: nothing here takes input from outside.
//
// # Errors
//
// An entry whose implementation fails returns its error, one whose implementation
// did not do the work returns [ErrWork].
package work
