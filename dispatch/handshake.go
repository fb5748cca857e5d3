package dispatch

import (
	"context"
	"slices"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Info is what this side says about itself. The engine invents nothing: what is
// sent is what stands here, and where Name or Version is empty, that.
type Info struct {
	Name    string // of the program; MCP requires it and Version
	Title   string // optional, for display
	Version string

	// Capabilities is a JSON object, raw; empty means {}.
	Capabilities codec.Value
	// Instructions is a server's text for the model; optional.
	Instructions string
	// Versions are the revisions to speak, newest last; empty means all.
	Versions []protocol.Revision
}

// appendImplementation appends the object that serverInfo and clientInfo are.
func (i *Info) appendImplementation(dst []byte) []byte {
	dst = append(dst, `{"name":`...)
	dst = codec.AppendString(dst, i.Name)
	if i.Title != "" {
		dst = append(dst, `,"title":`...)
		dst = codec.AppendString(dst, i.Title)
	}
	dst = append(dst, `,"version":`...)
	return append(codec.AppendString(dst, i.Version), '}')
}

func (i *Info) appendCapabilities(dst []byte) []byte {
	if len(i.Capabilities) == 0 {
		return append(dst, "{}"...)
	}
	return append(dst, i.Capabilities...)
}

func appendVersions(dst []byte, versions []protocol.Revision) []byte {
	dst = append(dst, '[')
	for i, v := range versions {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = codec.AppendString(dst, v)
	}
	return append(dst, ']')
}

// initialize answers the legacy handshake, or lets a registered handler answer
// it and reads the version off its answer.
func initialize(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	p := r.peer
	if t := p.engine.mux.request([]byte(protocol.MethodInitialize)); t != nil && t.pattern == protocol.MethodInitialize {
		from := len(dst)
		dst, err := t.handle(ctx, r, dst)
		if err != nil || len(dst) < from {
			return dst, err
		}
		version, err := codec.Find(codec.Value(dst[from:]), "protocolVersion")
		if err != nil {
			return dst, err
		}
		text, _ := version.Text()
		revision, _ := protocol.LookupRevision(text)
		p.opened(r, revision)
		return dst, nil
	}
	offer, ok := r.Fact(codec.FactProtocolVersion).Text()
	if !ok {
		return dst, refusef(protocol.CodeInvalidParams, "params.protocolVersion must be a string")
	}
	legacy := p.ofEra(protocol.Legacy)
	revision, known := protocol.LookupRevision(offer)
	known = known && slices.Contains(legacy, revision)
	if !known {
		revision = legacy[len(legacy)-1] // VN-02, VN-04
	}
	info := &p.engine.opts.Info
	dst = append(dst, `{"protocolVersion":`...)
	dst = codec.AppendString(dst, revision)
	if !known {
		// What a client can choose from that cannot speak the answered one.
		dst = append(dst, `,"supportedVersions":`...)
		dst = appendVersions(dst, legacy)
	}
	dst = append(dst, `,"capabilities":`...)
	dst = info.appendCapabilities(dst)
	dst = append(dst, `,"serverInfo":`...)
	dst = info.appendImplementation(dst)
	if info.Instructions != "" {
		dst = append(dst, `,"instructions":`...)
		dst = codec.AppendString(dst, info.Instructions)
	}
	p.opened(r, revision)
	return append(dst, '}'), nil
}

// opened notes that the handshake is answered, before the answer is on its way.
func (p *Peer) opened(r *Request, revision protocol.Revision) {
	if p.shared {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.publish()
	p.state.phase = initialized
	if p.state.early {
		p.state.phase = ready
	}
	p.state.revision = revision
	p.state.remote = Remote{
		Era:          protocol.Legacy,
		Revision:     revision,
		Info:         slices.Clone(r.Fact(codec.FactClientInfo)),
		Capabilities: slices.Clone(r.Fact(codec.FactCapabilities)),
	}
}

// notOpened makes way for another initialize if rt is one and has failed.
func (p *Peer) notOpened(rt *route) {
	if rt != initRoute {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.publish()
	if p.state.phase == opening {
		p.state.phase = fresh
	}
}

// openingAnswered lets those on that wait for the end of an initialize, if rt is
// one: its answer is on its way.
func (p *Peer) openingAnswered(rt *route) {
	if rt != initRoute {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.publish()
	p.state.early = false
	if p.state.opening != nil {
		close(p.state.opening)
		p.state.opening = nil
	}
}

// awaitOpening waits while an initialize is being answered: what was sent behind
// it is judged by its outcome, not by which goroutine is faster.
func (p *Peer) awaitOpening() {
	if opening := p.opening(); opening != nil {
		select {
		case <-opening:
		case <-p.ctx.Done():
		}
	}
}

// opening returns what is closed when the initialize that is being answered is;
// nil when there is none.
func (p *Peer) opening() chan struct{} {
	if p.steady.Load() != nil || p.engine.opts.Profile == JSONRPC {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.opening
}

// putOff has a request that must await the handshake wait on a goroutine of its
// own, as the reader has answers and cancellations to read; false when it need
// not, or when there are too many.
func (p *Peer) putOff(in *transport.Inbound) bool {
	if !p.serving || p.opening() == nil || in.Fact(codec.FactMetaProtocolVersion) != nil || p.behind.Load() >= maxBehind {
		return false
	}
	switch string(in.Method) {
	case protocol.MethodInitialize, protocol.MethodPing:
		return false
	}
	p.behind.Add(1)
	p.busy.Add(1) // from here on; handle counts it once more
	w := getWorker()
	in.MoveTo(&w.in)
	go func() {
		defer w.put()
		p.awaitOpening()
		p.handle(w)
		p.behind.Add(-1)
		p.busy.Add(-1)
		p.settle()
	}()
	return true
}

// discover answers server/discover (VN-07).
func discover(_ context.Context, r *Request, dst []byte) ([]byte, error) {
	info := &r.peer.engine.opts.Info
	dst = append(dst, `{"resultType":"complete","supportedVersions":`...)
	dst = appendVersions(dst, r.peer.versions)
	dst = append(dst, `,"capabilities":`...)
	dst = info.appendCapabilities(dst)
	if info.Instructions != "" {
		dst = append(dst, `,"instructions":`...)
		dst = codec.AppendString(dst, info.Instructions)
	}
	dst = append(dst, `,"ttlMs":0,"cacheScope":"public","_meta":{"`+protocol.MetaServerInfo+`":`...)
	return append(info.appendImplementation(dst), "}}"...), nil
}

// supportedData is the data of an error that names the versions we speak
// (SH26-12, VN-09).
func (p *Peer) supportedData(requested []byte) codec.Value {
	dst := append(codec.Value(nil), `{"supported":`...)
	dst = appendVersions(dst, p.versions)
	dst = append(dst, `,"requested":`...)
	return append(codec.AppendString(dst, requested), '}')
}

// takeNotification handles the engine's own notifications, and returns the route
// of any other; nil if nobody wants it.
func (p *Peer) takeNotification(in *transport.Inbound) *route {
	switch string(in.Method) {
	case protocol.NotificationCancelled:
		if p.cancelled(in.Scope, in.Fact(codec.FactRequestID)) || p.listenNews(in) {
			return nil
		}
	case protocol.NotificationSubscriptionsAcknowledged:
		if p.listenNews(in) {
			return nil
		}
	case protocol.NotificationProgress:
		if p.progressed(in) {
			return nil
		}
	case protocol.NotificationInitialized:
		if !p.initializedCame() {
			p.engine.log.Warn("notifications/initialized out of place, dropped")
			return nil
		}
	default:
		if p.premature(in) {
			p.engine.log.Warn("notification before the handshake was complete, dropped", "method", string(in.Method))
			return nil
		}
	}
	if in.Params.Kind() == codec.Array && p.engine.opts.Profile != JSONRPC {
		p.engine.log.Warn("notification with positional params, dropped", "method", string(in.Method))
		return nil
	}
	return p.notificationRoute(in)
}

// initializedCame opens the gate; false when there was nothing to open.
func (p *Peer) initializedCame() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.publish()
	if p.serving && p.state.phase == opening { // sent without waiting for the answer
		p.state.early = true
		return true
	}
	if p.engine.opts.Profile != JSONRPC && (!p.serving || p.state.phase < initialized && p.gate() != GateOff) {
		return false
	}
	p.state.phase = ready
	return true
}

// premature reports whether a notification came before the legacy handshake
// allows any (LG-06). One that carries its own version is none of its business.
func (p *Peer) premature(in *transport.Inbound) bool {
	return p.serving && p.engine.opts.Profile != JSONRPC &&
		in.Fact(codec.FactMetaProtocolVersion) == nil && !p.open()
}

// cancelled ends the request with this id, if it is in flight; false when it
// is not, and the notification is for whoever else may know it. The handshake
// cannot be cancelled (LG-10).
func (p *Peer) cancelled(scope transport.Scope, id codec.Value) bool {
	key := codec.ID(id).Key()
	p.mu.Lock()
	r, several := p.inFlightWith(scope, key)
	if r != nil && r.route == initRoute {
		r = nil
	}
	if r != nil {
		r.cancelled = true
	}
	p.mu.Unlock()
	switch {
	case several:
		p.engine.log.Warn("cancellation of more than one request ignored", "id", string(id))
		return true
	case r == nil:
		return false
	}
	r.ctx.end(canceled)
	return true
}
