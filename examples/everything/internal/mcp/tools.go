package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/typed"
)

// Tool is one tool. Its exported fields are what tools/list says.
type Tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`

	// Call runs the tool. A *codec.Error is sent as it is; any other error is
	// the tool's own failure, which the model is told as a result.
	Call func(ctx context.Context, c *Call) (*ToolResult, error) `json:"-"`
	// Prepare, if set, asks what Call needs before the tool becomes a task.
	Prepare func(ctx context.Context, c *Call) error `json:"-"`
	// Task says whether the tool runs as a task where the client knows tasks.
	Task TaskSupport `json:"-"`
	// Sealed makes answers count only with the state that went with the
	// questions.
	Sealed bool `json:"-"`

	mirrored []streamhttp.ParamHeader // what InputSchema says about headers
}

// ToolResult is what a tool returns.
type ToolResult struct {
	Content           []Content `json:"content"`
	StructuredContent any       `json:"structuredContent,omitempty"`
	IsError           bool      `json:"isError,omitempty"`
}

// Result returns a result of these blocks.
func Result(content ...Content) *ToolResult { return &ToolResult{Content: content} }

// Tools is the list of tools, which may change while the server runs.
type Tools struct {
	changed func()

	mu   sync.Mutex
	list []*Tool // never changed once published: a new one takes its place
}

// Add adds a tool, or replaces the one with that name where it stands. It panics
// on a schema whose x-mcp-header annotations are invalid (XH-05).
func (t *Tools) Add(tool *Tool) {
	var err error
	if tool.mirrored, err = streamhttp.ParamHeaders(codec.Value(tool.InputSchema)); err != nil {
		panic("tool " + tool.Name + ": " + err.Error())
	}
	t.mu.Lock()
	list := slices.Clone(t.list)
	if i := slices.IndexFunc(list, func(old *Tool) bool { return old.Name == tool.Name }); i >= 0 {
		list[i] = tool
	} else {
		list = append(list, tool)
	}
	t.list = list
	t.mu.Unlock()
	t.changed()
}

// Remove removes a tool and reports whether there was one.
func (t *Tools) Remove(name string) bool {
	t.mu.Lock()
	before := len(t.list)
	t.list = slices.DeleteFunc(slices.Clone(t.list), func(tool *Tool) bool { return tool.Name == name })
	removed := len(t.list) < before
	t.mu.Unlock()
	if removed {
		t.changed()
	}
	return removed
}

func (t *Tools) all() []*Tool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list
}

func (t *Tools) find(name string) *Tool {
	for _, tool := range t.all() {
		if tool.Name == name {
			return tool
		}
	}
	return nil
}

// Params returns which arguments of a tool are mirrored in headers.
func (t *Tools) Params(name string) []streamhttp.ParamHeader {
	if tool := t.find(name); tool != nil {
		return tool.mirrored
	}
	return nil
}

// page are the params of a list. This server's lists have one page, so no
// cursor is one of its own (PG-02).
type page struct {
	Cursor *string `json:"cursor"`
}

func (p page) check() error {
	if p.Cursor != nil {
		return invalidParams("unknown cursor")
	}
	return nil
}

type toolList struct {
	Tools []*Tool `json:"tools"`
}

func (s *Server) listTools(_ context.Context, _ *dispatch.Request, in page) (toolList, error) {
	return toolList{s.Tools.all()}, in.check()
}

type toolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	inputs
}

func (s *Server) callTool(ctx context.Context, r *dispatch.Request, in toolCall) (any, error) {
	tool := s.Tools.find(in.Name)
	if tool == nil {
		return nil, invalidParams("unknown tool %q", in.Name)
	}
	c, err := s.newCall(r, protocol.MethodToolsCall+" "+tool.Name, in.Arguments, in.inputs, tool.Sealed)
	if err != nil {
		return nil, err
	}
	asTask, err := tool.runsAsTask(c)
	if err != nil {
		return nil, err
	}
	if tool.Prepare != nil {
		if err := tool.Prepare(ctx, c); err != nil {
			return settle(nil, err)
		}
	}
	if asTask {
		return s.tasks.start(tool, c)
	}
	return settle(tool.Call(ctx, c))
}

// settle makes the result of a call out of what a tool returned. Failures of
// the tool are results, so that the model can read them and try otherwise, and
// so are arguments that it does not take.
func settle(result *ToolResult, err error) (any, error) {
	if err == nil {
		return result, nil
	}
	if more, ok := errors.AsType[*inputRequired](err); ok {
		return more, nil
	}
	_, ofArguments := errors.AsType[*typed.Error](err)
	if wire, ok := errors.AsType[*codec.Error](err); ok && !wire.Remote && !ofArguments {
		return nil, wire
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return &ToolResult{Content: []Content{Text(err.Error())}, IsError: true}, nil
}
