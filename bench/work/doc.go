// Package work has what is measured as data: groups of entries that do the same
// work on the same bytes, for the benchmarks of package bench and for those of
// bench/peers, which add what other libraries do.
//
// # Usage
//
//	for _, g := range work.DecodeGroups(nil) {
//		for _, e := range g.Entries {
//			err := e.During(e.Do)
//			…
//		}
//	}
//
// [Bench] measures groups, [Check] holds the entries of a group to the same work.
// [WebServers] and [WebClients] are what is measured over HTTP; [Listen] serves it.
//
// # Concurrency
//
// An entry is for one goroutine at a time; different entries are independent. A
// WebServer and a WebCaller serve any number of goroutines.
//
// # Ownership
//
// Entries keep the bytes they work on and do not change them.
//
// # Limits
//
// None: nothing here takes input from outside. Servers listen on the loopback address
// alone.
//
// # Errors
//
// An entry whose implementation fails returns its error, one whose implementation
// did not do the work returns [ErrWork]. Open returns [ErrRoom] where the process may have
// too few open files.
package work
