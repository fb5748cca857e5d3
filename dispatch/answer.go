package dispatch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

var emptyObject = codec.Value("{}")

// answer sends the result of a request. A reader queues it behind other answers;
// everybody else sends it at once.
func (p *Peer) answer(w *worker, via transport.Exchange, id codec.ID, result codec.Value, oneLine bool) {
	w.out.Kind, w.out.ID, w.out.Result, w.out.OneLine = codec.Response, id, result, oneLine
	p.send(w, via)
	w.out.Result = nil
}

// answerError sends the error a request is answered with.
func (p *Peer) answerError(w *worker, via transport.Exchange, id codec.ID, e *codec.Error) {
	w.out.Kind, w.out.ID, w.out.OneLine = codec.ErrorResponse, id, true
	w.out.Error = codec.AppendError(nil, e)
	p.send(w, via)
	w.out.Error = nil
}

// refuse answers a message that is not handled with an error.
func (p *Peer) refuse(w *worker, in *transport.Inbound, id codec.ID, e *codec.Error) {
	if p.engine.opts.Observer != nil {
		p.reportRefused(in, e)
	}
	p.answerError(w, in.Via, id, e)
}

// send sends w.out, which answers a request.
func (p *Peer) send(w *worker, via transport.Exchange) {
	var err error
	size := len(w.out.Result) + len(w.out.Error) + len(w.out.Array)
	if w.reads && p.pusher != nil && size < flushAt {
		if queued, err := p.pusher.TryQueue(&w.out); queued || err != nil {
			p.corked.Add(int64(size + 1))
			p.said(w, err)
			return
		}
	}
	counted := w.reads && !w.placed
	if counted {
		p.writers.Add(1)
	}
	p.offer(w)
	p.beginWrite()
	if w.reads && p.cork != nil && size < flushAt {
		err = p.cork.Queue(&w.out)
		p.corked.Add(int64(size + 1))
	} else {
		err = via.Send(p.ctx, &w.out)
	}
	p.endWrite()
	if counted {
		p.wrote()
	}
	p.said(w, err)
}

// said ends send.
func (p *Peer) said(w *worker, err error) {
	w.out.ID = nil
	if err != nil {
		p.dead(err)
	}
}

// dead ends the connection if err says that it carries nothing more. The reader
// will find out too, but a Pipe or a half-closed socket may keep it waiting.
// Where messages are pushed err concerns one exchange, and the transport itself
// says when the connection is over.
func (p *Peer) dead(err error) {
	if !p.pushed && errors.Is(err, net.ErrClosed) {
		_ = p.shut(err) // the cause is known already
		return
	}
	p.engine.log.Warn("answer not sent", "error", err)
}

// unreadableID is the id of an error that answers no readable request: null
// before 2025-11-25 and while no revision is agreed on, absent since (CO-21).
func (p *Peer) unreadableID() codec.ID {
	if p.Revision().NullErrorID() {
		return codec.NullID
	}
	return nil
}

// clash is the answer to a request whose id is in flight. It goes without the
// id, which would complete the first request at the peer.
func clash(id codec.ID) *codec.Error {
	return &codec.Error{
		Code:    protocol.CodeInvalidRequest,
		Message: fmt.Sprintf("id %s is already in use by another request", id),
	}
}

// wireError is what a handler's outcome is answered with; nil when it is a
// result.
func (p *Peer) wireError(r *Request, result []byte, err error) *codec.Error {
	if err == nil {
		if err = checkResult(result, p.engine.opts.Profile != JSONRPC); err == nil {
			return nil
		}
	}
	if e, ok := errors.AsType[*codec.Error](err); ok && e != nil {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &codec.Error{Code: p.engine.timeoutCode, Message: "the handler ran out of time"}
	}
	if err != errPanic && r.ctx.Err() == nil { // a panic was reported with its stack, and an end is no failure
		p.engine.log.Error("handler failed", "method", r.route.pattern, "error", err)
	}
	return &codec.Error{Code: protocol.CodeInternalError, Message: protocol.MessageInternalError}
}

// complaints limits how often input that nobody can parse is answered.
type complaints struct {
	mu     sync.Mutex
	left   int
	filled time.Time
}

func (c *complaints) allow(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.filled.IsZero() {
		c.left, c.filled = complaintBurst, now
	}
	if more := int(now.Sub(c.filled) / complaintEvery); more > 0 {
		c.left = min(c.left+more, complaintBurst)
		c.filled = now
	}
	if c.left == 0 {
		return false
	}
	c.left--
	return true
}

// handleInvalid deals with input that was refused. A server says so to the
// peer, unless the input looks like an answer, or came without an id and in a
// flood; a client only reports it, since it may be a child's log line and an
// answer would start a storm. What looks like the answer to a call of ours
// fails that call.
func (p *Peer) handleInvalid(w *worker) {
	in := &w.in
	p.engine.log.Warn("input refused", "error", in.Err, "bytes", in.Bytes)
	if p.engine.opts.Observer != nil {
		p.reportRefused(in, nil)
	}
	if looksLikeAnswer(in) {
		p.failAnswered(in)
		return
	}
	if !p.serving || in.ID == nil && !p.complaints.allow(time.Now()) {
		return
	}
	e := &codec.Error{
		Code:    protocol.CodeInvalidRequest,
		Message: protocol.MessageInvalidRequest + ": " + strings.TrimPrefix(in.Err.Error(), "framing: "),
	}
	if bad, ok := errors.AsType[*codec.DecodeError](in.Err); ok {
		e = bad.Wire()
	}
	id := in.ID
	if id == nil || p.inFlight(callKey{in.Scope, id.Key()}) {
		id = p.unreadableID()
	}
	p.answerError(w, in.Via, id, e)
}

// looksLikeAnswer tells a broken answer from a broken call.
func looksLikeAnswer(in *transport.Inbound) bool {
	return in.Method == nil && (in.Result != nil || in.Error != nil)
}
