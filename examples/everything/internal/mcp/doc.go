// Package mcp is what the example puts between the engine and its features: the
// lists of tools, resources and prompts, questions to the user in both eras, and
// tasks. A feature is written against this package and does not care which
// revision its client speaks.
//
// The engine knows none of this on purpose: it carries methods and raw JSON, and
// adds what the protocol demands of every result and every subscription. A
// reader who wants to build a framework of his own on the engine finds here
// which parts that takes.
package mcp
