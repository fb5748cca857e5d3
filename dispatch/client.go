package dispatch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// EraChoice says how a client finds out what its server speaks.
type EraChoice uint8

const (
	// EraAuto asks with server/discover and falls back to initialize.
	EraAuto EraChoice = iota
	// EraLegacy goes straight to initialize.
	EraLegacy
	// EraModern asks with server/discover and fails where that is not spoken.
	EraModern
)

// ClientOptions configure [Connect]. They are copied.
type ClientOptions struct {
	// Options are those of a server, and what a server alone does with them means
	// nothing to a client: Gate, Listen, Rounds, IDsPerExchange, and of Info the
	// Instructions. Idempotency, TimeoutCode and the limits of handlers concern
	// what the server sends. Name and Version of Info are what the server is
	// told, empty ones too.
	Options
	// Era is how the server's era is found out.
	Era EraChoice
	// Handlers, if set, registers the handlers for what the server sends,
	// before anything is sent or read.
	Handlers func(*Mux)
}

// Client is one connection to a server. Its methods are safe for concurrent
// use.
type Client struct {
	engine *engine
	peer   *Peer
}

// Connect dials a server, finds out which era it speaks, and completes the
// handshake where there is one. It dials again when the server ended the
// connection over the question, or named another version to try. ctx bounds all
// of it; handlers see its values. opts may be nil.
func Connect(ctx context.Context, d transport.Dialer, opts *ClientOptions) (*Client, error) {
	if opts == nil {
		opts = &ClientOptions{}
	}
	c, err := dial(ctx, d, opts)
	if err != nil || opts.Profile == JSONRPC {
		return c, err
	}
	legacy := c.peer.ofEra(protocol.Legacy)
	asked := opts.Era != EraLegacy && c.peer.speaks(protocol.Modern)
	if m, ok := d.(transport.EraMemory); ok && opts.Era == EraAuto && m.Era() == protocol.Legacy {
		asked = false // somebody asked before
	}
	if !asked && opts.Era == EraModern {
		return nil, errors.Join(errors.New("dispatch: server/discover: no revision without handshake can be spoken here"), c.Close())
	}
	if asked {
		modern := c.peer.ofEra(protocol.Modern)
		err = c.discover(ctx, modern)
		if listed := stillModern(err, modern); len(listed) > 0 && ctx.Err() == nil {
			err = c.discover(ctx, listed)
		}
		if err == nil {
			return c, nil
		}
		legacy = fallback(err, legacy)
		if opts.Era == EraModern || len(legacy) == 0 || ctx.Err() != nil {
			return nil, errors.Join(fmt.Errorf("dispatch: server/discover: %w", err), c.Close())
		}
	}
	if len(legacy) == 0 {
		return nil, errors.Join(errors.New("dispatch: initialize: no handshake revision among the versions to speak"), c.Close())
	}
	offer := legacy[len(legacy)-1]
	err = c.initialize(ctx, offer)
	if next, ok := secondTry(err, offer, legacy, asked); ok && ctx.Err() == nil {
		_ = c.Close() // the reason is err
		if c, err = dial(ctx, d, opts); err != nil {
			return nil, err
		}
		err = c.initialize(ctx, next)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dispatch: initialize: %w", err), c.Close())
	}
	return c, nil
}

// versionError says that the server speaks none of the versions it was offered.
type versionError struct {
	supported codec.Value // what it speaks instead, an array; nil if it did not say
	text      string
}

func (e *versionError) Error() string { return e.text }

// supportedBy returns what the server says it speaks, if err is a refusal of a
// version; nil if it did not say.
func supportedBy(err error) codec.Value {
	if e, ok := errors.AsType[*versionError](err); ok {
		return e.supported
	}
	if e, ok := errors.AsType[*codec.Error](err); ok {
		supported, _ := codec.Find(e.Data, "supported")
		return supported
	}
	return nil
}

