package host_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
	"github.com/wirespool/wirespool/typed"
)

// ME-03: one fetch at a time, and one more if a notice came meanwhile.
func TestToolList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var version, fetches, running atomic.Int64
		list := host.NewToolList(t.Context(), func(context.Context) ([]host.Tool, error) {
			seen := version.Load()
			fetches.Add(1)
			if running.Add(1) > 1 {
				t.Error("two fetches at once")
			}
			<-time.After(time.Second)
			running.Add(-1)
			return []host.Tool{{Name: fmt.Sprintf("v%d", seen)}}, nil
		})
		get := func() string {
			tools, err := list.Get(t.Context())
			require.NoError(t, err)
			return tools[0].Name
		}
		require.Equal(t, "v0", get())
		require.Equal(t, "v0", get())
		require.Equal(t, int64(1), fetches.Load(), "from memory")

		version.Store(1)
		list.Changed()
		<-time.After(time.Second / 2)
		version.Store(2)
		list.Changed() // while it runs, and again
		list.Changed()
		require.Equal(t, "v2", get(), "the running fetch had missed the second change")
		require.Equal(t, int64(3), fetches.Load())
	})
}

func TestToolListTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		list := host.NewToolList(t.Context(), func(context.Context) ([]host.Tool, error) { return []host.Tool{{Name: "x"}}, broken })
		_, err := list.Get(t.Context())
		require.ErrorIs(t, err, broken)
		broken = nil
		tools, err := list.Get(t.Context())
		require.NoError(t, err)
		require.Len(t, tools, 1)

		slow := host.NewToolList(t.Context(), func(ctx context.Context) ([]host.Tool, error) { <-ctx.Done(); return nil, ctx.Err() })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = slow.Get(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

type dialer struct{ conn transport.Conn }

func (d dialer) Dial(context.Context) (transport.Conn, error) { return d.conn, nil }

// connect returns a host of a server that does what no good server does.
func connect(t *testing.T, tool func(round int) string, list func(cursor string) string) *host.Host {
	t.Helper()
	srv := dispatch.NewServer(nil)
	round := 0
	srv.Handle(protocol.MethodToolsCall, func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		round++
		return append(dst, tool(round)...), nil
	})
	srv.Handle(protocol.MethodToolsList, typed.Handler(func(_ context.Context, _ *dispatch.Request, in struct {
		Cursor *string `json:"cursor"`
	}) (codec.Value, error) {
		if in.Cursor == nil {
			return codec.Value(list("first")), nil
		}
		return codec.Value(list(*in.Cursor)), nil
	}))
	near, far := transport.Pipe(nil)
	go func() { _ = srv.Serve(context.Background(), far) }() // ends with the host
	h, err := host.Connect(t.Context(), dialer{near}, &host.Options{
		Era:    dispatch.EraModern,
		Sample: func(context.Context, string) (string, error) { return "yes", nil },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h
}

func TestCallAgainstBadServers(t *testing.T) {
	const ask = `{"resultType":"input_required","inputRequests":{"q":{"method":"%s","params":{"messages":[]}}}}`
	for name, tt := range map[string]struct {
		tool func(round int) string
		want string
	}{
		"asks for ever":    {func(int) string { return fmt.Sprintf(ask, "sampling/createMessage") }, "asked more than"},
		"asks the unknown": {func(int) string { return fmt.Sprintf(ask, "roots/list") }, `cannot answer "roots/list"`},
		"unknown kind":     {func(int) string { return `{"resultType":"surprise"}` }, "surprise"},
		"no content":       {func(int) string { return `{"content":5}` }, "content: want array, got number"},
		"duplicate in request": {func(int) string {
			return `{"resultType":"input_required","inputRequests":{"q":{"method":"a","method":"b"}}}`
		}, "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := connect(t, tt.tool, nil).Call(t.Context(), "x", nil)
			require.ErrorContains(t, err, tt.want)
		})
	}

	asked := connect(t, func(round int) string {
		if round == 1 {
			return `{"resultType":"input_required","requestState":"s"}` // only the state: MR-05
		}
		return `{"resultType":"complete","content":[{"type":"text","text":"done"},{"type":"image"},{"type":"text","text":"twice"}]}`
	}, nil)
	result, err := asked.Call(t.Context(), "x", nil)
	require.NoError(t, err)
	require.Equal(t, "done\ntwice", result.Text())
}

func TestPages(t *testing.T) {
	pages := map[string]string{
		"first": `{"tools":[{"name":"a"}],"nextCursor":""}`, // an empty cursor is one (PG-01)
		"":      `{"tools":[{"name":"b"}],"nextCursor":"2"}`,
		"2":     `{"tools":[{"name":"c"}]}`,
	}
	tools, err := connect(t, nil, func(cursor string) string { return pages[cursor] }).Tools(t.Context())
	require.NoError(t, err)
	require.Len(t, tools, 3)

	endless := connect(t, nil, func(string) string { return `{"tools":[],"nextCursor":"x"}` })
	_, err = endless.Tools(t.Context())
	require.ErrorContains(t, err, "pages")
}
