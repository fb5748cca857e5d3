package gosdk_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestKeys: this release of the SDK can be watched. Where one cannot, the fallbacks
// that the other tests force are in use.
func TestKeys(t *testing.T) {
	n, rejected := gosdk.Keys()
	require.Equal(t, 1, n)
	var wire *jsonrpc.Error
	require.ErrorAs(t, rejected, &wire)
}

type traceKey struct{}

// tellTool answers with what a handler knows of its request.
func tellTool(s *mcp.Server) {
	s.AddTool(raw("tell"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		extra := req.GetExtra()
		return text(fmt.Sprintf("token=%s ctxtoken=%s header=%s trace=%v", extra.TokenInfo.UserID,
			auth.TokenInfoFromContext(ctx).UserID, extra.Header.Get("X-Test"), ctx.Value(traceKey{}))), nil
	})
}

// authenticated puts what middleware in front of an endpoint finds out into the
// context: who sends the token, and a trace.
func authenticated(h http.Handler) http.Handler {
	traced := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), traceKey{}, r.Header.Get("X-Trace"))))
	})
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		user, _, _ := strings.Cut(token, "-")
		return &auth.TokenInfo{UserID: user, Expiration: time.Now().Add(time.Hour)}, nil
	}
	return auth.RequireBearerToken(verify, nil)(traced)
}

// TestValues: a handler sees the token, the headers and the context of the request
// that its call came in, in every way to serve, not those of the one that opened the
// session; also where the SDK's contexts say nothing.
func TestValues(t *testing.T) {
	for _, blind := range []bool{false, true} {
		for name, o := range map[string]*streamhttp.Options{
			"session": {}, "log": {Log: newLog(t)}, "stateless": {Stateless: true},
		} {
			t.Run(fmt.Sprintf("%s/blind=%t", name, blind), func(t *testing.T) {
				if blind {
					defer gosdk.ForgetKeys()()
				}
				srv := newServer(nil)
				tellTool(srv)
				h := gosdk.NewHandler(always(srv), o)
				t.Cleanup(func() { _ = h.Close() })
				r := newRig(t, authenticated(h))
				sender := func(token, trace string) string {
					return "Authorization: Bearer " + token + "\nX-Trace: " + trace + "\nX-Test: header of " + trace + "\n"
				}
				r.run(&step{"open", "", sender("ann-1", "first"), initialize, 200, nil, ""})
				if r.session != "" {
					r.run(&step{"confirm", "", sender("ann-1", "first"), initialized, 202, nil, ""})
				}
				r.run(&step{"tell", "", sender("ann-2", "second"), toolCall("1", "tell"), 200,
					[]string{"token=ann ctxtoken=ann header=header of second trace=second"}, ""})
				r.run(&step{"tell, modern", "", sender("bob-1", "third") + modernHeaders("tools/call", "tell"), modernCall("1", "tell"), 200,
					[]string{"token=bob ctxtoken=bob header=header of third trace=third"}, ""})
				if r.session != "" {
					r.run(&step{"somebody else's session", "", sender("eve-1", "x"), toolCall("2", "tell"), 404, nil, "trace"})
				}
			})
		}
	}
}

// TestValuesOfHandlers: what middleware of the user's has put into the context wins.
func TestValuesOfHandlers(t *testing.T) {
	srv := newServer(nil)
	tellTool(srv)
	h := gosdk.NewHandler(always(srv), nil)
	r := newRig(t, authenticated(h))
	t.Cleanup(func() { _ = h.Close() })
	const who = "Authorization: Bearer ann-1\nX-Trace: request\n"
	r.run(&step{"open", "", who, initialize, 200, nil, ""})
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			return next(context.WithValue(ctx, traceKey{}, "middleware"), method, req)
		}
	})
	r.run(&step{"tell", "", who, toolCall("1", "tell"), 200, []string{"trace=middleware"}, ""})
}

// TestServerPerRequest: getServer decides, and what it returned is not kept for ever.
func TestServerPerRequest(t *testing.T) {
	made := 0
	h := gosdk.NewHandler(func(r *http.Request) *mcp.Server {
		name := r.Header.Get("X-Server")
		if name == "" {
			return nil
		}
		made++
		s := newServer(nil)
		s.AddTool(raw("name"), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("I am " + name), nil
		})
		return s
	}, &streamhttp.Options{Stateless: true})
	r := newRig(t, h)
	for i := range 3 * gosdk.DefaultMaxServers {
		name := fmt.Sprintf("server %d", i)
		r.run(&step{name, "", modernHeaders("tools/call", "name") + "X-Server: " + name, modernCall("1", "name"), 200, []string{"I am " + name}, ""})
	}
	require.Equal(t, 3*gosdk.DefaultMaxServers, made)
	require.LessOrEqual(t, h.Servers(), gosdk.DefaultMaxServers)
	r.run(&step{"none", "", modernHeaders("tools/call", "name"), modernCall("1", "name"), 400, []string{"no server available"}, ""})
}
