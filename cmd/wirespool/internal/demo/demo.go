package demo

import (
	"context"
	"errors"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Everything shows a complete exchange over stdio with the example server, which d starts:
// one part for each way in which a version is negotiated. It returns the first
// step that did not go as it should.
func Everything(ctx context.Context, t *Trace, d transport.Dialer) error {
	return steps(
		part(ctx, t, d, protocol.V20250326, "the exchange of the handshake era, with a batch", (*session).exchange),
		part(ctx, t, d, protocol.V20251125, "a list that changes, and what goes wrong", func(s *session, ctx context.Context) error {
			return steps(
				func() error { return s.changing(ctx) },
				func() error { return s.failing(ctx) },
				func() error { return s.garbling(ctx) },
			)
		}),
		part(ctx, t, d, protocol.V20260728, noHandshake, (*session).hello),
	)
}

const noHandshake = "no handshake: every request says who asks and in which version"

// hello is one call.
func (s *session) hello(ctx context.Context) error {
	return s.expect(ctx, protocol.MethodToolsCall,
		`{"name":"echo","arguments":{"message":"Hello from MCP client!"}}`, "Echo: Hello from MCP client!")
}

// part runs f on a connection of its own that speaks one version.
func part(ctx context.Context, t *Trace, d transport.Dialer, v protocol.Revision, text string, f func(*session, context.Context) error) func() error {
	return func() error {
		t.Part(string(v), text)
		s, err := connect(ctx, t, d, roots, v)
		if err != nil {
			return fmt.Errorf("%s: %w", v, err)
		}
		err = f(s, ctx)
		return errors.Join(err, s.Close())
	}
}

// ErrSilent is in the tree of the error of a server that did not answer the
// handshake.
var ErrSilent = errors.New("did not answer initialize")

// Any shows the part of an exchange that every server can take part in: the
// lists it has, one tool that says it only reads, one resource, one prompt, and
// an unknown method.
func Any(ctx context.Context, t *Trace, d transport.Dialer) error {
	t.Part("any server", "what every server can show")
	// Nothing is declared: a server may ask for what is, just as the demo ends.
	s, err := connect(ctx, t, d, "")
	if errors.Is(err, dispatch.ErrTimeout) {
		return fmt.Errorf("%w within %s: is it an MCP server on stdio?", ErrSilent, dispatch.DefaultInitializeTimeout)
	}
	if err != nil {
		return err
	}
	return errors.Join(s.generic(ctx), s.Close())
}

func (s *session) generic(ctx context.Context) error {
	remote := s.Peer().Remote()
	if remote.Era == protocol.Legacy {
		if err := s.use(ctx, protocol.MethodPing, ""); err != nil {
			return err
		}
	}
	for _, offer := range []struct {
		capability, list, key, use string
	}{
		{"tools", protocol.MethodToolsList, "name", protocol.MethodToolsCall},
		{"resources", protocol.MethodResourcesList, "uri", protocol.MethodResourcesRead},
		{"prompts", protocol.MethodPromptsList, "name", protocol.MethodPromptsGet},
	} {
		if has, _ := codec.Find(remote.Capabilities, offer.capability); has == nil {
			continue
		}
		result, err := s.call(ctx, offer.list, "")
		if err != nil {
			return err
		}
		items, _ := codec.Find(result, offer.capability)
		if err := s.useFirst(ctx, items, offer.key, offer.use); err != nil {
			return err
		}
	}
	_, err := s.call(ctx, "demo/unknown", "")
	if !refused(err) {
		return fmt.Errorf("an unknown method was answered with %v", err)
	}
	s.trace.Note("an unknown method is refused: %v", err)
	return nil
}

// use calls a method. What the server answers is its own affair.
func (s *session) use(ctx context.Context, method, params string) error {
	_, err := s.call(ctx, method, params)
	if refused(err) {
		s.trace.Note("refused: %v", err)
		return nil
	}
	return err
}

// refused reports whether err is an answer of the server.
func refused(err error) bool {
	e, isAnswer := errors.AsType[*codec.Error](err)
	return isAnswer && e.Remote
}

// useFirst uses the first item of a list that needs no more than its name. Of
// tools only one that says it changes nothing: the server is somebody else's, and
// nobody was asked.
func (s *session) useFirst(ctx context.Context, items codec.Value, key, use string) error {
	tool := use == protocol.MethodToolsCall
	harmless := false
	for item := range items.Elements() {
		if tool && !readOnly(item) {
			continue
		}
		harmless = true
		if params, ok := paramsFor(item, key); ok {
			return s.use(ctx, use, params)
		}
	}
	switch {
	case tool && harmless:
		s.trace.Note("no tool is called: those that say readOnlyHint need arguments")
	case tool:
		s.trace.Note("no tool is called: none says readOnlyHint")
	}
	return nil
}

// readOnly reports whether a tool says that it changes nothing, and nothing else.
func readOnly(tool codec.Value) bool {
	reads, _ := codec.Find(tool, "annotations", "readOnlyHint")
	destroys, err := codec.Find(tool, "annotations", "destructiveHint") // an error where it is there twice
	return string(reads) == "true" && string(destroys) != "true" && err == nil
}

// paramsFor makes params of a list's item; false when it wants arguments.
func paramsFor(item codec.Value, key string) (string, bool) {
	required, _ := codec.Find(item, "inputSchema", "required")
	for range required.Elements() {
		return "", false
	}
	arguments, _ := codec.Find(item, "arguments")
	for argument := range arguments.Elements() {
		if required, _ := codec.Find(argument, "required"); string(required) == "true" {
			return "", false
		}
	}
	name, _ := codec.Find(item, key)
	if name.Kind() != codec.String {
		return "", false
	}
	return `{"` + key + `":` + string(name) + `}`, true
}
