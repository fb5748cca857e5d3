// Package cross has one server of each SDK, on the transports of wirespool by its
// adapter or on the SDK's own, for tests that put clients of several SDKs to all of
// them. The command below it runs one as a process, for clients that are not written
// in Go.
//
// # Usage
//
// [Serve] serves standard input and output, [NewHandler] both transports over HTTP.
// [Options] say which server. All have the same tools, but for the one that asks what
// mcp-go's server cannot:
//
//	echo      returns its argument text
//	steps     sends five notifications of progress
//	ask       asks the client's model while it runs; before 2026-07-28
//	round     asks it by a result that wants input; 2026-07-28
//	ping      sends the client a ping; go-sdk before 2026-07-28
//	fail      returns a result that is an error
//	wait      sends one notification of progress, and waits until it is cancelled
//	released  returns when a wait has been
//
// # Concurrency
//
// Handlers serve any number of requests.
//
// # Ownership
//
// Who gets a handler closes it.
//
// # Limits
//
// Those of the adapters.
//
// # Errors
//
// The name of an SDK that is not known is an error.
package cross
