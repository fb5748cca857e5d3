// Package web holds Streamable HTTP servers and clients of other SDKs, all with
// the tool echo, beside those of package work. The commands below webservers run
// them as processes.
//
// # Usage
//
// [Servers] and [Clients] are those of the SDKs. [New] returns any server by the name of
// its implementation, [Connect] a client.
//
// # Concurrency
//
// Servers and clients serve any number of goroutines.
//
// # Ownership
//
// Nothing is kept of arguments.
//
// # Limits
//
// Servers have those of their implementation. They are for programs on the same
// machine.
//
// # Errors
//
// An implementation that is not known is an error, and so is an answer that is
// none.
package web
