package feature

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/examples/everything/internal/mcp"
)

// registerResources adds resources: text, bytes, one of many, and one that
// changes.
func registerResources(s *mcp.Server) {
	text := func(uri, name, description, mimeType, content string) {
		s.Resources.Add(&mcp.Resource{
			URI: uri, Name: name, Description: description, MimeType: mimeType,
			Read: func(context.Context) (any, error) {
				return mcp.TextContents{URI: uri, MimeType: mimeType, Text: content}, nil
			},
		})
	}
	text("info://server-info", "server-info", "What this server is", "application/json", `{"name":"everything","engine":"wirespool"}`)
	text("test://static-text", "static-text", "A text that never changes", "text/plain", "A text that stays as it is.")
	const binary = "test://static-binary"
	s.Resources.Add(&mcp.Resource{
		URI: binary, Name: "static-binary", Description: "An image of one red point", MimeType: "image/png",
		Read: func(context.Context) (any, error) {
			return mcp.BlobContents{URI: binary, MimeType: "image/png", Blob: redPoint}, nil
		},
	})
	registerWatched(s)
	s.Resources.AddTemplate(&mcp.Template{
		URITemplate: "test://template/{id}/data", Name: "template", Description: "Data about one id", MimeType: "application/json",
		Read: func(_ context.Context, uri, id string) (any, error) {
			data := codec.AppendString([]byte(`{"id":`), id)
			data = codec.AppendString(append(data, `,"templateTest":true,"data":`...), "Data for ID: "+id)
			return mcp.TextContents{URI: uri, MimeType: "application/json", Text: string(append(data, '}'))}, nil
		},
		Complete: prefixed("1", "12", "123", "2"),
	})
}

// registerWatched adds a resource to subscribe to, and a tool that changes it.
func registerWatched(s *mcp.Server) {
	const uri = "test://watched-resource"
	var version atomic.Int64
	s.Resources.Add(&mcp.Resource{
		URI: uri, Name: "watched-resource", Description: "A text that update_watched_resource changes", MimeType: "text/plain",
		Read: func(context.Context) (any, error) {
			return mcp.TextContents{URI: uri, MimeType: "text/plain", Text: fmt.Sprintf("This is version %d.", version.Load()+1)}, nil
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name: "update_watched_resource", Description: "Changes the content of " + uri, InputSchema: noArguments,
		Call: func(context.Context, *mcp.Call) (*mcp.ToolResult, error) {
			version.Add(1)
			s.ResourceUpdated(uri)
			return mcp.Result(mcp.Text("updated " + uri)), nil
		},
	})
}

// prefixed proposes those of the values that begin with what was typed.
func prefixed(values ...string) func(string) []string {
	return func(prefix string) []string {
		var fit []string
		for _, v := range values {
			if strings.HasPrefix(v, prefix) {
				fit = append(fit, v)
			}
		}
		return fit
	}
}
