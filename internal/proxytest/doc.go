// Package proxytest sends streams of events through what stands around servers in
// the field, and sees whether each event arrives when it was sent: a proxy that
// buffers and cuts what is idle, and an http.Server that bounds the time of a
// response. It holds tests alone.
//
// # Usage
//
// Run make proxy, which needs nginx. Without WIRESPOOL_NGINX in the environment,
// the path of nginx, the tests with a proxy are skipped.
//
// # Concurrency
//
// Nothing is exported.
//
// # Ownership
//
// Nothing is exported.
//
// # Limits
//
// A test waits ten seconds for an event.
//
// # Errors
//
// A test that fails shows what nginx has logged.
package proxytest
