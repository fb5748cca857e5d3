package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// Ask is a question to the client: to its user, its model or its roots.
type Ask struct {
	Key    string `json:"-"` // names the answer
	Method string `json:"method"`
	Params any    `json:"params"`
}

// Elicit asks the user to fill in a form. schema is a JSON schema.
func Elicit(key, message string, schema json.RawMessage) Ask {
	return Ask{key, protocol.MethodElicitationCreate, struct {
		Message         string          `json:"message"`
		RequestedSchema json.RawMessage `json:"requestedSchema"`
	}{message, schema}}
}

// Sample asks the model of the client.
func Sample(key, prompt string, maxTokens int) Ask {
	return Ask{key, protocol.MethodSamplingCreateMessage, struct {
		Messages  []Message `json:"messages"`
		MaxTokens int       `json:"maxTokens"`
	}{[]Message{{"user", Text(prompt)}}, maxTokens}}
}

// Roots asks for the folders that the client works in.
func Roots(key string) Ask { return Ask{key, protocol.MethodRootsList, empty{}} }

// capability is what a client must declare to be asked.
func (a Ask) capability() string {
	switch a.Method {
	case protocol.MethodElicitationCreate:
		return "elicitation"
	case protocol.MethodSamplingCreateMessage:
		return "sampling"
	}
	return "roots"
}

// answeredBy reports whether answer has the shape of an answer to a. What has
// not is asked for again.
func (a Ask) answeredBy(answer json.RawMessage) bool {
	member, kind := "roots", codec.Array
	switch a.Method {
	case protocol.MethodElicitationCreate:
		member, kind = "action", codec.String
	case protocol.MethodSamplingCreateMessage:
		member, kind = "role", codec.String
	}
	v, err := codec.Find(codec.Value(answer), member)
	return err == nil && v.Kind() == kind
}

// Answers are the answers by key.
type Answers map[string]json.RawMessage

// Elicited is the answer to an [Elicit].
type Elicited struct {
	Action  string          `json:"action"` // accept, decline or cancel
	Content json.RawMessage `json:"content"`
}

// Elicited returns the answer to the [Elicit] with this key, its content decoded
// into content if the user accepted and content is not nil.
func (a Answers) Elicited(key string, content any) (Elicited, error) {
	var e Elicited
	if err := typed.Decode(codec.Value(a[key]), &e); err != nil {
		return e, err
	}
	if e.Action != "accept" || content == nil || len(e.Content) == 0 {
		return e, nil
	}
	return e, typed.Decode(codec.Value(e.Content), content)
}

// Sampled returns the text of the answer to the [Sample] with this key.
func (a Answers) Sampled(key string) string {
	v, _ := codec.Find(codec.Value(a[key]), "content", "text")
	text, _ := v.Text()
	return string(text)
}

// Roots returns the URIs of the answer to the [Roots] with this key.
func (a Answers) Roots(key string) ([]string, error) {
	var answer struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	err := typed.Decode(codec.Value(a[key]), &answer)
	uris := make([]string, len(answer.Roots))
	for i, root := range answer.Roots {
		uris[i] = root.URI
	}
	return uris, err
}

// Ask puts questions to the client and returns all answers of this call so far.
//
// How they get there depends on the era. A legacy client is sent requests, and
// Ask waits. In 2026-07-28 a server sends none: the error that Ask returns must
// be returned, the client gets the questions as the result, and calls once more
// with the answers. The function then runs from its beginning, and Ask returns
// what it knows. A function that asks must therefore do nothing before that may
// not be done twice.
func (c *Call) Ask(ctx context.Context, asks ...Ask) (Answers, error) {
	for _, a := range asks {
		if _, known := c.answers[a.Key]; known {
			continue
		}
		if err := c.Require(a.capability()); err != nil {
			return nil, err
		}
	}
	return c.answers, c.asker.ask(ctx, c, asks)
}

// liveAsker asks while the request runs, in the legacy era.
type liveAsker struct{ r *dispatch.Request }

func (l liveAsker) ask(ctx context.Context, c *Call, asks []Ask) error {
	for _, a := range asks {
		answer, err := typed.Call[json.RawMessage](ctx, typed.CallFunc(l.r.Call), a.Method, a.Params)
		if err != nil {
			return fmt.Errorf("asking the client: %w", err)
		}
		if !a.answeredBy(answer) {
			return fmt.Errorf("the client's answer to %s makes no sense", a.Method)
		}
		c.answers[a.Key] = answer
	}
	return nil
}
