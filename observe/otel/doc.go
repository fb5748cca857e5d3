// Package otel traces and measures what a dispatch.Server or Client does with
// OpenTelemetry, by the semantic conventions for the Model Context Protocol. It
// is a module of its own, so that nobody else gets OpenTelemetry.
//
// # Usage
//
//	o, err := otel.New(&otel.Options{Transport: "pipe"})
//	srv := dispatch.NewServer(&dispatch.Options{Observer: o})
//
// [New] takes the global providers where it is given none. Spans are of kind
// server for what comes in and client for what goes out, requests and
// notifications alike, and are called "tools/call echo": the method, and the name
// of the tool or prompt where there is one. The context of a handler has its span,
// so that what it starts becomes a child, calls of ours included.
//
// Attributes of spans are mcp.method.name, mcp.protocol.version,
// jsonrpc.request.id, gen_ai.tool.name with gen_ai.operation.name,
// gen_ai.prompt.name, mcp.resource.uri, network.transport if [Options] names it,
// mcp.session.id if they ask for it; of those that fail error.type and, where
// there was an error answer, rpc.response.status_code. error.type is the code of
// that, "tool_error", "timeout", "cancelled", or the outcome in a word.
//
// Metrics are mcp.server.operation.duration, mcp.client.operation.duration,
// mcp.server.session.duration and mcp.client.session.duration, histograms in
// seconds.
//
// # Concurrency
//
// An observer may be used by any number of servers and clients at once.
//
// # Ownership
//
// Nothing borrowed is kept: attributes are copies.
//
// # Trace context
//
// The parent of a server span is the trace that came in _meta, or else in a
// header; if there is a span in the context of Serve it becomes a link, and the
// parent where no trace came. What goes out has the client span in _meta. The
// formats are those of the W3C, whatever the global propagator is: MCP has no
// other keys.
//
// # Limits
//
// Names that a peer chooses count as dimensions of metrics only up to
// [MaxNames]; beyond that, and for methods that nobody serves, they are "_OTHER".
// Attributes of spans are cut at [MaxAttribute] bytes.
//
// # Errors
//
// New fails where the meter provider refuses an instrument.
package otel
