// Package everything is an MCP server with one of everything, written on the
// engine alone: tools, resources, prompts, completion, logging, progress,
// questions to the client, lists that change, subscriptions and tasks, in every
// revision of the protocol. The official conformance suite passes on it.
//
// The command examples/everything/server serves it. How it is built is to be
// read from the outside in: package feature holds what it offers, package mcp
// below it what lies between the engine and a feature. Package host is the same
// for the other side, and examples/everything/client its command.
package everything

import (
	"log/slog"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything/internal/feature"
	"github.com/wirespool/wirespool/examples/everything/internal/mcp"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
)

// Options configure the server. The zero value is ready to use.
type Options struct {
	// Versions are the revisions to speak; empty means all.
	Versions []protocol.Revision
	// Limits bound what peers can do.
	Limits dispatch.Limits
	// Logger gets the engine's diagnostics; nil discards them.
	Logger *slog.Logger
}

// capabilities is what the server says it can do. It announces listChanged, so
// it may send the notices.
const capabilities = `{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{"listChanged":true},` +
	`"logging":{},"completions":{},"extensions":{"` + protocol.ExtensionTasks + `":{}}}`

// Server is the example: a dispatch.Server with features.
type Server struct {
	*dispatch.Server
	features *mcp.Server
}

// New returns a server; opts may be nil. It serves any number of connections.
func New(opts *Options) *Server {
	if opts == nil {
		opts = &Options{}
	}
	features := mcp.NewServer(&dispatch.Options{
		Info: dispatch.Info{
			Name:         "everything",
			Version:      "1.0.0",
			Capabilities: codec.Value(capabilities),
			Instructions: "An example with one of everything. Start with the tool echo.",
			Versions:     opts.Versions,
		},
		Limits: opts.Limits,
		Logger: opts.Logger,
	}, feature.Register)
	return &Server{features.Server, features}
}

// Params returns which arguments of a tool HTTP clients mirror in headers: what
// streamhttp.Options asks for.
func (s *Server) Params(tool string) []streamhttp.ParamHeader { return s.features.Tools.Params(tool) }
