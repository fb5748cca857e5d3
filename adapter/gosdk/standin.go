package gosdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/protocol"
)

// The SDK decodes params at least twice and copies them each time, and the text of
// a result passes through its encoder four times. A tools/call goes a shorter way
// where middleware of ours is in its server: the SDK is given a stand-in, a request
// that has no params, and the middleware makes the call of it and encodes its
// result.
//
// That must not be seen by anybody else. So the middleware has to be the outermost:
// it looks whether the SDK itself has called it. And nothing is taken on that the
// SDK would refuse: a session takes the short way when a call has gone the long one,
// and one of 2026-07-28 only for a client whose description of itself has, byte for
// byte.
const standInMethod = protocol.MethodToolsList

// standInResult is what the SDK encodes for a call whose result is encoded already.
// Nobody writes to it: what the SDK adds to results it adds in 2026-07-28, and to
// it a stand-in is a request of the legacy era.
var standInResult = new(mcp.ListToolsResult)

// standIn is what the SDK does not get of a call.
type standIn struct {
	params mcp.CallToolParamsRaw
	modern bool
	served bool       // the middleware had it
	result buf.Buffer // what the call is answered with
}

// short is what a link has to know for the short way.
type short struct {
	open       atomic.Bool // our middleware is the outermost, and a call has been answered
	closed     atomic.Bool // initialize asked for what is no handshake revision
	serverInfo atomic.Pointer[codec.Value]

	senders map[string]struct{} // guarded by link.mu: what the SDK has accepted
	key     []byte              // guarded by link.mu: memory
}

// standIn returns what stands in for a call; nil where the SDK is to see it.
func (l *link) standIn(m *codec.Message) *standIn {
	if !l.short.open.Load() || l.short.closed.Load() || string(m.Method) != protocol.MethodToolsCall ||
		m.Fact(codec.FactInputResponses) != nil || m.Fact(codec.FactRequestState) != nil {
		return nil
	}
	name, arguments, meta := m.Fact(codec.FactName), m.Fact(codec.FactArguments), m.Fact(codec.FactMeta)
	if name.Kind() != codec.String || bytes.IndexByte(name, '\\') >= 0 ||
		arguments != nil && arguments.Kind() != codec.Object || meta != nil && meta.Kind() != codec.Object {
		return nil
	}
	s := new(standIn)
	if m.Fact(codec.FactMetaProtocolVersion) == nil {
		if l.stateless.Era() != protocol.Legacy && l.agreed() == "" {
			return nil
		}
	} else if s.modern = l.knowsSender(m); !s.modern {
		return nil
	}
	if meta != nil && json.Unmarshal(meta, &s.params.Meta) != nil {
		return nil
	}
	s.params.Name = string(name[1 : len(name)-1])
	s.params.Arguments = bytes.Clone(arguments) // handlers may keep it
	return s
}

// sender returns what a message of 2026-07-28 says of who sends it: what the SDK
// judges before it looks at anything else. The caller holds l.mu.
func (l *link) sender(m *codec.Message) []byte {
	key := append(l.short.key[:0], m.Fact(codec.FactMetaProtocolVersion)...)
	key = append(append(key, ' '), m.Fact(codec.FactMetaClientCapabilities)...)
	key = append(append(key, ' '), m.Fact(codec.FactMetaClientInfo)...)
	l.short.key = key
	return key
}

// knowsSender reports whether the SDK has accepted a sender, and what it adds to
// results is known. One that wants log messages goes the long way: their level is
// in a context that only the SDK can make.
func (l *link) knowsSender(m *codec.Message) bool {
	if l.short.serverInfo.Load() == nil || m.Fact(codec.FactMetaLogLevel) != nil || l.agreed() != "" {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.short.senders[string(l.sender(m))]
	return known
}

// learnHello closes the short way for a client whose initialize asks for a revision
// without handshake, or for one that nobody knows: whatever it then agrees on, the
// SDK adds to its results what it adds in 2026-07-28.
func (l *link) learnHello(m *codec.Message) {
	text, _ := m.Fact(codec.FactProtocolVersion).Text()
	revision, _ := protocol.LookupRevision(text)
	l.short.closed.Store(revision.Era() != protocol.Legacy)
}

// learnWay opens the short way when a tools/call has gone the long one. It takes an
// inbox, for calls that have to be given to the SDK again.
func (l *link) learnWay(c *call, res mcp.Result) {
	r, ok := res.(*mcp.CallToolResult)
	if !ok || r == nil || l.inbox == nil || len(learn().requestKeys) == 0 {
		return
	}
	l.short.open.Store(true)
	text, _ := c.in.Fact(codec.FactMetaProtocolVersion).Text()
	if revision, _ := protocol.LookupRevision(text); revision.Era() != protocol.Modern {
		return
	}
	if _, own := r.Meta[mcp.MetaKeyServerInfo]; !own && l.short.serverInfo.Load() == nil {
		c.signed = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch key := l.sender(&c.in.Message); {
	case len(key) > maxSenderText:
		l.short.key = nil
	case len(l.short.senders) >= maxSenders:
		clear(l.short.senders)
		fallthrough
	default:
		if l.short.senders == nil {
			l.short.senders = make(map[string]struct{})
		}
		l.short.senders[string(key)] = struct{}{}
	}
}

// learnServer reads off a result what the SDK adds to every one.
func (l *link) learnServer(result codec.Value) {
	info, err := codec.Find(result, metaKey, mcp.MetaKeyServerInfo)
	if err != nil || info.Kind() != codec.Object {
		return
	}
	info = bytes.Clone(info)
	l.short.serverInfo.Store(&info)
}

// serve makes the call that a request stands in for.
func (s *standIn) serve(ctx context.Context, l *link, c *call, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	s.served = true
	session := req.GetSession().(*mcp.ServerSession)
	res, err := next(ctx, protocol.MethodToolsCall, &mcp.CallToolRequest{Session: session, Params: &s.params, Extra: c.extra})
	if err != nil || res == nil {
		return res, err
	}
	var info codec.Value
	if s.modern {
		info = *l.short.serverInfo.Load()
	}
	s.result = buf.Get(buf.Reply)
	if s.result.B, err = appendResult(s.result.B, res, info); err != nil {
		return nil, err
	}
	return standInResult, nil
}

// again gives the SDK a call itself whose stand-in did not reach our middleware, or
// not as the first: somebody has put in other middleware since. It has seen the
// stand-in, but nothing has come of it.
func (l *link) again(c *call) {
	l.short.open.Store(false)
	c.standIn = nil
	l.deliver(c.request(&c.in.Message))
}

var errNotOutermost = errors.New("gosdk: there is other middleware before that of the transport")

// sdkCaller is where the SDK calls the outermost middleware.
var sdkCaller atomic.Uintptr

// outermost reports whether the SDK has called the middleware that asks, and not
// other middleware. If a later release calls it elsewhere, the answer is no.
func outermost() bool {
	var pc [1]uintptr
	runtime.Callers(3, pc[:]) // behind this function and the middleware
	if pc[0] == sdkCaller.Load() {
		return true
	}
	frame, _ := runtime.CallersFrames(pc[:]).Next()
	if !strings.HasPrefix(frame.Function, "github.com/modelcontextprotocol/go-sdk/mcp.handleReceive") {
		return false
	}
	sdkCaller.Store(pc[0])
	return true
}
