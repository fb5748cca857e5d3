// Package memhttp is HTTP without a network: a real http.Server and real
// clients over connections in memory, so that keep-alive, retries, idle streams
// and draining run in a testing/synctest bubble, where time is virtual. It is
// for tests alone.
//
// # Usage
//
//	srv := memhttp.Start(handler, nil)
//	defer srv.Close()
//	resp, err := srv.Client().Get(srv.URL() + "/mcp")
//
// [Server.Dial] gives a bare connection, for requests that no client would send.
//
// # Concurrency
//
// All methods may be called by any goroutine. What Start starts ends with Close.
//
// # Ownership
//
// The Server owns the connections that its clients dial; one from Dial is the
// caller's.
//
// # Limits
//
// A connection holds nothing: a write returns when it was read, so that a peer
// that does not read is noticed at once.
//
// # Errors
//
// Dial fails with net.ErrClosed after Close.
package memhttp
