package mcpgo

import (
	"encoding/json"
	"reflect"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/streamhttp"
)

// paramTable remembers which arguments of which tool are mirrored in headers.
type paramTable struct {
	mcp   *server.MCPServer
	mu    sync.Mutex
	tools map[string]toolParams
}

// toolParams is what was read off the schema of a tool. The schema is kept to tell
// it from that of another tool of the same name, which cannot have its place in
// memory meanwhile.
type toolParams struct {
	properties map[string]any
	raw        json.RawMessage
	headers    []streamhttp.ParamHeader
}

// of reports whether p was read off the schema of t.
func (p *toolParams) of(t *mcp.Tool) bool {
	return same(p.properties, t.InputSchema.Properties) && same(p.raw, t.RawInputSchema)
}

// same reports whether two maps or slices are one.
func same[T any](a, b T) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return x.Pointer() == y.Pointer() && x.Len() == y.Len()
}

func newParamTable(s *server.MCPServer) *paramTable {
	return &paramTable{mcp: s, tools: make(map[string]toolParams)}
}

// headers implements [streamhttp.Options].Params. A tool whose annotations are
// invalid mirrors nothing.
func (t *paramTable) headers(name string) []streamhttp.ParamHeader {
	tool := t.mcp.GetTool(name)
	if tool == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	known, ok := t.tools[name]
	if !ok || !known.of(&tool.Tool) {
		known = toolParams{tool.Tool.InputSchema.Properties, tool.Tool.RawInputSchema, readParams(&tool.Tool)}
		t.tools[name] = known
	}
	return known.headers
}

func readParams(t *mcp.Tool) []streamhttp.ParamHeader {
	schema := []byte(t.RawInputSchema)
	if schema == nil {
		var err error
		if schema, err = json.Marshal(t.InputSchema); err != nil {
			return nil
		}
	}
	headers, err := streamhttp.ParamHeaders(schema)
	if err != nil {
		return nil
	}
	return headers
}
