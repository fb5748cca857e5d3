package everything_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
	"github.com/wirespool/wirespool/typed"
)

type object = map[string]any

// session is a server and a host connected to it by a pipe, in a bubble where
// time does not pass while anything runs.
type session struct {
	*host.Host
	t        *testing.T
	server   *dispatch.Server
	revision protocol.Revision

	mu    sync.Mutex
	logs  []string
	news  int                 // times the list of tools was fetched
	notes map[string][]string // params of other notifications, by method
}

type dialer struct{ conn transport.Conn }

func (d dialer) Dial(context.Context) (transport.Conn, error) { return d.conn, nil }

// eachRevision runs f in every revision.
func eachRevision(t *testing.T, f func(t *testing.T, s *session)) {
	for r := range protocol.Revisions() {
		t.Run(string(r), func(t *testing.T) { within(t, r, nil, f) })
	}
}

// modernOnly runs f in 2026-07-28.
func modernOnly(t *testing.T, f func(t *testing.T, s *session)) {
	t.Helper()
	within(t, protocol.V20260728, nil, f)
}

// within runs f with a session in one revision.
func within(t *testing.T, r protocol.Revision, change func(*host.Options), f func(t *testing.T, s *session)) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{t: t, server: everything.New(nil).Server, revision: r, notes: map[string][]string{}}
		near, far := transport.Pipe(nil)
		served := make(chan error, 1)
		go func() { served <- s.server.Serve(context.Background(), far) }()
		opts := &host.Options{
			Versions: []protocol.Revision{r},
			Sample:   func(_ context.Context, prompt string) (string, error) { return "sampled " + prompt, nil },
			Elicit: func(_ context.Context, message string, form json.RawMessage) (map[string]any, error) {
				if !json.Valid(form) {
					return nil, errors.New("the form is no schema")
				}
				return object{"name": "Zoë", "username": "zoe", "color": "blue", "ok": true, "confirm": true}, nil
			},
			Roots: []string{"file:///a", "file:///b"},
			OnLog: func(level, text string) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.logs = append(s.logs, level+": "+text)
			},
			Handlers: func(m *dispatch.Mux) {
				m.HandleNotification("notifications/*", func(_ context.Context, n *dispatch.Notification) {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.notes[n.Method()] = append(s.notes[n.Method()], string(n.Params()))
				})
			},
			OnTools: func([]host.Tool) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.news++
			},
		}
		if change != nil {
			change(opts)
		}
		var err error
		s.Host, err = host.Connect(t.Context(), dialer{near}, opts)
		require.NoError(t, err)
		require.Equal(t, r, s.Client().Peer().Revision())
		defer func() {
			_ = s.Close() // the server's end is what counts
			<-served
			require.NoError(t, s.server.Shutdown(context.Background()))
		}()
		f(t, s)
	})
}

// noted returns the params of the notifications of a method that came since it
// was last asked.
func (s *session) noted(method string) []string {
	s.t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	params := s.notes[method]
	delete(s.notes, method)
	return params
}

func (s *session) modern() bool { return s.revision.Era() == protocol.Modern }

// raw calls a method and returns the decoded result.
func (s *session) raw(method string, params any) object {
	s.t.Helper()
	result, err := typed.Call[object](s.t.Context(), s.Client(), method, params)
	require.NoError(s.t, err, "%s %v", method, params)
	return result
}

// refused calls a method that must fail, and returns how.
func (s *session) refused(method string, params any) *codec.Error {
	s.t.Helper()
	_, err := typed.Call[object](s.t.Context(), s.Client(), method, params)
	wire, ok := errors.AsType[*codec.Error](err)
	require.True(s.t, ok, "%s %v: %v", method, params, err)
	return wire
}

// text calls a tool and returns its text.
func (s *session) text(tool string, arguments any) string {
	s.t.Helper()
	result, err := s.Call(s.t.Context(), tool, arguments)
	require.NoError(s.t, err, tool)
	require.False(s.t, result.IsError, "%s: %s", tool, result.Text())
	return result.Text()
}

func (s *session) names() []string {
	s.t.Helper()
	tools, err := s.Tools(s.t.Context())
	require.NoError(s.t, err)
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return names
}
