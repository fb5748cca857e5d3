package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Trace is the W3C trace context of a message: what ties what one process does
// for it to what others do. It is a value. It travels in _meta, where its keys
// have no prefix (TR-01): a handler's context carries that of its request, and
// what is called or notified with that context passes it on. A header of the
// transport counts where _meta has none.
type Trace struct {
	// Parent is a valid traceparent, empty where there is none.
	Parent string
	// State is a valid tracestate, empty where there is none, or no Parent.
	State string
	// Baggage is a valid baggage, empty where there is none. It does not depend
	// on Parent.
	Baggage string
}

// ID returns the trace id, 32 digits of hexadecimal, "" where there is none.
func (t Trace) ID() string {
	if len(t.Parent) < traceparentLen {
		return ""
	}
	return t.Parent[3:35]
}

// Span returns the id of the span that sent the message, 16 digits of
// hexadecimal, "" where there is none.
func (t Trace) Span() string {
	if len(t.Parent) < traceparentLen {
		return ""
	}
	return t.Parent[36:52]
}

// Sampled reports whether the sender records this trace.
func (t Trace) Sampled() bool {
	flags, err := hex.DecodeString(t.flags())
	return err == nil && len(flags) == 1 && flags[0]&1 == 1
}

func (t Trace) flags() string {
	if len(t.Parent) < traceparentLen {
		return ""
	}
	return t.Parent[53:55]
}

// ParseTrace returns the trace that these texts are, without what is not valid:
// a tracestate is nothing without a valid traceparent, and a traceparent of a
// later version is taken for what version 00 knows of it. Nothing is kept of
// what exceeds [MaxTraceState] or [MaxBaggage].
func ParseTrace(traceparent, tracestate, baggage string) Trace {
	var t Trace
	if t.Parent = parseTraceparent(traceparent); t.Parent != "" && validTracestate(tracestate) {
		t.State = tracestate
	}
	if validBaggage(baggage) {
		t.Baggage = baggage
	}
	return t
}

// NewTrace returns the root of a new trace, with random ids and sampled.
func NewTrace() Trace {
	var id [24]byte
	_, _ = rand.Read(id[:]) // never fails
	id[0] |= 1              // all zeros are no id
	id[16] |= 1
	dst := append(make([]byte, 0, traceparentLen), "00-"...)
	dst = append(hex.AppendEncode(dst, id[:16]), '-')
	dst = append(hex.AppendEncode(dst, id[16:]), "-01"...)
	return Trace{Parent: string(dst)}
}

type traceKey struct{}

// ContextWithTrace returns a context whose calls and notifications carry t.
func ContextWithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, &t)
}

// TraceFrom returns the trace of a context: of a handler's, that of its request;
// the zero Trace where there is none.
func TraceFrom(ctx context.Context) Trace {
	if t := traceOf(ctx); t != nil {
		return *t
	}
	return Trace{}
}

func traceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

// inbound returns the trace that a message came with, nil if with none.
func (e *engine) inbound(in *transport.Inbound) *Trace {
	t := traceOfMeta(&in.Message)
	if t == nil || t.Parent == "" {
		if headers, ok := in.Via.(transport.Headers); ok {
			h := traceOfHeaders(headers.Header())
			if t != nil && t.Baggage != "" {
				h.Baggage = t.Baggage
			}
			if h != (Trace{}) {
				found := h // allocated for those that have one
				t = &found
			}
		}
	}
	if e.opts.NewTraces && (t == nil || t.Parent == "") {
		root := NewTrace()
		if t != nil {
			root.Baggage = t.Baggage
		}
		t = &root
	}
	return t
}

// traceFrom gives the request the trace that its message came with.
func (r *Request) traceFrom(in *transport.Inbound) {
	if t := r.peer.engine.inbound(in); t != nil {
		r.ctx.origin = &origin{trace: t}
	}
}

