package mcp

import (
	"context"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

type completeCall struct {
	Ref struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"ref"`
	Argument struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"argument"`
}

type completion struct {
	Completion struct {
		Values  []string `json:"values"`
		Total   int      `json:"total"`
		HasMore bool     `json:"hasMore"`
	} `json:"completion"`
}

// maxCompletions is what the protocol allows in one answer.
const maxCompletions = 100

func (s *Server) complete(_ context.Context, _ *dispatch.Request, in completeCall) (completion, error) {
	var result completion
	propose, known := s.completer(in)
	if !known {
		return result, invalidParams("there is nothing to complete: unknown ref")
	}
	values := []string{} // an array in any case
	if propose != nil {
		values = append(values, propose(in.Argument.Value)...)
	}
	result.Completion.Total = len(values)
	result.Completion.HasMore = len(values) > maxCompletions
	result.Completion.Values = values[:min(len(values), maxCompletions)]
	return result, nil
}

// completer finds what proposes values, nil for an argument without proposals.
func (s *Server) completer(in completeCall) (propose func(string) []string, known bool) {
	switch in.Ref.Type {
	case "ref/prompt":
		prompt := s.Prompts.find(in.Ref.Name)
		if prompt == nil {
			return nil, false
		}
		for _, a := range prompt.Arguments {
			if a.Name == in.Argument.Name {
				return a.Complete, true
			}
		}
		return nil, true
	case "ref/resource":
		_, templates := s.Resources.all()
		for _, t := range templates {
			if t.URITemplate == in.Ref.URI {
				return t.Complete, true
			}
		}
	}
	return nil, false
}

type levelCall struct {
	Level string `json:"level"`
}

// setLevel answers logging/setLevel, which the engine obeys from then on.
func setLevel(_ context.Context, r *dispatch.Request, in levelCall) (empty, error) {
	level, ok := protocol.LookupLogLevel(in.Level)
	if !ok {
		return empty{}, invalidParams("%q is not a log level", in.Level)
	}
	r.Peer().SetLogLevel(level)
	return empty{}, nil
}
