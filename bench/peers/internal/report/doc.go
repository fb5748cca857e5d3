// Package report turns measurements into what a reader sees: statistics over
// rounds, verdicts on targets, bar plots.
//
// # Usage
//
// [ParseTables] reads back what package ratios printed. [Median], [Spread] and
// [Ratio] are for series of one figure per round. [Target] says whether a ratio
// is what it should be. [Plot] writes an SVG.
//
// # Concurrency
//
// All functions may be called concurrently.
//
// # Ownership
//
// Nothing is kept.
//
// # Limits
//
// None: nothing here takes input from outside.
//
// # Errors
//
// A table of another form than expected is an error that names the line.
package report
