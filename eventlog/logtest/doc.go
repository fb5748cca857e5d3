// Package logtest checks an implementation of eventlog.Log against its contract.
//
// # Usage
//
//	func TestLog(t *testing.T) {
//		logtest.Run(t, logtest.Factory{
//			Open: func(t testing.TB) eventlog.Log { return mylog.Open(t.TempDir()) },
//		})
//	}
//
// Each check is a subtest with a log of its own. What only some logs can do is
// checked where eventlog.Caps says so, and what needs time to pass where the
// log can live in a bubble of testing/synctest.
//
// # Concurrency
//
// Run uses the log from several goroutines, as servers do, and is best run with
// the race detector. Its subtests run one after the other.
//
// # Ownership
//
// Run closes the logs that it opened.
//
// # Limits
//
// A check that waits longer than Factory.Patience fails.
//
// # Errors
//
// They go to the testing.T.
package logtest