// traceOfHeaders reads the headers of the W3C, whose values may be spread over
// several of one name.
func traceOfHeaders(h map[string][]string) Trace {
	if h[protocol.HeaderTraceparent] == nil && h[protocol.HeaderBaggage] == nil {
		return Trace{}
	}
	all := func(name string) string { return strings.Join(h[name], ",") }
	return ParseTrace(all(protocol.HeaderTraceparent), all(protocol.HeaderTracestate), all(protocol.HeaderBaggage))
}

func traceOfMeta(m *codec.Message) *Trace {
	parent, baggage := m.Fact(codec.FactTraceparent), m.Fact(codec.FactBaggage)
	if parent == nil && baggage == nil {
		return nil
	}
	t := ParseTrace(textOf(parent, traceparentMax), textOf(m.Fact(codec.FactTracestate), MaxTraceState), textOf(baggage, MaxBaggage))
	if t == (Trace{}) {
		return nil
	}
	return &t
}

// textOf returns a copy of a string of at most most bytes, "" for anything else.
func textOf(v codec.Value, most int) string {
	if len(v) > 2+6*most { // as long as every byte is escaped
		return ""
	}
	text, _ := v.Text()
	if len(text) > most {
		return ""
	}
	return string(text)
}

// outbound returns the trace that what is sent with ctx carries, nil for none:
// plain JSON-RPC has no _meta.
func (p *Peer) outbound(ctx context.Context) *Trace {
	if p.engine.opts.Profile == JSONRPC {
		return nil
	}
	return traceOf(ctx)
}

// appendMeta appends the members that a _meta gets, which has those of given
// already, to an object that begins with dst: one's traceparent and another's
// tracestate are no trace.
func (t *Trace) appendMeta(dst []byte, given codec.Value) []byte {
	if t == nil {
		return dst
	}
	if t.Parent != "" && !has(given, protocol.MetaTraceparent) && !has(given, protocol.MetaTracestate) {
		dst = appendText(dst, protocol.MetaTraceparent, t.Parent)
		dst = appendText(dst, protocol.MetaTracestate, t.State)
	}
	if !has(given, protocol.MetaBaggage) {
		dst = appendText(dst, protocol.MetaBaggage, t.Baggage)
	}
	return dst
}

// appendText appends a member to the object that dst is, unless its text is empty.
func appendText(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	if len(dst) > len("{") {
		dst = append(dst, ',')
	}
	dst = codec.AppendString(dst, name)
	return codec.AppendString(append(dst, ':'), text)
}

// traced returns the params of a notification with the trace of ctx, in memory
// of w unless there is none.
func (p *Peer) traced(ctx context.Context, w *worker, params []byte) []byte {
	trace := p.outbound(ctx)
	if trace == nil {
		return params
	}
	given, _ := codec.Find(params, "_meta")
	if w.meta = append(trace.appendMeta(append(w.meta[:0], '{'), given), '}'); len(w.meta) == len("{}") {
		return params
	}
	w.reply.B = codec.AppendMeta(w.reply.B[:0], params, w.meta)
	return w.reply.B
}

const (
	traceparentLen = len("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01")
	// traceparentMax is the length up to which a traceparent of a later version
	// is looked at.
	traceparentMax = 512
)

// parseTraceparent returns s as version 00 has it, "" if it is not valid.
func parseTraceparent(s string) string {
	if len(s) < traceparentLen || len(s) > traceparentMax || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return ""
	}
	version, id, span, flags := s[:2], s[3:35], s[36:52], s[53:55]
	for _, field := range []string{version, id, span, flags} {
		if strings.Trim(field, "0123456789abcdef") != "" {
			return ""
		}
	}
	switch {
	case version == "ff", strings.Trim(id, "0") == "", strings.Trim(span, "0") == "":
		return ""
	case version == "00":
		if len(s) > traceparentLen {
			return ""
		}
		return s
	case len(s) > traceparentLen && s[traceparentLen] != '-':
		return ""
	}
	// Of a later version's flags only the first is known.
	sampled := "00"
	if strings.IndexByte("13579bdf", flags[1]) >= 0 {
		sampled = "01"
	}
	return "00-" + id + "-" + span + "-" + sampled
}
