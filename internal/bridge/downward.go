package bridge

import (
	"fmt"
	"slices"
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// downward speaks to a back that wants initialize, for clients of 2026-07-28. It
// is the back's client, and has many of its own.
type downward struct {
	l *link

	mu        sync.Mutex
	server    codec.Value // capabilities of the back
	info      codec.Value // serverInfo
	hints     codec.Value // instructions, raw; nil without
	level     protocol.LogLevel
	suspended map[string]*suspension // by requestState
	listens   map[*call]*filter
}

var _ adapter = (*downward)(nil)

func isLost(l *link, conn transport.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn != conn
}

// capabilities are what the bridge says it can do: whatever a client of its own
// may be able to. Which one can, its requests say.
const capabilities = `{"roots":{},"sampling":{},"elicitation":{}}`

// reopened performs the handshake with a fresh back.
func (d *downward) reopened() error {
	l := d.l
	l.mu.Lock()
	conn, gone := l.conn, l.goneLocked()
	l.mu.Unlock()
	if conn == nil {
		return fmt.Errorf("initialize: %w", gone)
	}
	params := appendText(codec.Value{'{'}, "protocolVersion", protocol.NewestLegacy)
	params = appendMember(params, codec.Value(`"capabilities"`), codec.Value(capabilities))
	params = append(appendMember(params, codec.Value(`"clientInfo"`), l.b.info()), '}')
	in, err := l.ask(conn, protocol.MethodInitialize, params, l.b.limits.Handshake)
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	defer putInbound(in)
	d.mu.Lock()
	d.server = (&edit{drop: []string{"tasks"}}).apply(object(in.Result, "capabilities")) // other ones in 2026-07-28 (TK-02)
	d.info = object(in.Result, "serverInfo")
	hints, _ := codec.Find(in.Result, "instructions")
	d.hints = slices.Clone(hints)
	d.level = 0
	d.mu.Unlock()
	return conn.Send(l.ctx, &codec.Message{Kind: codec.Notification, Method: []byte(protocol.NotificationInitialized)})
}

// request implements [adapter].
func (d *downward) request(c *call, in *transport.Inbound) bool {
	version, _ := in.Fact(codec.FactMetaProtocolVersion).Text()
	if string(version) != string(protocol.NewestModern) {
		data := codec.AppendString(codec.Value(`{"supported":["`+string(protocol.NewestModern)+`"],"requested":`), version)
		return d.refuse(c, &codec.Error{Code: protocol.CodeUnsupportedProtocolVersion, Message: "protocol version is not supported", Data: append(data, '}')})
	}
	info, known := protocol.LookupMethod(c.method)
	switch {
	case c.method == protocol.MethodServerDiscover:
		if d.l.remove(c) {
			c.to.result(d.l, c.slot, c.front, d.discovered())
		}
		return false
	case c.method == protocol.MethodSubscriptionsListen:
		d.listen(c, in)
		return false
	case known && info.Use(protocol.NewestModern) == 0:
		return d.refuse(c, &codec.Error{Code: protocol.CodeMethodNotFound, Message: protocol.MessageMethodNotFound})
	}
	if state := in.Fact(codec.FactRequestState); state != nil {
		d.resume(c, state, in.Fact(codec.FactInputResponses))
		return false
	}
	d.wantLevel(c.between.level)
	e := edit{drop: []string{"task", "inputResponses"}, dropMeta: ofRequests}
	if c.token != nil {
		e.meta = append(appendMember(codec.Value{'{'}, codec.Value(`"`+protocol.MetaProgressToken+`"`), codec.Value(c.back)), '}')
	}
	in.Params = e.apply(in.Params)
	return true
}

// about implements [adapter].
func (d *downward) about(c *call, in *transport.Inbound) *between {
	b := &between{capabilities: slices.Clone(in.Fact(codec.FactMetaClientCapabilities)), who: principal(in.Via)}
	if info, _ := protocol.LookupMethod(c.method); info.InputRequired && len(b.capabilities) > len("{}") { // it may be asked
		b.digest = digest(c.method, in.Params)
	}
	text, _ := in.Fact(codec.FactMetaLogLevel).Text()
	b.level, _ = protocol.LookupLogLevel(text)
	return b
}

// ofRequests are the keys of _meta that mean nothing to a legacy server.
var ofRequests = []string{
	protocol.MetaProtocolVersion, protocol.MetaClientCapabilities, protocol.MetaClientInfo, protocol.MetaLogLevel,
}

func principal(via transport.Exchange) string {
	if r, ok := via.(transport.Requester); ok {
		return r.Principal()
	}
	return ""
}

// refuse answers a call with an error.
func (d *downward) refuse(c *call, e *codec.Error) bool {
	if d.l.remove(c) {
		c.to.fail(d.l, c.slot, c.front, e)
	}
	return false
}

// discovered is the answer to server/discover (VN-07).
func (d *downward) discovered() codec.Value {
	d.mu.Lock()
	defer d.mu.Unlock()
	dst := codec.Value(`{"resultType":"` + protocol.ResultComplete + `","supportedVersions":["` + string(protocol.NewestModern) + `"]`)
	dst = appendMember(dst, codec.Value(`"capabilities"`), d.server)
	if d.hints != nil {
		dst = appendMember(dst, codec.Value(`"instructions"`), d.hints)
	}
	dst = append(dst, `,"ttlMs":0,"cacheScope":"`+protocol.CacheScopePrivate+`","_meta":`...)
	return append(append(dst, d.serverMetaLocked()...), '}')
}

// serverMetaLocked is the _meta of every result (SH26-27). d.mu is held.
func (d *downward) serverMetaLocked() codec.Value {
	return append(appendMember(codec.Value{'{'}, codec.Value(`"`+protocol.MetaServerInfo+`"`), d.info), '}')
}

// wantLevel sees to it that the back sends messages of this level (LO-01). What a
// client did not ask for, it does not get all the same.
func (d *downward) wantLevel(level protocol.LogLevel) {
	d.mu.Lock()
	set := level != 0 && has(d.server, "logging") && (d.level == 0 || level < d.level)
	if set {
		d.level = level
	}
	d.mu.Unlock()
	if set {
		d.own(protocol.MethodLoggingSetLevel, append(appendText(codec.Value{'{'}, "level", level.String()), '}'))
	}
}

// own sends the back a request whose answer does not matter.
func (d *downward) own(method string, params codec.Value) {
	d.l.mu.Lock()
	conn := d.l.conn
	d.l.mu.Unlock()
	if conn != nil {
		d.l.own(conn, method, params)
	}
}

// notification implements [adapter].
func (d *downward) notification(*transport.Inbound) bool { return true }

// cancelled implements [adapter].
func (d *downward) cancelled(c *call) bool {
	if c.listens() {
		d.unlisten(c)
		return false
	}
	return true
}

// answer implements [adapter]. A client that has to come back gets the answer
// when it does.
func (d *downward) answer(c *call, in *transport.Inbound) bool {
	info, _ := protocol.LookupMethod(c.method)
	if in.Kind == codec.Response {
		add := codec.Value{'{'}
		if !has(in.Result, "resultType") {
			add = appendText(add, "resultType", protocol.ResultComplete)
		}
		if info.Cacheable && !has(in.Result, "ttlMs") {
			add = appendText(appendMember(add, codec.Value(`"ttlMs"`), codec.Value("0")), "cacheScope", protocol.CacheScopePrivate)
		}
		d.mu.Lock()
		meta := d.serverMetaLocked()
		d.mu.Unlock()
		in.Result = (&edit{add: append(add, '}'), meta: meta}).apply(in.Result)
	} else if code, _ := in.Fact(codec.FactErrorCode).Int64(); code == protocol.CodeResourceNotFound { // CO-26
		e := in.WireError()
		e.Code = protocol.CodeInvalidParams
		in.Error = codec.AppendError(nil, e)
	}
	return !d.keep(c, in)
}

// told implements [adapter].
func (d *downward) told(in *transport.Inbound, _ *call) bool {
	switch string(in.Method) {
	case protocol.NotificationMessage: // only to who asked for it (SH26-23, LO-02)
		text, _ := in.Fact(codec.FactLevel).Text()
		level, _ := protocol.LookupLogLevel(text)
		if c := d.l.asker(); c != nil && c.between != nil && c.between.level != 0 && level >= c.between.level && !d.l.isAway(c) {
			d.l.send(c, in)
		}
	default:
		d.spread(in)
	}
	return false
}

// lost implements [adapter]: who has to come back will hear that the back died.
func (d *downward) lost() { d.dropAll() }
