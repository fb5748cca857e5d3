package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// What the official conformance suite says to a client under test. It puts the
// URL of its server last on the command line.
const (
	envScenario = "MCP_CONFORMANCE_SCENARIO"         // set by the suite alone
	envVersion  = "MCP_CONFORMANCE_PROTOCOL_VERSION" // what to speak
	envContext  = "MCP_CONFORMANCE_CONTEXT"          // JSON: what to call
)

// suite is one run under the conformance suite.
type suite struct {
	scenario string
	versions []protocol.Revision
	calls    []suggestedCall
}

type suggestedCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// underSuite returns nil unless the suite has started us.
func underSuite() (*suite, error) {
	s := &suite{scenario: os.Getenv(envScenario)}
	if s.scenario == "" {
		return nil, nil
	}
	if name := os.Getenv(envVersion); name != "" {
		version, ok := protocol.LookupRevision(name)
		if !ok {
			return nil, fmt.Errorf("%s: unknown revision %q", envVersion, name)
		}
		s.versions = []protocol.Revision{version}
	}
	if text := os.Getenv(envContext); text != "" {
		var context struct {
			ToolCalls []suggestedCall `json:"toolCalls"`
		}
		if err := typed.Decode(codec.Value(text), &context); err != nil {
			return nil, fmt.Errorf("%s: %w", envContext, err)
		}
		s.calls = context.ToolCalls
	}
	return s, nil
}

// run does what the scenario is about: the calls that the suite asks for, or one
// of everything that the server offers.
func (s *suite) run(ctx context.Context, h *host.Host, w io.Writer) error {
	tools, err := h.Tools(ctx)
	if err != nil {
		return err
	}
	calls := s.calls
	if calls == nil {
		calls = callsOf(tools)
	}
	for _, c := range calls {
		result, err := h.Call(ctx, c.Name, c.Arguments)
		switch {
		case refused(err):
			fmt.Fprintf(w, "%s: %v\n", c.Name, err)
			continue
		case err != nil:
			return fmt.Errorf("tool %s: %w", c.Name, err)
		}
		fmt.Fprintf(w, "%s: %s\n", c.Name, result.Text())
	}
	return errors.Join(
		s.skills(ctx, h, w),
		s.each(ctx, h, "resources", protocol.MethodResourcesList, protocol.MethodResourcesRead, "uri"),
		s.each(ctx, h, "prompts", protocol.MethodPromptsList, protocol.MethodPromptsGet, "name"))
}

// refused reports whether the server has answered with an error: what is sampled
// here need not suit it.
func refused(err error) bool {
	e, ok := errors.AsType[*codec.Error](err)
	return ok && e.Remote
}

// callsOf makes one call of each tool, with arguments that fit what its schema
// requires.
func callsOf(tools []host.Tool) []suggestedCall {
	var calls []suggestedCall
	for _, t := range tools {
		arguments := sample(t.InputSchema)
		if t.Name == schemaEcho {
			arguments = map[string]any{"schema": tools[0].InputSchema}
		}
		text, _ := typed.Append(nil, arguments) // cannot fail
		calls = append(calls, suggestedCall{t.Name, json.RawMessage(text)})
	}
	return calls
}

// schemaEcho is a tool of the suite that wants back the schema of the first one
// as we got it.
const schemaEcho = "json_schema_echo"

// sample returns a value for each property that an object schema requires.
func sample(schema json.RawMessage) map[string]any {
	var s struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	values := map[string]any{}
	if typed.Decode(codec.Value(schema), &s) != nil {
		return values // no such schema: the server will say so
	}
	for _, name := range s.Required {
		switch s.Properties[name].Type {
		case "number", "integer":
			values[name] = 1
		case "boolean":
			values[name] = true
		case "array":
			values[name] = []any{}
		case "object":
			values[name] = map[string]any{}
		default:
			values[name] = "value of " + name
		}
	}
	return values
}

// onlyList is the scenario that watches whether files of skills are fetched ahead
// of need.
const onlyList = "sep-2640-client-no-prefetch"

// skills loads the skills of a server that has any.
func (s *suite) skills(ctx context.Context, h *host.Host, w io.Writer) error {
	if v, err := codec.Find(h.Client().Peer().Remote().Capabilities, "extensions", host.ExtensionSkills); err != nil || v == nil {
		return nil
	}
	skills, err := h.Skills(ctx)
	if err != nil || s.scenario == onlyList {
		return err
	}
	for _, skill := range skills {
		_, err := h.LoadSkill(ctx, &skill)
		switch {
		case errors.Is(err, host.ErrUnverified):
			fmt.Fprintln(w, err)
		case err != nil:
			return err
		}
	}
	return nil
}

// each lists what a server that declares the capability offers, and gets each.
func (s *suite) each(ctx context.Context, h *host.Host, capability, list, get, by string) error {
	if v, err := codec.Find(h.Client().Peer().Remote().Capabilities, capability); err != nil || v == nil {
		return nil
	}
	all, err := h.Client().CallRaw(ctx, list, codec.Value("{}"))
	if err != nil {
		return err
	}
	defer all.Release()
	items, err := codec.Find(all.Value(), capability)
	if err != nil {
		return err
	}
	for item := range items.Elements() {
		key, err := codec.Find(item, by)
		if err != nil {
			return err
		}
		_, err = typed.Call[map[string]any](ctx, h.Client(), get, map[string]json.RawMessage{by: json.RawMessage(key)})
		if err != nil && !refused(err) {
			return fmt.Errorf("%s %s: %w", get, key, err)
		}
	}
	return nil
}