// fallback returns which of our legacy versions to go on with after
// server/discover failed with err: all of them when the answer was not of
// 2026-07-28 (VN-23, VN-24), only those that the server lists when it was
// (VN-10), and none when it is a modern server with another complaint.
func fallback(err error, legacy []protocol.Revision) []protocol.Revision {
	if e, ok := errors.AsType[*codec.Error](err); ok {
		switch e.Code {
		case protocol.CodeHeaderMismatch, protocol.CodeMissingRequiredClientCapability:
			return nil
		case protocol.CodeUnsupportedProtocolVersion:
			return mutual(supportedBy(err), legacy)
		}
	}
	if _, ok := errors.AsType[*versionError](err); ok {
		return mutual(supportedBy(err), legacy)
	}
	return legacy
}

// stillModern returns which of our modern versions the server lists in the
// refusal of the one that was tried: it is to be asked in one of them (VN-22).
func stillModern(err error, modern []protocol.Revision) []protocol.Revision {
	if e, ok := errors.AsType[*codec.Error](err); ok && e.Code == protocol.CodeUnsupportedProtocolVersion {
		return mutual(supportedBy(err), modern)
	}
	return nil
}

// secondTry decides whether a handshake that failed with err is worth a new
// connection, and with which offer.
func secondTry(err error, offer protocol.Revision, legacy []protocol.Revision, asked bool) (protocol.Revision, bool) {
	if asked && errors.Is(err, net.ErrClosed) { // server/discover was too much for it (VN-25)
		return offer, true
	}
	others := mutual(supportedBy(err), legacy)
	if len(others) == 0 || others[len(others)-1] == offer {
		return "", false
	}
	return others[len(others)-1], true
}

// mutual returns those of ours that the array lists.
func mutual(listed codec.Value, ours []protocol.Revision) []protocol.Revision {
	return slices.DeleteFunc(slices.Clone(ours), func(r protocol.Revision) bool { return !lists(listed, r) })
}

// dial opens a connection and begins to read it.
func dial(ctx context.Context, d transport.Dialer, opts *ClientOptions) (*Client, error) {
	if d == nil {
		return nil, errors.New("dispatch: no Dialer")
	}
	conn, err := d.Dial(ctx)
	if err != nil {
		return nil, err
	}
	e := newEngine(&opts.Options)
	if opts.Handlers != nil {
		opts.Handlers(&e.mux)
	}
	p := newPeer(ctx, e, conn, false)
	p.watchWrites()
	p.startKeepAlive()
	e.add(p)
	go p.read(0)
	return &Client{e, p}, nil
}

// discover asks a server that may know nothing of 2026-07-28, in the last of
// these versions (VN-20 to VN-25).
func (c *Client) discover(ctx context.Context, modern []protocol.Revision) error {
	c.setMeta(modern[len(modern)-1])
	limit := c.engine.limits.ProbeTimeout
	res, err := c.peer.Call(ctx, protocol.MethodServerDiscover, nil, WithTimeout(limit, limit), func(o *callOptions) {
		o.probe, o.inspect = true, func(m *codec.Message) error { return c.discovered(m, modern) }
	})
	if err != nil {
		c.setMeta("")
		return err
	}
	res.Release()
	return nil
}

// discovered takes the answer of a server of 2026-07-28. Caller holds the peer's
// mu.
func (c *Client) discovered(m *codec.Message, modern []protocol.Revision) error {
	if kind := m.Fact(codec.FactResultType); kind != nil {
		if text, _ := kind.Text(); string(text) != protocol.ResultComplete { // CO-25
			return fmt.Errorf("unknown resultType %s", kind)
		}
	}
	supported := m.Fact(codec.FactSupportedVersions)
	if supported.Kind() != codec.Array {
		return errors.New("the answer lists no versions") // of a server that answers anything
	}
	common := mutual(supported, modern)
	if len(common) == 0 {
		return &versionError{
			supported: slices.Clone(supported),
			text:      fmt.Sprintf("no common version: server speaks %s, client %v", supported, modern),
		}
	}
	revision := common[len(common)-1]
	c.peer.state = lifecycle{
		phase:    ready,
		revision: revision,
		remote:   remoteOf(revision, m.Fact(codec.FactMetaServerInfo), m.Result),
		meta:     c.engine.opts.Info.standingMeta(revision),
	}
	c.peer.publish()
	return nil
}

