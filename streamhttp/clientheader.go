package streamhttp

import (
	"fmt"
	"net/http"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// accepted is what a POST accepts, in one value (CL-02).
var accepted = []string{protocol.MediaTypeJSON + ", " + protocol.MediaTypeEventStream}

var (
	contentJSON = []string{protocol.MediaTypeJSON}
)

// postHeader returns the header of the POST that carries p in session s.
func (p *post) postHeader(s clientSession) (http.Header, error) {
	h := p.c.header(8 + len(p.extra))
	for name, values := range p.extra {
		switch name = http.CanonicalHeaderKey(name); name {
		case protocol.HeaderSessionID, protocol.HeaderProtocolVersion, protocol.HeaderLastEventID:
		default:
			h[name] = values
		}
	}
	h[protocol.HeaderAccept] = accepted
	h[protocol.HeaderContentType] = contentJSON
	if p.modern {
		return h, p.mirror(h)
	}
	s.put(h)
	return h, nil
}

// put puts into h what every request of the session carries (SS-04, CL-10).
func (s *clientSession) put(h http.Header) {
	if s.id != "" {
		h[protocol.HeaderSessionID] = []string{s.id}
	}
	if s.revision.NeedsVersionHeader() {
		h[protocol.HeaderProtocolVersion] = []string{string(s.revision)}
	}
}

// mirror puts into h what 2026-07-28 wants to see of the body (SC26-03,
// SC26-05, SC26-06).
func (p *post) mirror(h http.Header) error {
	m := &p.msg
	h[protocol.HeaderProtocolVersion] = []string{string(p.revision)}
	h[protocol.HeaderMethod] = []string{p.method}
	info, _ := protocol.LookupMethod(p.method)
	if info.NameParam != "" {
		if text, ok := m.Fact(nameFact(info.NameParam)).Text(); ok {
			h[protocol.HeaderName] = []string{protocol.EncodeHeaderValue(string(text))}
		}
	}
	if p.method != protocol.MethodToolsCall {
		return nil
	}
	name, _ := m.Fact(codec.FactName).Text()
	for _, param := range p.c.tools.headers(name) {
		field, ok, err := param.Value(m.Fact(codec.FactArguments))
		if err != nil {
			return fmt.Errorf("streamhttp: %s cannot be mirrored in %s: %w", p.method, param.Name, err)
		}
		if ok {
			h[param.Name] = []string{field}
		}
	}
	return nil
}

// nameFact returns the fact for the member of params that Mcp-Name mirrors.
func nameFact(param string) codec.Fact {
	switch param {
	case protocol.ParamURI:
		return codec.FactURI
	case protocol.ParamTaskID:
		return codec.FactTaskID
	}
	return codec.FactName
}
