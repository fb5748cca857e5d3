package dispatch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// NotNegotiatedError says that the engine was asked to send what the handshake
// rules out (LG-09). Nothing was sent.
type NotNegotiatedError struct {
	Method string
	Reason string
}

// Error names the method and what is missing.
func (e *NotNegotiatedError) Error() string {
	return fmt.Sprintf("dispatch: %s not sent: %s", e.Method, e.Reason)
}

// mayCall refuses a request of a server that its client did not declare to
// understand.
func (p *Peer) mayCall(method string) error {
	if !p.serving || p.engine.opts.Profile == JSONRPC {
		return nil
	}
	if !p.open() && method != protocol.MethodPing { // LG-05
		return &NotNegotiatedError{method, "the handshake is not complete"}
	}
	remote := p.Remote()
	info, known := protocol.LookupMethod(method)
	if known && remote.Era == protocol.Legacy && info.Use(remote.Revision)&protocol.SentByServer == 0 {
		return &NotNegotiatedError{method, "a server does not send it in " + string(remote.Revision)}
	}
	capabilities := remote.Capabilities
	var needs string
	switch method {
	case protocol.MethodSamplingCreateMessage:
		needs = "sampling"
	case protocol.MethodRootsList:
		needs = "roots"
	case protocol.MethodElicitationCreate:
		needs = "elicitation"
	default:
		return nil
	}
	if !has(capabilities, needs) {
		return &NotNegotiatedError{method, "the client did not declare " + needs}
	}
	return nil
}

// mayNotify refuses a notification that our own capabilities do not announce.
func (p *Peer) mayNotify(method string) error {
	if p.engine.opts.Profile == JSONRPC {
		return nil
	}
	own := p.engine.opts.Info.Capabilities
	switch method {
	case protocol.NotificationToolsListChanged, protocol.NotificationPromptsListChanged,
		protocol.NotificationResourcesListChanged, protocol.NotificationRootsListChanged:
		object, _ := strings.CutSuffix(strings.TrimPrefix(method, "notifications/"), "/list_changed")
		announced, _ := codec.Find(own, object, "listChanged")
		if yes, _ := announced.Bool(); !yes {
			return &NotNegotiatedError{method, object + ".listChanged was not announced"}
		}
	case protocol.NotificationMessage:
		if p.serving && !has(own, "logging") { // LO-01
			return &NotNegotiatedError{method, "logging was not announced"}
		}
	}
	return nil
}

// wantsLog reports whether the sender of r wants to see messages of this level:
// in 2026-07-28 it says so in the request, and sees none when it does not
// (SH26-23); before, logging/setLevel decides, and everything is sent until
// then.
func (r *Request) wantsLog(level protocol.LogLevel) bool {
	if r.revision.Era() == protocol.Modern {
		text, _ := r.Fact(codec.FactMetaLogLevel).Text()
		least, ok := protocol.LookupLogLevel(text)
		return ok && level >= least
	}
	return level >= protocol.LogLevel(r.peer.logLevel.Load())
}

// SetLogLevel sets the lowest level of log messages that [Request.Log] and
// [Peer.Log] send on this connection. A logging/setLevel handler calls it. Where
// many clients share the connection it does nothing.
func (p *Peer) SetLogLevel(level protocol.LogLevel) {
	if !p.shared {
		p.logLevel.Store(int32(level))
	}
}

// Log sends a log message on the request's exchange if its sender wants to see
// that level; data is raw JSON, logger may be empty. It does nothing where no
// stream could carry the message.
func (r *Request) Log(ctx context.Context, level protocol.LogLevel, logger string, data codec.Value) error {
	r.send.enter()
	defer r.send.leave()
	if r.over() || !r.wantsLog(level) {
		return nil
	}
	return courtesy(r.Notify(ctx, protocol.NotificationMessage, logParams(level, logger, data)))
}

// courtesy is the error of what nobody depends on: a client that takes one JSON
// text and no stream does without, and its call must not fail for it.
func courtesy(err error) error {
	if errors.Is(err, transport.ErrNoStream) {
		return nil
	}
	return err
}

// over reports whether nothing but the answer may be sent for the request, or
// nothing at all; neither progress nor log messages belong to a subscription
// (SU-07). Until then its message is there. Caller holds r.send.
func (r *Request) over() bool { return r.sealed || r.listens || r.ctx.Err() != nil }

// Log sends a log message that belongs to no request, if the peer wants to see
// that level; as [Request.Log].
func (p *Peer) Log(ctx context.Context, level protocol.LogLevel, logger string, data codec.Value) error {
	if level < protocol.LogLevel(p.logLevel.Load()) {
		return nil
	}
	return p.Notify(ctx, protocol.NotificationMessage, logParams(level, logger, data))
}

func logParams(level protocol.LogLevel, logger string, data codec.Value) []byte {
	dst := codec.AppendString([]byte(`{"level":`), level.String())
	if logger != "" {
		dst = codec.AppendString(append(dst, `,"logger":`...), logger)
	}
	dst = append(dst, `,"data":`...)
	return append(append(dst, data...), '}')
}

// Progress reports how far the request is; total 0 and an empty message are
// left out. It does nothing when the sender gave no token, when the value is
// not above the last one (PR-03), once the answer is on its way (PR-04), and
// where no stream could carry it.
//
// An error says that it was not sent: ctx has ended, or the connection is gone,
// with net.ErrClosed in the tree. Nothing depends on progress, so a handler may
// ignore it; one that returns it stops working for a peer that is not there.
func (r *Request) Progress(ctx context.Context, progress, total float64, message string) error {
	r.send.enter()
	defer r.send.leave()
	if r.over() || r.reported && !(progress > r.progress) || !isNumber(progress) || !isNumber(total) {
		return nil
	}
	token := r.Fact(codec.FactMetaProgressToken)
	if token == nil {
		return nil
	}
	dst := append([]byte(`{"progressToken":`), token...)
	dst = appendNumber(append(dst, `,"progress":`...), progress)
	if total != 0 {
		dst = appendNumber(append(dst, `,"total":`...), total)
	}
	if message != "" && r.revision != protocol.V20241105 {
		dst = codec.AppendString(append(dst, `,"message":`...), message)
	}
	if err := r.Notify(ctx, protocol.NotificationProgress, append(dst, '}')); err != nil {
		return courtesy(err)
	}
	r.progress, r.reported = progress, true
	return nil
}

func isNumber(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// appendNumber appends a number as JSON writers commonly do: without an
// exponent unless it is very large or small.
func appendNumber(dst []byte, x float64) []byte {
	format := byte('f')
	if abs := math.Abs(x); abs >= 1e21 || abs < 1e-6 && abs > 0 {
		format = 'e'
	}
	return strconv.AppendFloat(dst, x, format, -1, 64)
}
