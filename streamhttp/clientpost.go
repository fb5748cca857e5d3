package streamhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// post is one message of ours on its way to the server, with what comes back
// for it.
type post struct {
	c        *conn
	text     text
	msg      *codec.Message // of text; nil when it was sent
	method   string
	modern   bool              // it carries its own version
	revision protocol.Revision // if modern: that version
	extra    http.Header       // of transport.WithHeader

	ids    []codec.ID               // the requests in it; more than one in a batch
	open   []codec.ID               // those without an answer
	single [2]codec.ID              // memory of ids and open for one request
	sink   func(*transport.Inbound) // where the answers go
	ctx    context.Context
	cancel context.CancelCauseFunc

	session   clientSession // it was last sent in
	offeredID string        // the session that the answer to initialize came with
	repeated  bool          // it was sent a second time
	given     atomic.Bool   // it was given up: nobody waits for its answer
}

// newPost encodes a message, and reads off it what the header has to say.
func (c *conn) newPost(m *codec.Message) (*post, error) {
	p := &post{c: c, sink: c.deliver}
	if err := p.text.encode(m, c.opts.Transport == nil); err != nil { // another may close no bodies
		return nil, err
	}
	return p, p.read()
}

// postOf makes a post of an encoded message, which is kept.
func (c *conn) postOf(encoded []byte) (*post, error) {
	p := &post{c: c, sink: c.deliver}
	p.text.b = encoded
	return p, p.read()
}

// read reads off the text of p what there is to know of it.
func (p *post) read() error {
	c := p.c
	p.msg = messages.Get().(*codec.Message)
	if err := c.d.decode(p.text.b, p.msg); err != nil {
		return fmt.Errorf("streamhttp: the message is not fit to be sent: %w", err)
	}
	if info, known := protocol.LookupMethod(p.msg.Method); known {
		p.method = info.Name
	} else {
		p.method = string(p.msg.Method)
	}
	switch p.msg.Kind {
	case codec.Request:
		p.single = [2]codec.ID{p.msg.ID, p.msg.ID}
		p.ids, p.open = p.single[:1:1], p.single[1:]
	case codec.Batch:
		for i := range p.msg.Len() {
			var el codec.Message
			if p.msg.Element(i, &el) == nil && el.Kind == codec.Request {
				p.ids = append(p.ids, el.ID)
			}
		}
		p.open = slices.Clone(p.ids)
	}
	if version := p.msg.Fact(codec.FactMetaProtocolVersion); version != nil {
		text, _ := version.Text()
		p.revision = protocol.Revision(text)
		known, _ := protocol.LookupRevision(text)
		p.modern = known.Era() != protocol.Legacy
	} else if p.msg.Kind == codec.Notification {
		c.mu.Lock()
		p.revision = c.modern
		c.mu.Unlock()
		p.modern = p.revision != ""
	}
	p.ctx, p.cancel = context.WithCancelCause(c.ctx)
	return nil
}

// enter makes the post one that Cancel finds, and that Close waits for until serve
// returns; false when the connection is closing.
func (p *post) enter() bool {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	if p.c.leaving {
		return false
	}
	for _, id := range p.ids {
		p.c.posts[id.Key()] = p
	}
	p.c.running.Add(1)
	return true
}

// serve is run for a post that was entered.
func (p *post) serve() {
	defer p.c.running.Done()
	p.run()
	p.sent()
}

// sent gives back the memory of the message. Nobody finds p any more, and of what
// came back nothing is in that memory.
func (p *post) sent() {
	putMessage(p.msg)
	p.msg, p.ids, p.open = nil, nil, nil
	p.text.release()
}

// leave undoes enter.
func (p *post) leave() {
	p.cancel(nil)
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	for _, id := range p.ids {
		if key := id.Key(); p.c.posts[key] == p {
			delete(p.c.posts, key)
		}
	}
}

// run sends a post that wants answers and sees to it that each request gets one,
// from the server or as a failure.
func (p *post) run() {
	defer p.leave()
	for {
		again, err := p.attempt()
		if again {
			p.repeated = true
			continue
		}
		if err == nil && len(p.open) > 0 {
			err = fmt.Errorf("%w: %w", ErrStreamEnded, transport.ErrOutcomeUnknown)
		}
		p.fail(err)
		return
	}
}

// attempt sends the post once, and takes what comes back until it is complete.
// again says that the post is to be sent anew.
func (p *post) attempt() (again bool, err error) {
	if p.session, err = p.c.settled(p.ctx); err != nil {
		return false, err
	}
	h, err := p.postHeader(p.session)
	if err != nil {
		return false, err
	}
	resp, err := p.c.do(p.ctx, http.MethodPost, h, &p.text)
	if err != nil {
		return false, httpx.SendError(err)
	}
	if resp.StatusCode/100 != 2 {
		return p.refused(p.c.refusal(http.MethodPost, resp))
	}
	if p.method == protocol.MethodInitialize {
		p.offeredID = sessionID(resp.Header)
	}
	switch httpx.MediaType(resp.Header) {
	case protocol.MediaTypeJSON:
		return p.again(p.takeBody(resp))
	case protocol.MediaTypeEventStream:
		return p.again(p.takeStream(resp))
	}
	httpx.Discard(resp)
	return false, fmt.Errorf("HTTP POST: status %d %s with Content-Type %q answers no request: %w",
		resp.StatusCode, http.StatusText(resp.StatusCode), resp.Header.Get(protocol.HeaderContentType), transport.ErrOutcomeUnknown)
}

