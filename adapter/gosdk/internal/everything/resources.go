package everything

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// WatchedResource is what clients subscribe to.
const WatchedResource = "test://watched-resource"

func addResources(s *mcp.Server) {
	s.AddResource(&mcp.Resource{URI: "test://static-text", Name: "static-text", Description: "A text", MIMEType: "text/plain"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return contents(&mcp.ResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This text never changes."})
		})
	s.AddResource(&mcp.Resource{URI: "test://static-binary", Name: "static-binary", Description: "An image", MIMEType: "image/png"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return contents(&mcp.ResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: redPoint})
		})
	var version atomic.Int64
	s.AddResource(&mcp.Resource{URI: WatchedResource, Name: "watched-resource", Description: "A text that changes", MIMEType: "text/plain"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return contents(&mcp.ResourceContents{URI: WatchedResource, MIMEType: "text/plain", Text: fmt.Sprintf("This is version %d.", version.Load()+1)})
		})
	add(s, "update_watched_resource", "Changes the content of "+WatchedResource, "", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		version.Add(1)
		if err := s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: WatchedResource}); err != nil {
			return nil, err
		}
		return result(text("updated " + WatchedResource))
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", Description: "Data about one id", MIMEType: "application/json"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			return contents(&mcp.ResourceContents{
				URI: req.Params.URI, MIMEType: "application/json",
				Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id),
			})
		})
}

func contents(c *mcp.ResourceContents) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
}
