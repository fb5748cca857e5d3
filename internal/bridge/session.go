package bridge

import (
	"errors"
	"maps"
	"slices"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// initialized takes the back's answer to initialize; false when it is not for the
// front yet, because the server may be one of 2026-07-28.
func (l *link) initialized(c *call, in *transport.Inbound) bool {
	l.mu.Lock()
	open := l.hello != nil
	l.mu.Unlock()
	switch {
	case open:
		return true // it is the server's to judge
	case in.Kind == codec.ErrorResponse:
		own := moved(in)
		l.b.spawn(func() { l.tryModern(c, own, nil) })
		return false
	}
	text, _ := in.Fact(codec.FactProtocolVersion).Text()
	revision, _ := protocol.LookupRevision(text)
	l.mu.Lock()
	defer l.mu.Unlock()
	if in.Kind == codec.Response {
		l.hello, l.revision = c.kept, revision
		l.welcome = slices.Clone(in.Result)
	}
	return true
}

// memory is what a session has told its server, and a server that takes its place
// must be told.
type memory struct {
	level codec.Value            // params of the last logging/setLevel
	uris  map[string]codec.Value // params of resources/subscribe, by resource
}

// remembers reports whether what the method says is to be remembered.
func remembers(method string) bool {
	switch method {
	case protocol.MethodLoggingSetLevel, protocol.MethodResourcesSubscribe, protocol.MethodResourcesUnsubscribe:
		return true
	}
	return false
}

// remember keeps what the server has accepted.
func (l *link) remember(c *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.kept == nil {
		return // answered before it was asked
	}
	if c.method == protocol.MethodLoggingSetLevel {
		l.memory.level = c.kept
		return
	}
	v, _ := codec.Find(c.kept, "uri")
	uri, _ := v.Text()
	if c.method == protocol.MethodResourcesUnsubscribe {
		delete(l.memory.uris, string(uri))
		return
	}
	if l.memory.uris == nil {
		l.memory.uris = make(map[string]codec.Value)
	}
	if len(l.memory.uris) < l.b.limits.MaxRemembered {
		l.memory.uris[string(uri)] = c.kept
	}
}

// remind tells a server that knows nothing of the session what it was told, and
// the client that the lists may be others. conn is that of the server.
func (l *link) remind(conn transport.Conn) {
	l.mu.Lock()
	level, uris, welcome := l.memory.level, slices.Collect(maps.Values(l.memory.uris)), l.welcome
	l.mu.Unlock()
	if level != nil {
		l.own(conn, protocol.MethodLoggingSetLevel, level)
	}
	for _, params := range uris {
		l.own(conn, protocol.MethodResourcesSubscribe, params)
	}
	l.changed(welcome)
}

// own sends a request of the bridge's own whose answer does not matter.
func (l *link) own(conn transport.Conn, method string, params codec.Value) {
	c := &call{slot: -1, method: method}
	if _, refusal := l.enter(c, &reply{mail: newMailbox()}); refusal == nil {
		l.submit(conn, c, &codec.Message{Kind: codec.Request, Method: []byte(method), Params: params})
	}
}

// tryModern asks a back that refused initialize, by in or by e, whether it speaks
// 2026-07-28, and gives the front its refusal if it does not.
func (l *link) tryModern(c *call, in *transport.Inbound, e *Error) {
	l.mu.Lock()
	conn := l.conn
	l.mu.Unlock()
	if conn != nil {
		if found, err := l.discover(conn); err == nil {
			if in != nil {
				putInbound(in)
			}
			defer putInbound(found)
			hello := l.kept(c)
			up := newUpward(l, hello, found)
			welcome := up.initializeResult(found)
			l.mu.Lock()
			l.adapter, l.hello, l.welcome, l.revision = up, hello, welcome, up.revision
			l.mu.Unlock()
			c.to.result(l, c.slot, c.front, welcome)
			return
		}
	}
	if in == nil {
		l.settle(c, e)
		return
	}
	defer putInbound(in)
	in.ID = c.front
	c.to.answer(l, c.slot, in)
}

// discover asks the back for the versions it speaks. An error means that it does
// not speak 2026-07-28, or not of it.
func (l *link) discover(conn transport.Conn) (*transport.Inbound, error) {
	params := append(codec.Value(nil), `{"_meta":{"`+protocol.MetaProtocolVersion+`":"`+string(protocol.NewestModern)+
		`","`+protocol.MetaClientCapabilities+`":{},"`+protocol.MetaClientInfo+`":`...)
	params = append(append(params, l.b.info()...), "}}"...)
	in, err := l.ask(conn, protocol.MethodServerDiscover, params, l.b.limits.Probe)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(slices.Collect(in.Fact(codec.FactSupportedVersions).Elements()), isNewestModern) {
		putInbound(in)
		return nil, errNotModern
	}
	return in, nil
}

func isNewestModern(v codec.Value) bool {
	text, _ := v.Text()
	return string(text) == string(protocol.NewestModern)
}

var errNotModern = errors.New("the server does not speak 2026-07-28")
