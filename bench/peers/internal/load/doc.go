// Package load drives MCP servers that run as child processes and speak over
// their standard streams, or over a socket where something stands before them. It prefers nobody: what it sends was prepared before,
// and what comes back is searched for line feeds and counted, the first answer
// alone is read.
//
// # Usage
//
// [Start] starts a server and completes the handshake, [StartSocket] one that it
// connects to. [Server.Check] compares
// one answer with its call; [Server.OneAtATime] and [Server.InFlight] measure;
// [Server.CPU] is the clock of the server's processor time, [Server.Resident] its
// memory. [Calls] are prepared calls of the tool echo. [StartProfile] is for servers and
// clients that are measured.
//
// # Concurrency
//
// A Server is for one goroutine.
//
// # Ownership
//
// What Ask returns is borrowed until the next use of the Server.
//
// # Limits
//
// Each measurement ends by itself after its time and the answers that are on
// their way; the context given to Start kills the server and so ends any of them.
//
// # Errors
//
// A server that ends, answers in another length or answers wrongly is an error
// that says so.
package load