// refused decides what a status that is no success means.
func (p *post) refused(e *StatusError) (again bool, err error) {
	ours := e.RPC != nil && slices.ContainsFunc(p.open, e.ID.Equal)
	switch {
	case p.sessionGone(e, ours):
		return p.lost(e)
	case p.staleTools(e) && !p.repeated:
		if p.c.refreshTools(p) == nil { // SC26-10
			return true, nil
		}
		if p.ctx.Err() != nil { // nobody waits for it
			return false, e
		}
	case p.maybeSSE(e):
		if ok, err := p.fallBack(e); ok || err != nil {
			return false, err
		}
	}
	if ours { // the status adds nothing to it (SC26-08)
		if in := p.take(e.Message); in != nil {
			p.sink(in)
		}
		return false, nil
	}
	return false, e
}

// sessionGone reports whether the server has forgotten our session: it says so
// by 404 (SS-07), or in the words of servers that know no better. An error that
// names our request is its answer (SC26-08), unless its code is one that servers
// have for sessions.
func (p *post) sessionGone(e *StatusError, ours bool) bool {
	if p.modern || p.session.id == "" {
		return false
	}
	answered := ours && e.RPC.Code != codeNoSession && e.RPC.Code != codeSessionNotFound
	switch e.Status {
	case http.StatusNotFound: // our requests are valid: what is not is where they went
		return !answered || e.RPC.Code == protocol.CodeInvalidRequest
	case http.StatusBadRequest, http.StatusGone, http.StatusServiceUnavailable:
		said := e.Body
		if e.RPC != nil {
			said = e.RPC.Message
		}
		return !answered && !p.repeated && strings.Contains(strings.ToLower(said), "session")
	}
	return false
}

// What servers in the field say when they do not know a session; no revision names
// either (N2).
const (
	codeNoSession       = -32000
	codeSessionNotFound = -32001
)

// lost replaces the session that p was sent in, and decides whether p is sent
// once more.
func (p *post) lost(cause error) (again bool, err error) {
	if err := p.c.renew(p.ctx, p.session.gen); err != nil {
		return false, fmt.Errorf("%w, and could not be replaced: %w: %w", ErrSessionLost, err, transport.ErrOutcomeUnknown)
	}
	if !p.repeated && p.msg.Kind == codec.Request && p.c.opts.RetryLost(p.method, p.msg.Params) {
		return true, nil
	}
	return false, fmt.Errorf("%w: %w: %w", ErrSessionLost, cause, transport.ErrOutcomeUnknown)
}

// sessionLostError is returned by a stream whose resumption found no session.
type sessionLostError struct{ error }

// again turns the loss of the session during an answer into a decision.
func (p *post) again(err error) (bool, error) {
	if gone, ok := errors.AsType[sessionLostError](err); ok {
		return p.lost(gone.error)
	}
	return false, err
}

// tell sends a post that wants no answer, and returns when the server has
// accepted it. Any success will do, and its body is of no interest.
func (p *post) tell() error {
	defer p.cancel(nil)
	defer p.sent()
	for {
		var err error
		if p.session, err = p.c.settled(p.ctx); err != nil {
			return err
		}
		h, err := p.postHeader(p.session)
		if err != nil {
			return err
		}
		e, err := p.hand(h)
		if err != nil {
			return err
		}
		if e == nil {
			if p.method == protocol.NotificationInitialized {
				p.c.listen(p.session)
			}
			return nil
		}
		if !p.sessionGone(e, false) {
			return e
		}
		if err := p.c.renew(p.ctx, p.session.gen); err != nil {
			return fmt.Errorf("%w, and could not be replaced: %w", ErrSessionLost, err)
		}
		// What belonged to the old session means nothing to the new one.
		if p.repeated || p.msg.Kind != codec.Notification || p.method == protocol.NotificationCancelled {
			return fmt.Errorf("%w: %w", ErrSessionLost, e)
		}
		p.repeated = true
	}
}

// hand sends a post that wants no answer once; refused is nil when the server has
// taken it.
func (p *post) hand(h http.Header) (refused *StatusError, err error) {
	limit := p.c.opts.Limits.PostTimeout
	ctx, cancel := context.WithTimeoutCause(p.ctx, limit, fmt.Errorf("no answer within PostTimeout = %s", limit))
	defer cancel()
	resp, err := p.c.do(ctx, http.MethodPost, h, &p.text)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		return p.c.refusal(http.MethodPost, resp), nil
	}
	httpx.Discard(resp)
	return nil, nil
}

// fail fails the requests that have no answer, unless nobody waits for them.
func (p *post) fail(err error) {
	if p.given.Load() || len(p.open) == 0 {
		return
	}
	cause := context.Cause(p.ctx)
	if cause != nil {
		err = cause
	}
	for _, id := range p.open {
		in := inbounds.Get().(*transport.Inbound)
		in.Failed, in.Via, in.ID, in.Err = true, p.c, slices.Clone(id), err
		p.sink(in)
	}
	p.open = nil
	if p.method == protocol.MethodInitialize && cause == nil { // our own end says nothing about the server
		p.c.d.remember(protocol.EraUnknown)
	}
}
