package mcpgo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// open returns a started client transport and the other end of its connection.
func open(t *testing.T, o *mcpgo.ClientOptions) (*mcpgo.ClientTransport, transport.Conn) {
	t.Helper()
	near, far := transport.Pipe(nil)
	c := mcpgo.NewConnTransport(near, o)
	require.NoError(t, c.Start(t.Context()))
	require.NoError(t, c.Start(t.Context())) // again does nothing
	t.Cleanup(func() {
		_ = c.Close()
		_ = far.Close()
	})
	return c, far
}

// send sends a message as text.
func send(t *testing.T, c transport.Conn, text string) {
	t.Helper()
	var m codec.Message
	require.NoError(t, codec.Decode([]byte(text), &m))
	require.NoError(t, c.Send(context.Background(), &m))
}

// receive returns the next message as text.
func receive(t *testing.T, c transport.Conn) string {
	t.Helper()
	var in transport.Inbound
	require.NoError(t, c.Read(&in))
	defer in.Release()
	text, err := in.AppendText(nil)
	require.NoError(t, err)
	return string(text)
}

func request(id any, method string, params any) sdk.JSONRPCRequest {
	return sdk.JSONRPCRequest{JSONRPC: "2.0", ID: mcp.NewRequestId(id), Method: method, Params: params}
}

