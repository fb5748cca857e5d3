package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// ToolResult is what a tool returned.
type ToolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
}

// Text returns the text blocks of the result, one to a line.
func (r *ToolResult) Text() string {
	var lines []string
	for _, c := range r.Content {
		if c.Type == "text" {
			lines = append(lines, c.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// answer is the result of a call in 2026-07-28, which may be a question, or a
// task.
type answer struct {
	ToolResult
	task
	ResultType   string  `json:"resultType"`
	RequestState *string `json:"requestState"`
}

// toolCall are the params of tools/call. A retry repeats name and arguments and
// adds the answers (MR-04).
type toolCall struct {
	Name           string         `json:"name"`
	Arguments      any            `json:"arguments,omitempty"`
	InputResponses map[string]any `json:"inputResponses,omitempty"`
	RequestState   *string        `json:"requestState,omitempty"`
}

// maxRounds bounds how often a server may ask within one call (MR-10).
const maxRounds = 8

// Call calls a tool. Whatever the server asks meanwhile is answered by the
// host's Sample, Elicit and Roots.
func (h *Host) Call(ctx context.Context, tool string, arguments any, opts ...dispatch.CallOption) (*ToolResult, error) {
	params := toolCall{Name: tool, Arguments: arguments}
	for range maxRounds {
		got, err := typed.Call[answer](ctx, h.client, protocol.MethodToolsCall, params, opts...)
		if err != nil {
			return nil, err
		}
		switch got.ResultType {
		case "", protocol.ResultComplete: // CO-25
			return &got.ToolResult, nil
		case protocol.ResultInputRequired:
		case protocol.ResultTask:
			return h.await(ctx, got.task)
		default:
			return nil, fmt.Errorf("tool %s: result of unknown type %q", tool, got.ResultType)
		}
		params.RequestState, params.InputResponses = got.RequestState, map[string]any{}
		for key, request := range got.InputRequests {
			if params.InputResponses[key], err = h.answerEmbedded(ctx, codec.Value(request)); err != nil {
				return nil, fmt.Errorf("tool %s asks for %s: %w", tool, key, err)
			}
		}
	}
	return nil, fmt.Errorf("tool %s asked more than %d times", tool, maxRounds)
}

// answerEmbedded answers a request that came inside a result.
func (h *Host) answerEmbedded(ctx context.Context, request codec.Value) (any, error) {
	name, err := codec.Find(request, "method")
	if err != nil {
		return nil, err
	}
	method, _ := name.Text()
	params, err := codec.Find(request, "params")
	if err != nil {
		return nil, err
	}
	answer := h.answerers()[string(method)]
	if answer == nil {
		return nil, fmt.Errorf("cannot answer %q", method)
	}
	return answer(ctx, params)
}

// answerers returns what answers the server's questions, by method. The same
// functions serve requests of the legacy era and questions inside results.
func (h *Host) answerers() map[string]func(context.Context, codec.Value) (any, error) {
	all := map[string]func(context.Context, codec.Value) (any, error){}
	if h.opts.Sample != nil {
		all[protocol.MethodSamplingCreateMessage] = h.sample
	}
	if h.opts.Elicit != nil {
		all[protocol.MethodElicitationCreate] = h.elicit
	}
	if h.opts.Roots != nil {
		all[protocol.MethodRootsList] = h.listRoots
	}
	return all
}

func (h *Host) sample(ctx context.Context, params codec.Value) (any, error) {
	var in struct {
		Messages []struct {
			Content struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"messages"`
	}
	if err := typed.Decode(params, &in); err != nil {
		return nil, &codec.Error{Code: protocol.CodeInvalidParams, Message: err.Error()}
	}
	var prompt strings.Builder
	for _, m := range in.Messages {
		prompt.WriteString(m.Content.Text)
	}
	text, err := h.opts.Sample(ctx, prompt.String())
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"role": "assistant", "model": "example",
		"content": map[string]string{"type": "text", "text": text},
	}, nil
}

func (h *Host) elicit(ctx context.Context, params codec.Value) (any, error) {
	var in struct {
		Message string          `json:"message"`
		Form    json.RawMessage `json:"requestedSchema"`
	}
	if err := typed.Decode(params, &in); err != nil {
		return nil, &codec.Error{Code: protocol.CodeInvalidParams, Message: err.Error()}
	}
	content, err := h.opts.Elicit(ctx, in.Message, in.Form)
	switch {
	case errors.Is(err, context.Canceled):
		return map[string]any{"action": "cancel"}, nil
	case err != nil:
		return nil, err
	case content == nil:
		return map[string]any{"action": "decline"}, nil
	}
	for name, value := range defaults(in.Form) {
		if _, filled := content[name]; !filled {
			content[name] = value
		}
	}
	return map[string]any{"action": "accept", "content": content}, nil
}

// defaults returns what the fields of a form hold before a user changes them.
func defaults(form json.RawMessage) map[string]any {
	var schema struct {
		Properties map[string]struct {
			Default any `json:"default"`
		} `json:"properties"`
	}
	if typed.Decode(codec.Value(form), &schema) != nil {
		return nil // the user has filled in what there was to see
	}
	values := map[string]any{}
	for name, field := range schema.Properties {
		if field.Default != nil {
			values[name] = field.Default
		}
	}
	return values
}

func (h *Host) listRoots(context.Context, codec.Value) (any, error) {
	roots := make([]map[string]string, len(h.opts.Roots))
	for i, uri := range h.opts.Roots {
		roots[i] = map[string]string{"uri": uri}
	}
	return map[string]any{"roots": roots}, nil
}
