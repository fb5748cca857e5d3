// Package ratios measures contenders against each other on a machine that does
// other things too: their turns alternate within a round, each round begins with
// another of them, and what is told is the median over the rounds of the ratios
// within a round. A disturbance that lasts longer than a turn then hits all alike.
//
// # Usage
//
// [Measure] runs the entries of one group; [Result.WriteTable] prints a table in
// Markdown, [Result.Beyond] says what one entry costs more than another. [Machine]
// says where it ran.
//
// # Concurrency
//
// One measurement at a time: CPU time and allocations are those of the whole process.
//
// # Ownership
//
// Nothing is kept but the entries' names.
//
// # Limits
//
// A turn is as long as the span that Measure is given, or one call where a call
// takes longer.
//
// # Errors
//
// The first error of an entry ends the measurement and is returned with its name.
package ratios