// Whatever comes before there are handlers waits for them.
func TestClientEarly(t *testing.T) {
	c, far := open(t, nil)
	for i := range 3 {
		send(t, far, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/n","params":{"i":%d}}`, i))
	}
	send(t, far, `{"jsonrpc":"2.0","id":"r","method":"roots/list"}`)
	got := make(chan mcp.JSONRPCNotification, 8)
	c.SetNotificationHandler(func(n mcp.JSONRPCNotification) { got <- n })
	for i := range 3 {
		require.EqualValues(t, i, (<-got).Params.AdditionalFields["i"])
	}
	c.SetRequestHandler(func(_ context.Context, r sdk.JSONRPCRequest) (*sdk.JSONRPCResponse, error) {
		require.Equal(t, "r", r.ID.Value())
		return sdk.NewJSONRPCResultResponse(r.ID, []byte(`{"roots":[]}`)), nil
	})
	require.JSONEq(t, `{"jsonrpc":"2.0","id":"r","result":{"roots":[]}}`, receive(t, far))
}

// A notification handler may send requests, whose answers overtake what waits.
func TestClientReentrant(t *testing.T) {
	c, far := open(t, &mcpgo.ClientOptions{MaxNotifications: 2})
	done := make(chan error, 8)
	c.SetNotificationHandler(func(mcp.JSONRPCNotification) {
		_, err := c.SendRequest(t.Context(), request(int64(1), "ping", nil))
		done <- err
	})
	send(t, far, `{"jsonrpc":"2.0","method":"notifications/n"}`)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, receive(t, far))
	send(t, far, `{"jsonrpc":"2.0","method":"notifications/n"}`)
	send(t, far, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	require.NoError(t, <-done)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, receive(t, far))
	send(t, far, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	require.NoError(t, <-done)
}

// A call returns when the notifications that came before its answer were handled,
// and a handler that panics is alone in that.
func TestClientOrder(t *testing.T) {
	c, far := open(t, nil)
	release := make(chan struct{})
	var handled atomic.Int64
	c.SetNotificationHandler(func(n mcp.JSONRPCNotification) {
		<-release
		if handled.Add(1) == 2 {
			panic("told to")
		}
	})
	go func() {
		receive(t, far)
		for range 3 {
			send(t, far, `{"jsonrpc":"2.0","method":"notifications/n"}`)
		}
		send(t, far, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		close(release)
	}()
	_, err := c.SendRequest(t.Context(), request(int64(1), "m", nil))
	require.NoError(t, err)
	require.EqualValues(t, 3, handled.Load())
}

// Requests of the server run beside one another and as long as they like; what
// fails, fails alone; what is cancelled is not answered.
func TestClientReverse(t *testing.T) {
	c, far := open(t, &mcpgo.ClientOptions{MaxReverse: 2})
	release, cancelled := make(chan struct{}), make(chan struct{})
	c.SetRequestHandler(func(ctx context.Context, r sdk.JSONRPCRequest) (*sdk.JSONRPCResponse, error) {
		switch r.Method {
		case "panic":
			panic("told to")
		case "fail":
			return nil, errors.New("failed")
		case "nothing":
			return nil, nil
		case "cancelled":
			<-ctx.Done()
			close(cancelled)
		case "wait":
			<-release
		}
		return sdk.NewJSONRPCResultResponse(r.ID, []byte(`{}`)), nil
	})
	for method, want := range map[string]string{"panic": "Internal error", "fail": "failed", "nothing": "the handler gave no answer"} {
		send(t, far, `{"jsonrpc":"2.0","id":9007199254740993,"method":"`+method+`"}`)
		require.JSONEq(t, `{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32603,"message":"`+want+`"}}`, receive(t, far))
	}
	send(t, far, `{"jsonrpc":"2.0","id":1,"method":"wait"}`)
	send(t, far, `{"jsonrpc":"2.0","id":2,"method":"cancelled"}`)
	send(t, far, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	require.Contains(t, receive(t, far), "limit of 2 requests")
	send(t, far, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	<-cancelled
	close(release)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, receive(t, far))
	send(t, far, `{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	require.Contains(t, receive(t, far), `"id":4`)
}

// Answers in any order and shape find their calls.
func TestClientAnswers(t *testing.T) {
	c, far := open(t, nil)
	var g sync.WaitGroup
	for id, check := range map[any]func(*sdk.JSONRPCResponse, error){
		int64(1): func(r *sdk.JSONRPCResponse, err error) {
			require.NoError(t, err)
			require.JSONEq(t, `{"a":[1,2]}`, string(r.Result))
			require.Equal(t, int64(1), r.ID.Value())
		},
		"1": func(r *sdk.JSONRPCResponse, err error) {
			require.NoError(t, err)
			require.Equal(t, &mcp.JSONRPCErrorDetails{Code: -5, Message: "m", Data: map[string]any{"x": 1.0}}, r.Error)
		},
		int64(2): func(_ *sdk.JSONRPCResponse, err error) { require.ErrorContains(t, err, "malformed answer") },
	} {
		g.Go(func() { check(c.SendRequest(t.Context(), request(id, "m", map[string]any{"p": id}))) })
	}
	for range 3 {
		receive(t, far)
	}
	_, err := c.SendRequest(t.Context(), request(int64(1), "m", nil))
	require.ErrorContains(t, err, "in use")
	_, err = c.SendRequest(t.Context(), request(1.5, "m", nil))
	require.ErrorContains(t, err, "no request id")
	_, err = c.SendRequest(t.Context(), request(int64(4), "m", func() {}))
	require.ErrorContains(t, err, "params of m")
	send(t, far, `{"jsonrpc":"2.0","id":"1","error":{"code":-5,"message":"m","data":{"x":1}}}`)
	send(t, far, `{"jsonrpc":"2.0","id":77,"result":{}}`)
	require.Error(t, far.Send(t.Context(), &codec.Message{Kind: codec.Response, ID: codec.IntID(2)}))
	raw := codec.Message{Kind: codec.Response, ID: codec.IntID(2), Result: codec.Value(`{},"error":{}`), OneLine: true}
	require.NoError(t, far.Send(t.Context(), &raw))
	send(t, far, `[{"jsonrpc":"2.0","id":1,"result":{"a":[1,2]}}]`)
	g.Wait()
}

// The end of a connection fails every call, and every one to come.
func TestClientEnd(t *testing.T) {
	c, far := open(t, nil)
	lost := make(chan error, 1)
	c.SetConnectionLostHandler(func(err error) { lost <- err })
	go func() {
		receive(t, far)
		_ = far.Close()
	}()
	_, err := c.SendRequest(t.Context(), request(int64(1), "m", nil))
	require.ErrorIs(t, err, sdk.ErrTransportClosed)
	require.ErrorIs(t, <-lost, sdk.ErrTransportClosed)
	_, err = c.SendRequest(t.Context(), request(int64(2), "m", nil))
	require.ErrorIs(t, err, sdk.ErrTransportClosed)
	require.ErrorIs(t, c.SendNotification(t.Context(), mcp.JSONRPCNotification{}), sdk.ErrTransportClosed)

	c, far = open(t, nil)
	go func() {
		receive(t, far)
		_ = c.Close()
	}()
	_, err = c.SendRequest(t.Context(), request(int64(1), "m", nil))
	require.ErrorIs(t, err, sdk.ErrTransportClosed)
	require.ErrorIs(t, c.Start(t.Context()), sdk.ErrTransportClosed)

	c, far = open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		receive(t, far)
		cancel()
	}()
	_, err = c.SendRequest(ctx, request(int64(1), "m", nil))
	require.ErrorIs(t, err, context.Canceled)

	never := mcpgo.NewTransport(failing{}, nil)
	_, err = never.SendRequest(t.Context(), request(int64(1), "m", nil))
	require.ErrorIs(t, err, sdk.ErrTransportClosed)
	require.ErrorIs(t, never.SendNotification(t.Context(), mcp.JSONRPCNotification{}), sdk.ErrTransportClosed)
	require.Empty(t, never.GetSessionId())
	require.ErrorIs(t, never.Start(t.Context()), io.ErrNoProgress)
	require.NoError(t, never.Close())
}

type failing struct{}

func (failing) Dial(context.Context) (transport.Conn, error) { return nil, io.ErrNoProgress }

// A refusal by HTTP is the error that mcp-go's callers look for.
func TestClientStatus(t *testing.T) {
	for status, want := range map[int]error{
		http.StatusUnauthorized: sdk.ErrUnauthorized,
		http.StatusNotFound:     sdk.ErrSessionTerminated,
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		c := mcpgo.NewStreamableHTTP(web.URL, &streamhttp.ClientOptions{NoFallback: true}, nil)
		require.NoError(t, c.Start(t.Context()))
		_, err := c.SendRequest(t.Context(), request(int64(1), "ping", nil))
		require.ErrorIs(t, err, want)
		require.NoError(t, c.Close())
		web.Close()
	}
}

// helperChild is set in the environment of a child that is a server.
const helperChild = "MCPGO_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(helperChild) != "" {
		s := newMCPServer()
		if os.Getenv(helperChild) == "signalled" {
			addSignalTools(s)
		}
		if err := mcpgo.ServeStdio(context.Background(), s, nil); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// addSignalTools adds what TestServeStdio calls.
func addSignalTools(s *server.MCPServer) {
	s.AddTool(mcp.NewTool("session"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(server.ClientSessionFromContext(ctx).SessionID()), nil
	})
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
}

// A server that is a child process, ours at one end and mcp-go at the other.
func TestChild(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	env := helperChild + "=1"
	for name, c := range map[string]sdk.Interface{
		"ours":  mcpgo.NewStdio([]string{exe}, childOptions(env), nil),
		"stock": sdk.NewStdio(exe, []string{env}),
	} {
		for _, version := range []string{legacy} {
			t.Run(name, func(t *testing.T) {
				cl, n := connect(t, c, version)
				exercise(t, cl, n, link{})
				require.NoError(t, cl.Close())
			})
		}
	}
}

// Close ends what waits, also when nobody reads at the other end.
func TestServeEnds(t *testing.T) {
	s := newMCPServer()
	s.AddTool(mcp.NewTool("stuck"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for {
			if err := s.SendNotificationToClient(ctx, "notifications/n", nil); err != nil || ctx.Err() != nil {
				return nil, errors.Join(err, ctx.Err())
			}
		}
	})
	near, far := net.Pipe()
	a := mcpgo.NewServer(s, nil)
	ended := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 300*time.Millisecond)
	defer cancel()
	go func() { ended <- a.Serve(ctx, transport.Stream(far, framing.Newline, nil)) }()
	go func() {
		_, _ = near.Write([]byte(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"stuck",` + meta26 + `}}}` + "\n"))
	}()
	require.ErrorIs(t, <-ended, context.DeadlineExceeded)
	require.NoError(t, a.Shutdown(t.Context()))
	_ = near.Close()
}
