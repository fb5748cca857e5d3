package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addResources adds resources: a text, bytes, one of many, and one to watch.
func addResources(s *server.MCPServer) {
	fixed := func(uri, name string, contents mcp.ResourceContents) {
		s.AddResource(mcp.NewResource(uri, name), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{contents}, nil
		})
	}
	text := func(uri, name, content string) {
		fixed(uri, name, mcp.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: content})
	}
	text("test://static-text", "static-text", "A text that stays as it is.")
	text("test://watched-resource", "watched-resource", "A text to watch.")
	fixed("test://static-binary", "static-binary", mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: redPoint})
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template"),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			data, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json", Text: string(data)}}, err
		})
}
