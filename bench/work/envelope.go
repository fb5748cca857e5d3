package work

import (
	"encoding/json"

	"github.com/wirespool/wirespool/codec"
)

// Head is what a message turns out to be.
type Head struct {
	Kind       codec.Kind
	ID, Method string // the id as JSON
}

// String is what entries that read a message find.
func (h Head) String() string { return h.Kind.String() + " " + h.ID + " " + h.Method }

// routing is what decides where a message goes.
type routing struct {
	kind       codec.Kind
	id, method []byte

	// Only wirespool reads these, for free beside the others.
	tool, progressToken codec.Value
}

// route reads from a decoded message what a router needs.
func (r *routing) route(m *codec.Message) {
	token := codec.FactMetaProgressToken
	if m.Kind == codec.Notification {
		token = codec.FactProgressToken
	}
	r.kind, r.id, r.method = m.Kind, m.ID, m.Method
	r.tool, r.progressToken = m.Fact(codec.FactName), m.Fact(token)
}

func (r *routing) head() Head { return Head{r.kind, string(r.id), string(r.method)} }

// envelope is what a user of a JSON library decodes a message into to find out
// what it is. Payloads and the id stay raw; version and method are strings,
// which costs sonic and encoding/json less than raw fields do.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// kind classifies by which members there are.
func (e *envelope) kind() codec.Kind {
	switch {
	case e.JSONRPC != "2.0":
		return codec.Invalid
	case e.Method != "" && e.ID != nil:
		return codec.Request
	case e.Method != "":
		return codec.Notification
	case e.Result != nil && e.ID != nil:
		return codec.Response
	case e.Error != nil:
		return codec.ErrorResponse
	}
	return codec.Invalid
}

func (e *envelope) head() Head { return Head{e.kind(), string(e.ID), e.Method} }
