package streamhttp

import (
	"sync"

	"github.com/wirespool/wirespool/codec"
)

// DroppedTool is a tool that a tools/list result lost, and why.
type DroppedTool struct {
	Name   string
	Reason error
}

// FilterTools drops the tools with invalid x-mcp-header annotations from a
// tools/list result (XH-05). keep, if not nil, is called for each tool that
// stays. result is borrowed and not written to; it comes back as it is when
// nothing was dropped, else the rest is copied verbatim.
func FilterTools(result codec.Value, keep func(name string, headers []ParamHeader)) (codec.Value, []DroppedTool) {
	tools, err := codec.Find(result, "tools")
	if err != nil || tools.Kind() != codec.Array {
		return result, nil
	}
	var dropped []DroppedTool
	var kept []codec.Value
	for tool := range tools.Elements() {
		name, headers, err := readTool(tool)
		if err != nil {
			dropped = append(dropped, DroppedTool{name, err})
			continue
		}
		kept = append(kept, tool)
		if keep != nil {
			keep(name, headers)
		}
	}
	if len(dropped) == 0 {
		return result, nil
	}
	dst := append(make(codec.Value, 0, len(result)), '{')
	for key, value := range result.Members() {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, key...), ':')
		if text, _ := key.Text(); string(text) != "tools" {
			dst = append(dst, value...)
			continue
		}
		dst = append(dst, '[')
		for i, tool := range kept {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, tool...)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}'), dropped
}

// readTool reads what a tool's definition says about headers. A tool whose name
// could be read two ways is as unusable as one with bad annotations.
func readTool(tool codec.Value) (name string, headers []ParamHeader, err error) {
	value, err := codec.Find(tool, "name")
	if err != nil {
		return "", nil, err
	}
	text, _ := value.Text()
	schema, err := codec.Find(tool, "inputSchema")
	if err == nil {
		headers, err = ParamHeaders(schema)
	}
	return string(text), headers, err
}

// toolTable remembers the annotations of the tools that the server listed.
type toolTable struct {
	mu    sync.Mutex
	tools map[string][]ParamHeader // only those that have any
}

// set remembers a tool, unless there are max already.
func (t *toolTable) set(name string, headers []ParamHeader, max int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(headers) == 0 {
		delete(t.tools, name)
		return
	}
	if t.tools == nil {
		t.tools = map[string][]ParamHeader{}
	}
	if _, known := t.tools[name]; known || len(t.tools) < max {
		t.tools[name] = headers
	}
}

func (t *toolTable) headers(name []byte) []ParamHeader {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tools[string(name)]
}
