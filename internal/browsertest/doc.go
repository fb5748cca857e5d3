// Package browsertest has a real browser read what package sse/eventstream
// writes and package eventlog keeps. It holds tests alone.
//
// # Usage
//
// Run make browser, which needs Chromium. Without WIRESPOOL_BROWSER in the
// environment, the path of the browser, the tests are skipped.
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
// A test waits a minute for the browser.
//
// # Errors
//
// A test that fails shows what the browser wrote.
package browsertest
