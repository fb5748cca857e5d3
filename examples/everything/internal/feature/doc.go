// Package feature holds what the example server offers: tools, resources and
// prompts, each a few lines. Among them are those that the official conformance
// suite asks for by name (test_…).
package feature

import "github.com/wirespool/wirespool/examples/everything/internal/mcp"

// Register adds all features to the server.
func Register(s *mcp.Server) {
	registerDemo(s)
	registerContent(s)
	registerRunning(s)
	registerAsking(s)
	registerRounds(s)
	registerTasks(s)
	registerResources(s)
	registerPrompts(s)
}

// noArguments is the schema of a tool that takes none.
var noArguments = []byte(`{"type":"object","properties":{}}`)
