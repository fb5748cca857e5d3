// Package bench compares wirespool with encoding/json, with sonic and with the
// limits of the machine (package limits), on messages as MCP has them. This
// package holds the messages and package work what is done with them; the tests
// hold the benchmarks.
//
// # Usage
//
//	go test -bench . ./bench                        # every row
//	go test -bench Decode/shape=tools ./bench       # one group
//	go test -v ./bench -run TestRatios -ratios      # tables of ratios
//
// A benchmark is named BenchmarkDecode, Encode, Batch, Frame, SSE, Log, Dispatch, HTTP,
// Fanout or Client, then shape=…/size=…/impl=…. The impls of a group do the same work on the same
// bytes, and a test holds them to it. The exceptions are named as what they are:
// sonic.Valid checks a message and extracts nothing, and an impl called limit-…
// does less than the work, as little as the machine allows.
//
// Absolute figures of a machine that does other things too are worth little.
// TestRatios therefore lets the impls of a group take turns (package ratios) and
// prints ratios; its flags are -ratios, -rounds, -span and -groups.
//
// # What is compared
//
// Decode: wirespool checks the whole text strictly, classifies the message and
// reads what a router needs (id, method, tool name, progress token). The others
// decode into an envelope whose payloads stay raw, and classify it. They check
// less: encoding/json lets invalid UTF-8 and duplicate members pass, sonic in its
// default configuration also control characters in strings.
//
// Batch: the same for an array and each of its elements. Encode: a response
// around a raw result. Frame: cutting a stream into frames. Log: storing events
// one by one, reading them again, and handing each to a follower before the next
// is stored; the limits have neither ids nor budgets.
// What else a log costs has rows without a limit: the slowest append with few and many
// streams, and what a stream and an event occupy.
// Dispatch: a server that is asked one request at a time, or many at once, by a
// peer that costs next to nothing; requests that have all come already, without an
// observer, with counters, and with a log that is off besides; and arrays whose
// handlers compute, with all cores, with one handler at a time, and without us.
//
// HTTP: a call to a Streamable HTTP server on the loopback address, one at a time,
// its client included; the limits read the body and answer something constant. An
// event stream as answer is asked for in Accept.
//
// Fanout: one notification to as many open event streams as the shape says, each on a
// connection of the loopback address, read one after the other up to the end of the
// event. wirespool writes from a queue for each stream, wirespool-hijack has taken the
// connections from net/http; the limit writes and flushes in a loop. A process that may
// have too few open files skips the larger shape.
//
// Client: a call by our Streamable HTTP client to our server, which is part of every
// figure, one at a time and 32 at once (session-32). The limit sends prepared bytes by
// net/http and does not look at what it reads.
//
// The rows of sonic exist where sonic is more than a wrapper of encoding/json:
// on amd64 and arm64.
//
// # Concurrency
//
// The functions may run concurrently. Benchmarks use one goroutine, but for the clients
// that call many times at once.
//
// # Ownership
//
// Messages and streams are made anew by each call and are transferred. What a
// WebConn returns is borrowed until its next use.
//
// # Limits
//
// None: nothing here takes input from outside.
//
// # Errors
//
// Those of connections; all else is none.
package bench
