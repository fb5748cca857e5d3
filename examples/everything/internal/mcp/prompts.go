package mcp

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// Prompt is one prompt. Its exported fields are what prompts/list says.
type Prompt struct {
	Name        string           `json:"name"`
	Description string           `json:"description"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`

	// Get returns its messages. All required arguments are there.
	Get func(ctx context.Context, c *Call, args map[string]string) ([]Message, error) `json:"-"`
}

// PromptArgument is one argument of a prompt.
type PromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required,omitempty"`

	// Complete proposes values that begin with a prefix; it may be nil.
	Complete func(prefix string) []string `json:"-"`
}

// Message is a message of a prompt or for a model.
type Message struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}

// Prompts is the list of prompts, which may change while the server runs.
type Prompts struct {
	changed func()

	mu   sync.Mutex
	list []*Prompt
}

// Add adds a prompt.
func (p *Prompts) Add(prompt *Prompt) {
	p.mu.Lock()
	p.list = append(slices.Clone(p.list), prompt)
	p.mu.Unlock()
	p.changed()
}

// Remove removes a prompt and reports whether there was one.
func (p *Prompts) Remove(name string) bool {
	p.mu.Lock()
	before := len(p.list)
	p.list = slices.DeleteFunc(slices.Clone(p.list), func(prompt *Prompt) bool { return prompt.Name == name })
	removed := len(p.list) < before
	p.mu.Unlock()
	if removed {
		p.changed()
	}
	return removed
}

func (p *Prompts) all() []*Prompt {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list
}

func (p *Prompts) find(name string) *Prompt {
	for _, prompt := range p.all() {
		if prompt.Name == name {
			return prompt
		}
	}
	return nil
}

type promptList struct {
	Prompts []*Prompt `json:"prompts"`
}

func (s *Server) listPrompts(_ context.Context, _ *dispatch.Request, in page) (promptList, error) {
	return promptList{s.Prompts.all()}, in.check()
}

type promptCall struct {
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments"`
	inputs
}

type promptResult struct {
	Description string    `json:"description"`
	Messages    []Message `json:"messages"`
}

func (s *Server) getPrompt(ctx context.Context, r *dispatch.Request, in promptCall) (any, error) {
	prompt := s.Prompts.find(in.Name)
	if prompt == nil {
		return nil, invalidParams("unknown prompt %q", in.Name)
	}
	for _, a := range prompt.Arguments {
		if _, given := in.Arguments[a.Name]; a.Required && !given {
			return nil, invalidParams("prompt %s needs the argument %s", prompt.Name, a.Name)
		}
	}
	c, err := s.newCall(r, protocol.MethodPromptsGet+" "+prompt.Name, nil, in.inputs, false)
	if err != nil {
		return nil, err
	}
	messages, err := prompt.Get(ctx, c, in.Arguments)
	if more, ok := errors.AsType[*inputRequired](err); ok {
		return more, nil
	}
	if unable, ok := errors.AsType[*NotDeclaredError](err); ok {
		return nil, invalidParams("prompt %s: %v", prompt.Name, unable)
	}
	return promptResult{prompt.Description, messages}, err
}
