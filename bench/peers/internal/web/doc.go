// Package web holds Streamable HTTP servers and clients of several SDKs, all with
// the tool echo, and the limits beside them. The commands below webservers run
// them as processes.
//
// # Usage
//
// [New] returns a server by the name of its implementation, [Connect] a client.
//
// # Concurrency
//
// A Server and a Caller serve any number of goroutines.
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
