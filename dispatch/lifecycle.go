package dispatch

import (
	"fmt"
	"slices"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Gate says which requests are served before a legacy handshake is complete.
type Gate uint8

const (
	// GateDefault is GateStrict on byte streams, where order is guaranteed, and
	// GateAfterInitialize elsewhere.
	GateDefault Gate = iota
	// GateStrict serves nothing but ping before notifications/initialized.
	GateStrict
	// GateAfterInitialize serves everything once initialize was answered: two
	// HTTP requests may overtake each other.
	GateAfterInitialize
	// GateOff serves everything always.
	GateOff
)

// lifecycle is the state of a peer's legacy handshake. Guarded by Peer.mu.
type lifecycle struct {
	phase    phase
	opening  chan struct{}     // closed when the initialize that runs is answered
	early    bool              // notifications/initialized came before that
	revision protocol.Revision // negotiated; empty before, and in the JSON-RPC profile
	remote   Remote
	meta     codec.Value // of a client in 2026-07-28: what goes into every _meta
}

// publish must be called after each change of p.state, with p.mu held: once the
// handshake is over the state does not change any more, and everybody may look at
// a copy without p.mu.
func (p *Peer) publish() {
	var steady *lifecycle
	if p.state.phase == ready && p.state.opening == nil {
		now := p.state
		steady = &now
	}
	p.steady.Store(steady)
}

type phase uint8

const (
	fresh       phase = iota
	opening           // initialize is being answered
	initialized       // initialize was answered
	ready             // notifications/initialized came, or was sent
)

// Remote is what the other side said about itself. All of it is self-reported:
// for display and logs, never for decisions (SC26-14). The views are the
// caller's to keep; nil where nothing was said.
type Remote struct {
	Era          protocol.Era
	Revision     protocol.Revision
	Info         codec.Value // serverInfo or clientInfo
	Capabilities codec.Value
	Instructions codec.Value // of a server: a string
}

// Remote returns what the other side said about itself in the handshake.
func (p *Peer) Remote() Remote {
	if s := p.steady.Load(); s != nil {
		return s.remote
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.remote
}

// Revision returns the negotiated revision: empty before the handshake.
func (p *Peer) Revision() protocol.Revision {
	if s := p.steady.Load(); s != nil {
		return s.revision
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.revision
}

func (p *Peer) gate() Gate {
	if g := p.engine.opts.Gate; g != GateDefault {
		return g
	}
	if p.cork != nil {
		return GateStrict
	}
	return GateAfterInitialize
}

// open reports whether the legacy handshake is as complete as the gate wants.
func (p *Peer) open() bool {
	if p.steady.Load() != nil {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.gate() {
	case GateOff:
		return true
	case GateAfterInitialize:
		return p.state.phase >= initialized
	}
	return p.state.phase == ready
}

// unopened reports whether the client knows nothing of a server that speaks
// unasked: in 2026-07-28 there is none, and before there is a handshake first.
func (p *Peer) unopened() bool {
	if !p.serving || p.engine.opts.Profile == JSONRPC || p.gate() == GateOff {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.phase < initialized
}

// share makes p one that stands for many clients: what they agreed on, they
// agreed on elsewhere, or each message says it.
func (p *Peer) share(revision string) {
	p.shared = true
	p.state.phase = ready
	p.state.revision, _ = protocol.LookupRevision(revision)
	p.state.remote.Revision, p.state.remote.Era = p.state.revision, p.state.revision.Era()
	p.publish()
}

// Routes that the engine answers itself.
var (
	pingRoute     = &route{pattern: protocol.MethodPing}
	initRoute     = &route{pattern: protocol.MethodInitialize, handle: initialize}
	discoverRoute = &route{pattern: protocol.MethodServerDiscover, handle: discover}
)

// errClosing answers what comes after Shutdown.
var errClosing = unrunf("shutting down")

func refusef(code int64, format string, args ...any) *codec.Error {
	return &codec.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// ofEra returns the revisions of an era that can be spoken here, oldest first.
func (p *Peer) ofEra(era protocol.Era) []protocol.Revision {
	return slices.DeleteFunc(slices.Clone(p.versions), func(r protocol.Revision) bool { return r.Era() != era })
}

// speaks reports whether any revision of the era can be spoken here.
func (p *Peer) speaks(era protocol.Era) bool {
	return slices.ContainsFunc(p.versions, func(r protocol.Revision) bool { return r.Era() == era })
}

// admit decides whether a request is served: the route and the revision in
// force for it, or what it is refused with.
func (p *Peer) admit(m *codec.Message) (*route, protocol.Revision, *codec.Error) {
	if p.engine.isClosing() {
		return nil, "", errClosing
	}
	if p.engine.opts.Profile == JSONRPC {
		rt, refusal := p.route(m)
		return rt, "", refusal
	}
	if m.Params.Kind() == codec.Array {
		return nil, "", refusef(protocol.CodeInvalidParams, "params must be an object") // CO-17
	}
	if token := m.Fact(codec.FactMetaProgressToken); token != nil && !codec.ID(token).Key().Valid() {
		return nil, "", refusef(protocol.CodeInvalidParams, "_meta %q must be a string or an integer", protocol.MetaProgressToken) // PR-01
	}
	if p.serving && m.Fact(codec.FactMetaProtocolVersion) != nil {
		return p.admitModern(m)
	}
	rt, refusal := p.admitLegacy(m)
	return rt, p.Revision(), refusal
}

// admitModern judges a request of 2026-07-28, which stands for itself (LG-14):
// the order is that of the SH26 rows.
func (p *Peer) admitModern(m *codec.Message) (*route, protocol.Revision, *codec.Error) {
	version, ok := m.Fact(codec.FactMetaProtocolVersion).Text()
	if !ok {
		return nil, "", refusef(protocol.CodeInvalidParams, "_meta %q must be a string", protocol.MetaProtocolVersion)
	}
	if m.Fact(codec.FactMetaClientCapabilities).Kind() != codec.Object {
		return nil, "", refusef(protocol.CodeInvalidParams, "_meta %q must be an object", protocol.MetaClientCapabilities)
	}
	revision, known := protocol.LookupRevision(version)
	if !known || revision.Era() != protocol.Modern || !slices.Contains(p.versions, revision) {
		e := refusef(protocol.CodeUnsupportedProtocolVersion, "protocol version %q is not supported per request", version)
		e.Data = p.supportedData(version)
		return nil, "", e
	}
	if e := notificationWithID(m); e != nil {
		return nil, "", e
	}
	if info, ok := protocol.LookupMethod(m.Method); ok && info.Use(revision)&protocol.SentByClient == 0 {
		return nil, "", refusef(protocol.CodeMethodNotFound, "%s does not exist in %s", m.Method, revision)
	}
	if level := m.Fact(codec.FactMetaLogLevel); level != nil {
		text, _ := level.Text()
		if _, ok := protocol.LookupLogLevel(text); !ok {
			return nil, "", refusef(protocol.CodeInvalidParams, "_meta %q is not a log level", protocol.MetaLogLevel) // SH26-30
		}
	}
	rt, refusal := p.route(m)
	return rt, revision, refusal
}

// admitLegacy judges a request of the handshake revisions, or one that comes
// before any handshake.
func (p *Peer) admitLegacy(m *codec.Message) (*route, *codec.Error) {
	if string(m.Method) == protocol.MethodPing {
		return pingRoute, nil
	}
	if !p.serving {
		return p.route(m)
	}
	if string(m.Method) == protocol.MethodInitialize {
		return p.admitInitialize(m)
	}
	p.awaitOpening()
	if p.open() {
		return p.route(m)
	}
	if e := notificationWithID(m); e != nil {
		return nil, e
	}
	p.mu.Lock()
	phase := p.state.phase
	p.mu.Unlock()
	switch {
	case phase != fresh:
		return nil, refusef(protocol.CodeInvalidRequest,
			"%s before notifications/initialized: send that notification after the initialize result first", m.Method)
	case p.speaks(protocol.Modern):
		return nil, refusef(protocol.CodeInvalidParams,
			"%s before initialize, and without the _meta keys %q and %q that 2026-07-28 requires",
			m.Method, protocol.MetaProtocolVersion, protocol.MetaClientCapabilities)
	}
	return nil, refusef(protocol.CodeInvalidRequest, "%s before initialize", m.Method)
}

// admitInitialize lets one handshake through (LG-07).
func (p *Peer) admitInitialize(m *codec.Message) (*route, *codec.Error) {
	if !p.speaks(protocol.Legacy) {
		e := refusef(protocol.CodeUnsupportedProtocolVersion, "this server has no initialize; it speaks %v", p.versions)
		offer, _ := m.Fact(codec.FactProtocolVersion).Text()
		e.Data = p.supportedData(offer)
		return nil, e // VN-32
	}
	if p.shared { // it says hello to each of its clients
		return initRoute, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state.phase != fresh {
		return nil, refusef(protocol.CodeInvalidRequest, "initialize was already sent on this connection")
	}
	defer p.publish()
	p.state.phase = opening
	if p.state.opening == nil { // else the error of an earlier one is about to be sent
		p.state.opening = make(chan struct{})
	}
	return initRoute, nil
}

// isStray reports a request that a server must not send: in 2026-07-28 there
// are none, and they are not answered (SC26-13).
func (p *Peer) isStray(in *transport.Inbound) bool {
	if p.serving || p.Revision().Era() != protocol.Modern {
		return false
	}
	p.engine.log.Warn("request from a server of 2026-07-28 dropped", "method", string(in.Method))
	if p.engine.opts.Observer != nil {
		p.reportRefused(in, nil)
	}
	return true
}

// route finds who serves a request.
func (p *Peer) route(m *codec.Message) (*route, *codec.Error) {
	if e := notificationWithID(m); e != nil {
		return nil, e
	}
	rt := p.engine.mux.request(m.Method)
	if string(m.Method) == protocol.MethodServerDiscover && (rt == nil || rt.pattern != protocol.MethodServerDiscover) &&
		p.serving && p.engine.opts.Profile != JSONRPC && p.speaks(protocol.Modern) {
		return discoverRoute, nil
	}
	if string(m.Method) == protocol.MethodSubscriptionsListen && (rt == nil || rt.pattern != protocol.MethodSubscriptionsListen) &&
		p.serving && m.Fact(codec.FactMetaProtocolVersion) != nil && p.engine.listen != nil {
		return p.engine.listen, nil
	}
	if rt != nil {
		return rt, nil
	}
	return nil, refusef(protocol.CodeMethodNotFound, "method %s not found", m.Method)
}

// notificationWithID refuses a notification that came with an id: it must not
// take effect, and wants an answer.
func notificationWithID(m *codec.Message) *codec.Error {
	if info, ok := protocol.LookupMethod(m.Method); ok && info.Notification {
		return refusef(protocol.CodeInvalidRequest, "%s is a notification and takes no id", m.Method)
	}
	return nil
}
