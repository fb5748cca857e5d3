package streamhttp

import (
	"fmt"
	"net/http"

	"golang.org/x/net/http/httpguts"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// accepted is what a POST accepts, in one value (CL-02).
var accepted = []string{protocol.MediaTypeJSON + ", " + protocol.MediaTypeEventStream}

var (
	contentJSON = []string{protocol.MediaTypeJSON}
)

// postHeader returns the header of the POST that carries p in session s. Who
// performs the requests may be somebody else's, and careless: only our own
// transport gets one that is shared.
func (p *post) postHeader(s clientSession) (http.Header, error) {
	if !p.modern && s.post != nil && p.c.opts.Transport == nil && len(p.extra) == 0 {
		return s.post, nil
	}
	h := p.c.postHeader(p.extra)
	if p.modern {
		return h, p.mirror(h)
	}
	s.put(h)
	return h, nil
}

// postHeader is what every POST carries, on top of what this one brings with it.
func (c *conn) postHeader(extra http.Header) http.Header {
	h := c.header(8 + len(extra))
	for name, values := range extra {
		switch name = http.CanonicalHeaderKey(name); name {
		case protocol.HeaderSessionID, protocol.HeaderProtocolVersion, protocol.HeaderLastEventID:
		default:
			h[name] = values
		}
	}
	h[protocol.HeaderAccept] = accepted
	h[protocol.HeaderContentType] = contentJSON
	return h
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
	m := p.msg
	if !httpguts.ValidHeaderFieldValue(p.method) {
		return fmt.Errorf("streamhttp: the method %q cannot be mirrored in a header", p.method)
	}
	values := [...]string{string(p.revision), p.method, ""}
	h[protocol.HeaderProtocolVersion], h[protocol.HeaderMethod] = values[0:1:1], values[1:2:2]
	info, _ := protocol.LookupMethod(p.method)
	if info.NameParam != "" {
		if text, ok := m.Fact(nameFact(info.NameParam)).Text(); ok {
			values[2] = protocol.EncodeHeaderValue(string(text))
			h[protocol.HeaderName] = values[2:]
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
