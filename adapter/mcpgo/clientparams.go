package mcpgo

import (
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/codec"
)

// text is pooled memory for the params of one request.
type text struct{ b []byte }

var texts = sync.Pool{New: func() any { return new(text) }}

// put gives the memory back, unless a large message has made it large.
func (t *text) put() {
	if cap(t.b) <= maxPooledText {
		t.b = t.b[:0]
		texts.Put(t)
	}
}

// params encodes the params of a request.
func (t *ClientTransport) params(value any) (*text, error) {
	p := texts.Get().(*text)
	var err error
	switch v := value.(type) {
	case nil:
	case mcp.CallToolParams:
		p.b, err = appendToolParams(p.b, &v)
	case *mcp.CallToolParams:
		p.b, err = appendToolParams(p.b, v)
	default:
		p.b, err = appendJSON(p.b, value)
	}
	if err != nil {
		return nil, fmt.Errorf("mcpgo: params: %w", err)
	}
	return p, nil
}

// appendToolParams appends the members that mcp.CallToolParams writes.
func appendToolParams(dst []byte, p *mcp.CallToolParams) ([]byte, error) {
	if p == nil || p.Task != nil || len(p.InputResponses) > 0 || p.RequestState != "" || len(p.RawArguments) > 0 {
		return appendJSON(dst, p)
	}
	dst = codec.AppendString(append(dst, `{"name":`...), p.Name)
	var err error
	if p.Arguments != nil {
		dst, err = appendJSON(append(dst, `,"arguments":`...), p.Arguments)
	}
	if err == nil && p.Meta != nil {
		dst, err = appendJSON(append(dst, `,"_meta":`...), p.Meta)
	}
	return append(dst, '}'), err
}
