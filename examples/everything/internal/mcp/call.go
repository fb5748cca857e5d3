package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
	"github.com/wirespool/wirespool/typed"
)

// Call is one request as a feature sees it, whatever the era, and also when it
// outlives its request as a task.
type Call struct {
	args         json.RawMessage
	capabilities codec.Value // of the client
	modern       bool
	asker        asker
	request      *dispatch.Request // nil in a task
	answers      Answers           // what was asked and answered so far
}

// asker puts questions to the client and returns the answers.
type asker interface {
	ask(ctx context.Context, c *Call, asks []Ask) error
}

// inputs are the members of params that carry answers in 2026-07-28.
type inputs struct {
	InputResponses json.RawMessage `json:"inputResponses"`
	RequestState   *string         `json:"requestState"`
}

// newCall makes a Call of a request. what names the feature; sealed says that
// answers count only together with the state that this server sent with the
// questions.
func (s *Server) newCall(r *dispatch.Request, what string, args json.RawMessage, in inputs, sealed bool) (*Call, error) {
	c := &Call{args: args, request: r, capabilities: r.ClientCapabilities(), modern: r.Revision().Era() == protocol.Modern, answers: Answers{}}
	if !c.modern {
		c.asker = liveAsker{r}
		return c, nil
	}
	rounds := &roundAsker{seal: s.seal, what: what, sealed: sealed}
	c.asker = rounds
	if in.RequestState != nil {
		answers, err := s.seal.open(*in.RequestState, what)
		if err != nil {
			return nil, err
		}
		c.answers = answers
	}
	switch codec.Value(in.InputResponses).Kind() {
	case codec.Absent:
		return c, nil
	case codec.Object:
	default:
		return nil, invalidParams("inputResponses must be an object")
	}
	if sealed && in.RequestState == nil {
		return c, nil // answers to questions that were not asked
	}
	return c, typed.Decode(codec.Value(in.InputResponses), &rounds.offered)
}

// Arguments decodes the arguments into v.
func (c *Call) Arguments(v any) error {
	if len(c.args) == 0 {
		return nil
	}
	return typed.Decode(codec.Value(c.args), v)
}

// Declared reports whether the client declared a capability, such as
// "sampling", or "extensions" and the name of one.
func (c *Call) Declared(path ...string) bool {
	v, err := codec.Find(c.capabilities, path...)
	return err == nil && v.Kind() == codec.Object
}

// Require returns an error that names the capability if the client did not
// declare it.
func (c *Call) Require(path ...string) error {
	if c.Declared(path...) {
		return nil
	}
	if !c.modern {
		return &NotDeclaredError{path[len(path)-1]}
	}
	return dispatch.MissingCapability(path...)
}

// NotDeclaredError says that a legacy client cannot be asked.
type NotDeclaredError struct{ Capability string }

func (e *NotDeclaredError) Error() string {
	return "the client did not declare the capability " + e.Capability
}

// Progress reports progress to a client that asked for it.
func (c *Call) Progress(ctx context.Context, progress, total float64, message string) error {
	if c.request == nil {
		return nil // a task is asked for its state instead
	}
	return c.request.Progress(ctx, progress, total, message)
}

// Log sends a log message to a client that wants that level.
func (c *Call) Log(ctx context.Context, level protocol.LogLevel, text string) error {
	if c.request == nil {
		return nil
	}
	return c.request.Log(ctx, level, "everything", codec.AppendString(nil, text))
}

// LetGo has a client that can come back do so after a while, instead of holding
// its connection meanwhile (SL-11). Where it cannot, nothing happens.
func (c *Call) LetGo(retry time.Duration) error {
	if c.request == nil {
		return nil
	}
	via, ok := c.request.Exchange().(transport.Poller)
	if !ok {
		return nil
	}
	if err := via.CloseStream(retry); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// SupportsStructuredContent reports whether the revision has it.
func (c *Call) SupportsStructuredContent() bool {
	return c.request == nil || c.request.Revision() >= protocol.V20250618
}
