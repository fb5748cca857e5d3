package bridge

import (
	"fmt"
	"slices"
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// upward speaks 2026-07-28 to a back for a client that initializes.
type upward struct {
	l        *link
	revision protocol.Revision // agreed on with the client
	offered  bool              // the client asked for it
	extended bool              // the client has extensions
	server   codec.Value       // capabilities of the back
	client   codec.Value       // object: what every request says about the client
	listener listener

	mu    sync.Mutex
	level string              // of logging/setLevel
	uris  map[string]struct{} // of resources/subscribe
}

var _ adapter = (*upward)(nil)

// newUpward takes what the client said in initialize, and the back in
// server/discover.
func newUpward(l *link, hello codec.Value, discovered *transport.Inbound) *upward {
	u := &upward{l: l, server: object(discovered.Result, "capabilities"), uris: make(map[string]struct{})}
	u.listener.init(u)
	u.extended = has(hello, "capabilities", "extensions")
	offer, _ := codec.Find(hello, "protocolVersion")
	text, _ := offer.Text()
	u.revision, _ = protocol.LookupRevision(text)
	u.offered = u.revision.Era() == protocol.Legacy
	if !u.offered { // VN-02, VN-04
		u.revision = protocol.NewestLegacy
	}
	u.client = appendText(codec.Value{'{'}, protocol.MetaProtocolVersion, protocol.NewestModern)
	u.client = appendMember(u.client, codec.Value(`"`+protocol.MetaClientInfo+`"`), object(hello, "clientInfo"))
	u.client = append(appendMember(u.client, codec.Value(`"`+protocol.MetaClientCapabilities+`"`), object(hello, "capabilities")), '}')
	return u
}

// initializeResult is what server/discover says, as an answer to initialize.
func (u *upward) initializeResult(discovered *transport.Inbound) codec.Value {
	dst := appendText(codec.Value{'{'}, "protocolVersion", u.revision)
	if !u.offered {
		versions := codec.Value{'['}
		for r := range protocol.Revisions() {
			if r.Era() == protocol.Legacy {
				if len(versions) > 1 {
					versions = append(versions, ',')
				}
				versions = codec.AppendString(versions, r)
			}
		}
		dst = appendMember(dst, codec.Value(`"supportedVersions"`), append(versions, ']'))
	}
	dst = appendMember(dst, codec.Value(`"capabilities"`), u.server)
	info := discovered.Fact(codec.FactMetaServerInfo)
	if info.Kind() != codec.Object {
		info = u.l.b.info()
	}
	dst = appendMember(dst, codec.Value(`"serverInfo"`), info)
	if text, _ := codec.Find(discovered.Result, "instructions"); text.Kind() == codec.String {
		dst = appendMember(dst, codec.Value(`"instructions"`), text)
	}
	return append(dst, '}')
}

// request implements [adapter].
func (u *upward) request(c *call, in *transport.Inbound) bool {
	switch c.method {
	case protocol.MethodPing:
		return u.local(c, codec.Value("{}"), nil)
	case protocol.MethodInitialize: // LG-07
		return u.local(c, nil, refusef(protocol.CodeInvalidRequest, "the session is initialized already"))
	case protocol.MethodLoggingSetLevel:
		return u.setLevel(c, in)
	case protocol.MethodResourcesSubscribe, protocol.MethodResourcesUnsubscribe:
		return u.subscribe(c, in)
	}
	in.Params = u.params(c, in.Params)
	if info, known := protocol.LookupMethod(c.method); known && info.InputRequired {
		u.l.keep(c, in.Params)
	}
	return true
}

// about implements [adapter].
func (u *upward) about(*call, *transport.Inbound) *between { return new(between) }

// local answers a call here.
func (u *upward) local(c *call, result codec.Value, refusal *codec.Error) bool {
	if u.l.remove(c) {
		if refusal != nil {
			c.to.fail(u.l, c.slot, c.front, refusal)
		} else {
			c.to.result(u.l, c.slot, c.front, result)
		}
	}
	return false
}

// params adds to params what a request of 2026-07-28 says about its client.
func (u *upward) params(c *call, params codec.Value) codec.Value {
	meta := u.client
	u.mu.Lock()
	level := u.level
	u.mu.Unlock()
	if level != "" {
		meta = append(appendText(slices.Clone(meta[:len(meta)-1]), protocol.MetaLogLevel, level), '}')
	}
	if c.token != nil {
		meta = append(appendMember(slices.Clone(meta[:len(meta)-1]), codec.Value(`"`+protocol.MetaProgressToken+`"`), codec.Value(c.back)), '}')
	}
	return (&edit{meta: meta}).apply(params)
}

// setLevel keeps the log level for the requests to come (LO-01).
func (u *upward) setLevel(c *call, in *transport.Inbound) bool {
	text, _ := in.Fact(codec.FactLevel).Text()
	level, ok := protocol.LookupLogLevel(text)
	if !ok {
		return u.local(c, nil, &codec.Error{Code: protocol.CodeInvalidParams, Message: "params.level is no log level"})
	}
	u.mu.Lock()
	u.level = level.String()
	u.mu.Unlock()
	return u.local(c, codec.Value("{}"), nil)
}

// subscribe changes what is listened for.
func (u *upward) subscribe(c *call, in *transport.Inbound) bool {
	text, ok := in.Fact(codec.FactURI).Text()
	if !ok {
		return u.local(c, nil, &codec.Error{Code: protocol.CodeInvalidParams, Message: "params.uri must be a string"})
	}
	u.mu.Lock()
	if c.method == protocol.MethodResourcesSubscribe {
		u.uris[string(text)] = struct{}{}
	} else {
		delete(u.uris, string(text))
	}
	u.mu.Unlock()
	u.listener.change()
	return u.local(c, codec.Value("{}"), nil)
}

// notification implements [adapter].
func (u *upward) notification(in *transport.Inbound) bool {
	switch string(in.Method) {
	case protocol.NotificationInitialized:
		u.listener.change()
		return false
	case protocol.NotificationRootsListChanged, protocol.NotificationProgress:
		return false // 2026-07-28 has neither from a client
	}
	return true
}

// answer implements [adapter].
func (u *upward) answer(c *call, in *transport.Inbound) bool {
	if in.Kind != codec.Response {
		return true
	}
	value := in.Fact(codec.FactResultType)
	kind, _ := value.Text()
	switch {
	case value == nil, string(kind) == protocol.ResultComplete:
		return true // members that a legacy client does not know are legal
	case string(kind) != protocol.ResultInputRequired && u.extended: // it may be that of an extension
		return true
	case string(kind) == protocol.ResultInputRequired && c.between != nil && u.l.kept(c) != nil:
		u.require(c, in)
	default: // CO-25, MR-01: a client that knows of no resultType would take it for complete
		u.l.settle(c, &Error{HopRemote, fmt.Errorf("the answer is broken: resultType %s is none of an answer to %s", value, c.method)})
	}
	return false
}

// asked implements [adapter]: a server of 2026-07-28 sends no requests.
func (u *upward) asked(a *ask, _ *transport.Inbound) bool {
	u.l.deny(a, refusef(protocol.CodeMethodNotFound, "a server of 2026-07-28 sends no requests"))
	return false
}

// withdrawn implements [adapter].
func (u *upward) withdrawn(*ask) bool { return true }

// told implements [adapter].
func (u *upward) told(in *transport.Inbound, of *call) bool {
	if of == nil {
		return true
	}
	if string(in.Method) == protocol.NotificationSubscriptionsAcknowledged {
		u.listener.grant()
		return false
	}
	in.Params = (&edit{dropMeta: []string{protocol.MetaSubscriptionID}}).apply(in.Params)
	u.l.say(in)
	return false
}

// lost implements [adapter].
func (u *upward) lost() {}

// reopened is called when there is another back: the subscriptions begin anew
// (SU-13), and what changed meanwhile nobody knows.
func (u *upward) reopened() {
	u.l.mu.Lock()
	welcome := u.l.welcome
	u.l.mu.Unlock()
	u.listener.refuse(false)
	u.listener.change()
	u.l.changed(welcome)
}

// remember takes over what the session has told a server that is no more. l.mu is
// held.
func (u *upward) remember(m *memory) {
	level, _ := codec.Find(m.level, "level")
	text, _ := level.Text()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.level = string(text)
	for uri := range m.uris {
		u.uris[uri] = struct{}{}
	}
}

// retire ends the subscriptions for good, and returns what the session has told the
// server.
func (u *upward) retire() (m memory) {
	close(u.listener.over)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.level != "" {
		m.level = append(appendText(codec.Value{'{'}, "level", u.level), '}')
	}
	m.uris = make(map[string]codec.Value)
	for uri := range u.uris {
		m.uris[uri] = append(appendText(codec.Value{'{'}, "uri", uri), '}')
	}
	return m
}
