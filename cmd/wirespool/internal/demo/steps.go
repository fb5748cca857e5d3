package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// session is one connection of the demo.
type session struct {
	*dispatch.Client
	trace   *Trace
	changes atomic.Int64  // tools/list_changed notices
	changed chan struct{} // capacity 1: one came
}

// roots is what the demo says it can do, to the example server.
const roots = `{"roots":{"listChanged":true}}`

// connect opens a connection whose messages are traced.
func connect(ctx context.Context, t *Trace, d transport.Dialer, capabilities string, versions ...protocol.Revision) (*session, error) {
	s := &session{trace: t, changed: make(chan struct{}, 1)}
	c, err := dispatch.Connect(ctx, dialer{d, t}, &dispatch.ClientOptions{
		Options: dispatch.Options{Info: dispatch.Info{
			Name: "wirespool-demo", Version: "1", Versions: versions, Capabilities: codec.Value(capabilities),
		}},
		Handlers: func(m *dispatch.Mux) {
			m.Handle(protocol.MethodRootsList, func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				return append(dst, `{"roots":[]}`...), nil
			})
			m.HandleNotification(protocol.NotificationToolsListChanged, func(context.Context, *dispatch.Notification) {
				s.changes.Add(1)
				select {
				case s.changed <- struct{}{}:
				default:
				}
			})
		},
	})
	if err != nil {
		return nil, err
	}
	s.Client = c
	remote := c.Peer().Remote()
	t.Note("negotiated %s (%s era) with %s", remote.Revision, remote.Era, serverName(remote.Info))
	return s, nil
}

func serverName(info codec.Value) string {
	name, _ := codec.Find(info, "name")
	if text, ok := name.Text(); ok {
		return string(text)
	}
	return "a server that gives no name"
}

// call calls a method and returns a copy of its result.
func (s *session) call(ctx context.Context, method, params string) (codec.Value, error) {
	res, err := s.CallRaw(ctx, method, []byte(params))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	res.Detach()
	return res.Value(), nil
}

// expect calls a method and checks that its result holds a text.
func (s *session) expect(ctx context.Context, method, params, text string) error {
	result, err := s.call(ctx, method, params)
	if err != nil {
		return err
	}
	if !strings.Contains(string(result), text) {
		return fmt.Errorf("%s: %q is not in the result %s", method, text, result)
	}
	return nil
}

// steps runs f one after the other and stops at the first error.
func steps(f ...func() error) error {
	for _, step := range f {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// exchange is the eight steps of a session, and a batch.
func (s *session) exchange(ctx context.Context) error {
	expect := func(method, params, text string) func() error {
		return func() error { return s.expect(ctx, method, params, text) }
	}
	return steps(
		expect(protocol.MethodToolsList, "", `"echo"`),
		expect(protocol.MethodToolsCall, `{"name":"echo","arguments":{"message":"Hello from MCP client!"}}`, "Echo: Hello from MCP client!"),
		expect(protocol.MethodToolsCall, `{"name":"add","arguments":{"a":42,"b":58}}`, "100"),
		expect(protocol.MethodResourcesList, "", "info://server-info"),
		expect(protocol.MethodResourcesRead, `{"uri":"info://server-info"}`, "info://server-info"),
		expect(protocol.MethodPromptsList, "", "summarize"),
		expect(protocol.MethodPromptsGet, `{"name":"summarize","arguments":{"text":"MCP defines a standard protocol.","max_words":"20"}}`, "MCP defines"),
		func() error { return s.batch(ctx) },
	)
}

// batch sends an array of requests and a notification: the slow items are
// answered together after the time of one.
func (s *session) batch(ctx context.Context) error {
	const nap = 50 * time.Millisecond
	slow := codec.Value(`{"name":"slow","arguments":{"seconds":0.05,"steps":1}}`)
	calls := []dispatch.BatchCall{
		{Method: protocol.MethodToolsCall, Params: slow},
		{Method: protocol.MethodToolsCall, Params: slow},
		{Method: protocol.NotificationRootsListChanged, Notify: true},
		{Method: protocol.MethodToolsCall, Params: slow},
		{Method: protocol.MethodToolsCall, Params: codec.Value(`{"name":"echo","arguments":{"message":"in a batch"}}`)},
	}
	begun := time.Now()
	if err := s.Batch(ctx, calls); err != nil {
		return fmt.Errorf("batch: %w", err)
	}
	took := time.Since(begun)
	for i := range calls {
		if calls[i].Err != nil {
			return fmt.Errorf("batch, item %d: %w", i, calls[i].Err)
		}
		if calls[i].Result != nil {
			calls[i].Result.Release()
		}
	}
	s.trace.Note("three calls that take %v each, and one that is fast, answered in parallel after %v; the notification gets no answer",
		nap, took.Round(100*time.Microsecond))
	return nil
}

// changing shows a list of tools that changes at run time.
func (s *session) changing(ctx context.Context) error {
	tools, err := s.call(ctx, protocol.MethodToolsList, "")
	if err != nil {
		return err
	}
	s.trace.Note("%d tools are cached; now the server gets one more", count(tools))
	if err := s.expect(ctx, protocol.MethodToolsCall, `{"name":"add_tool","arguments":{"name":"extra_hello"}}`, "added"); err != nil {
		return err
	}
	select {
	case <-s.changed:
	case <-ctx.Done():
		return fmt.Errorf("no list_changed came: %w", context.Cause(ctx))
	}
	s.trace.Note("the cached list is dropped and fetched again")
	if err := s.expect(ctx, protocol.MethodToolsList, "", "extra_hello"); err != nil {
		return err
	}
	return s.expect(ctx, protocol.MethodToolsCall, `{"name":"extra_hello"}`, "Hello from extra_hello!")
}

func count(list codec.Value) (n int) {
	tools, _ := codec.Find(list, "tools")
	for range tools.Elements() {
		n++
	}
	return n
}

// failing shows two ways in which things go wrong without harm.
func (s *session) failing(ctx context.Context) error {
	s.trace.Note("a tool that fails is a result with isError, which a model can read")
	if err := s.expect(ctx, protocol.MethodToolsCall, `{"name":"divide","arguments":{"a":1,"b":0}}`, `"isError":true`); err != nil {
		return err
	}
	s.trace.Note("a call that is given up: notifications/cancelled, and no answer")
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	if _, err := s.call(short, protocol.MethodToolsCall, `{"name":"slow","arguments":{"seconds":30}}`); !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the cancelled call returned %v", err)
	}
	return nil
}

// garbling shows a third one, which only a byte stream has.
func (s *session) garbling(ctx context.Context) error {
	s.trace.Note("a line that is no JSON is answered with -32700, and the next one is served")
	// A Message of kind Batch carries any text; nothing else here would send
	// what is no JSON.
	broken := &codec.Message{Kind: codec.Batch, Array: codec.Value(`{"jsonrpc":"2.0","id":4,`), OneLine: true}
	if err := s.Peer().Conn().Send(ctx, broken); err != nil {
		return err
	}
	return s.expect(ctx, protocol.MethodToolsCall, `{"name":"echo","arguments":{"message":"still here"}}`, "Echo: still here")
}