func lists(versions codec.Value, r protocol.Revision) bool {
	for v := range versions.Elements() {
		if text, _ := v.Text(); string(text) == string(r) {
			return true
		}
	}
	return false
}

// setMeta sets what every request carries from now on; nothing for the empty
// revision.
func (c *Client) setMeta(r protocol.Revision) {
	var meta codec.Value
	if r != "" {
		meta = c.engine.opts.Info.standingMeta(r)
	}
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	c.peer.state.meta = meta
	c.peer.publish()
}

// remoteOf reads what initialize and server/discover results have in common.
func remoteOf(revision protocol.Revision, info, result codec.Value) Remote {
	capabilities, _ := codec.Find(result, "capabilities")
	instructions, _ := codec.Find(result, "instructions")
	return Remote{
		Era:          revision.Era(),
		Revision:     revision,
		Info:         slices.Clone(info),
		Capabilities: slices.Clone(capabilities),
		Instructions: slices.Clone(instructions),
	}
}

// initialize performs the legacy handshake (LG-01 to LG-03).
func (c *Client) initialize(ctx context.Context, offer protocol.Revision) error {
	info := &c.engine.opts.Info
	params := append([]byte(nil), `{"protocolVersion":`...)
	params = codec.AppendString(params, offer)
	params = append(params, `,"capabilities":`...)
	params = info.appendCapabilities(params)
	params = append(params, `,"clientInfo":`...)
	params = append(info.appendImplementation(params), '}')
	limit := c.engine.limits.InitializeTimeout
	res, err := c.peer.Call(ctx, protocol.MethodInitialize, params, WithTimeout(limit, limit), func(o *callOptions) {
		o.inspect = c.initialized
	})
	if err != nil {
		return err
	}
	res.Release()
	return c.peer.Notify(ctx, protocol.NotificationInitialized, nil)
}

// initialized takes the answer to initialize. Caller holds the peer's mu.
func (c *Client) initialized(m *codec.Message) error {
	answered, _ := m.Fact(codec.FactProtocolVersion).Text()
	revision, _ := protocol.LookupRevision(answered)
	if legacy := c.peer.ofEra(protocol.Legacy); !slices.Contains(legacy, revision) { // VN-03, VN-05
		return &versionError{
			supported: slices.Clone(m.Fact(codec.FactSupportedVersions)),
			text:      fmt.Sprintf("no common version: server answered %q, client speaks %v", answered, legacy),
		}
	}
	serverInfo, _ := codec.Find(m.Result, "serverInfo")
	c.peer.state = lifecycle{phase: ready, revision: revision, remote: remoteOf(revision, serverInfo, m.Result)}
	c.peer.publish()
	return nil
}

// Peer returns the connection.
func (c *Client) Peer() *Peer { return c.peer }

// Mux returns the table of handlers for what the server sends.
func (c *Client) Mux() *Mux { return &c.engine.mux }

// CallRaw sends a request and waits for its answer: [Peer.Call] of the connection.
// The result borrows its frame until Release.
func (c *Client) CallRaw(ctx context.Context, method string, params []byte, opts ...CallOption) (*Result, error) {
	return c.peer.Call(ctx, method, params, opts...)
}

// Notify sends a notification: [Peer.Notify] of the connection.
func (c *Client) Notify(ctx context.Context, method string, params []byte) error {
	return c.peer.Notify(ctx, method, params)
}

// Batch sends several calls at once and waits for all answers: [Peer.Batch] of the
// connection. Each call has an Err to look at and a Result to release.
func (c *Client) Batch(ctx context.Context, calls []BatchCall) error {
	return c.peer.Batch(ctx, calls)
}

// Close ends the connection in the way of its transport, and waits for what is
// left of it: a handler that outlives the end holds it up for a second.
// Calls that still wait are cancelled first, so that the server does not finish
// them in vain.
func (c *Client) Close() error {
	c.peer.cancelPending()
	err := c.peer.Close()
	<-c.peer.done
	c.engine.watchdog.close()
	c.engine.outcomes.close()
	return err
}
