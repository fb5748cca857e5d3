package streamhttp

import (
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// takeBody takes an answer that is one JSON text.
func (p *post) takeBody(resp *http.Response) error {
	body, err := p.c.readBody(resp)
	if err != nil {
		body.Put()
		return fmt.Errorf("HTTP POST: answer: %w: %w", err, transport.ErrOutcomeUnknown)
	}
	in := p.decoded(body)
	kept := p.settle(in)
	if len(p.open) > 0 { // body is not ours any more once it is passed on
		err = fmt.Errorf("HTTP POST: the body, %q, does not answer the request: %w", string(body.B[:min(len(body.B), 200)]), transport.ErrOutcomeUnknown)
	}
	if kept {
		p.sink(in)
	} else {
		putInbound(in)
	}
	return err
}

// readBody reads a whole body within the limit, to its very end, so that the
// connection is free when the answer is known. What it returns is the caller's in
// any case.
func (c *conn) readBody(resp *http.Response) (buf.Buffer, error) {
	defer resp.Body.Close()
	limit := c.opts.Limits.MaxMessage
	if resp.ContentLength > int64(limit) {
		return buf.Buffer{}, fmt.Errorf("body of %d bytes is larger than MaxMessage = %d", resp.ContentLength, limit)
	}
	b := buf.Get(buf.Body)
	b.B = slices.Grow(b.B, int(max(resp.ContentLength, 0))+1) // so that the end is seen without growing
	for {
		n, err := resp.Body.Read(b.B[len(b.B):cap(b.B)])
		b.B = b.B[:len(b.B)+n]
		switch {
		case len(b.B) > limit:
			return b, fmt.Errorf("body is larger than MaxMessage = %d", limit)
		case err == io.EOF:
			return b, nil
		case err != nil:
			return b, err
		}
		b.B = slices.Grow(b.B, 1)
	}
}

// take decodes a message that came back for p, and returns what of it is for
// Read, if anything is. text is copied.
func (p *post) take(text []byte) *transport.Inbound {
	b := buf.Get(buf.Body)
	b.B = append(b.B, text...)
	in := p.decoded(b)
	if p.settle(in) {
		return in
	}
	putInbound(in)
	return nil
}

// decoded returns what text, which is transferred, says.
func (p *post) decoded(text buf.Buffer) *transport.Inbound {
	in := inbounds.Get().(*transport.Inbound)
	in.Via = p.c
	in.SetBody(text)
	in.Err = p.c.d.decode(text.B, &in.Message)
	return in
}

// settle strikes what in answers off the list, and notes what the connection
// has to know of it; false drops it.
func (p *post) settle(in *transport.Inbound) bool {
	log := p.c.opts.Logger
	switch in.Kind {
	case codec.Response:
		if p.close(in.ID) {
			p.learn(in)
		}
	case codec.ErrorResponse:
		switch {
		case p.close(in.ID):
		case in.ID == nil && len(p.open) == 1: // who else could be meant
			in.Err, in.Failed, in.Kind = in.WireError(), true, codec.Invalid
			in.ID, p.open = slices.Clone(p.open[0]), nil
		}
		if p.method == protocol.MethodInitialize {
			p.c.d.remember(protocol.EraUnknown)
		}
	case codec.Batch:
		for i := range in.Len() {
			var el codec.Message
			if in.Element(i, &el) == nil && (el.Kind == codec.Response || el.Kind == codec.ErrorResponse) {
				p.close(el.ID)
			}
		}
	case codec.Request:
		if p.modern { // SC26-13
			log.Warn("request of a server on a stream of 2026-07-28 dropped", "method", string(in.Method))
			return false
		}
	case codec.Invalid:
		// Some servers prime a stream with an event that is no message. A broken
		// answer is for whoever waits for it.
		if in.ID == nil || !p.close(in.ID) {
			log.Warn("what is no message dropped", "error", in.Err)
			return false
		}
	}
	return true
}

// close strikes a request off the list of those without an answer.
func (p *post) close(id codec.ID) bool {
	i := slices.IndexFunc(p.open, id.Equal)
	if i < 0 {
		return false
	}
	p.open = slices.Delete(p.open, i, i+1)
	return true
}

// learn takes from a result what later requests depend on, before anybody else
// sees it.
func (p *post) learn(in *transport.Inbound) {
	switch p.method {
	case protocol.MethodInitialize:
		text, _ := in.Fact(codec.FactProtocolVersion).Text()
		revision, _ := protocol.LookupRevision(text)
		p.c.opened(p, revision)
	case protocol.MethodServerDiscover:
		if p.modern && in.Fact(codec.FactSupportedVersions) != nil {
			p.c.discovered(p.revision)
		}
	case protocol.MethodToolsList:
		if p.modern {
			p.c.listed(&in.Message)
		}
	}
}

// opened notes the session that initialize has opened (SS-01).
func (c *conn) opened(p *post, revision protocol.Revision) {
	if revision.Era() != protocol.Legacy {
		return // whoever waits for the answer refuses it (VN-05)
	}
	s := clientSession{id: p.offeredID, revision: revision, opening: p.text.b, post: c.postHeader(nil)}
	s.put(s.post)
	c.mu.Lock()
	s.gen = c.session.gen + 1
	c.session = s
	c.modern = ""
	c.mu.Unlock()
	c.d.remember(protocol.Legacy)
}

// discovered notes that the server speaks 2026-07-28 or later.
func (c *conn) discovered(revision protocol.Revision) {
	c.mu.Lock()
	c.modern = revision
	c.mu.Unlock()
	c.d.remember(protocol.Modern)
}

// listed remembers the annotations of the tools in a result, and drops those
// tools that are not to be used (XH-05).
func (c *conn) listed(m *codec.Message) {
	filtered, dropped := FilterTools(m.Result, func(name string, headers []ParamHeader) {
		c.tools.set(name, headers, c.opts.Limits.MaxTools)
	})
	for _, t := range dropped {
		c.opts.Logger.Warn("tool with invalid header annotations", "tool", t.Name, "error", t.Reason)
	}
	if !c.opts.KeepInvalidTools {
		m.Result = filtered
	}
}

// sessionID reads the session off the answer to initialize; what is not visible
// ASCII is none (SS-02).
func sessionID(h http.Header) string {
	id := h.Get(protocol.HeaderSessionID)
	for i := range len(id) {
		if id[i] < 0x21 || id[i] > 0x7E {
			return ""
		}
	}
	return id
}
