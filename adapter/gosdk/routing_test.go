package gosdk_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/streamhttp"
)

// endpoint runs f with an endpoint in a bubble, where time is virtual.
func endpoint(t *testing.T, kept bool, f func(r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		o := &streamhttp.Options{}
		if kept {
			o.Log = newLog(t)
		}
		srv := newServer(nil)
		r := newRig(t, gosdk.NewHandler(always(srv), o))
		r.mcp = srv
		f(r)
	})
}

func (r *rig) open() {
	r.t.Helper()
	r.run(&step{"open", "", "", initialize, 200, nil, ""})
	r.run(&step{"confirm", "", "", initialized, 202, nil, ""})
}

// start sends a request whose response is read later.
func (r *rig) start(s *step) (finish func() string) {
	done := make(chan string, 1)
	go func() {
		resp := r.do(s)
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		done <- string(body)
	}()
	synctest.Wait()
	return func() string { return <-done }
}

// TestNotificationsFindTheirCall: of two calls at once each gets what its handler
// sent, also where the SDK's contexts say nothing, by the progress token.
func TestNotificationsFindTheirCall(t *testing.T) {
	for _, blind := range []bool{false, true} {
		for _, kept := range []bool{false, true} {
			endpoint(t, kept, func(r *rig) {
				if blind {
					defer gosdk.ForgetKeys()()
				}
				gate := make(chan struct{})
				r.mcp.AddTool(raw("both"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					<-gate
					token := req.Params.GetProgressToken()
					err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Message: fmt.Sprint("for ", token)})
					return text(fmt.Sprint("answer to ", token)), err
				})
				r.open()
				call := func(id, token string) func() string {
					return r.start(&step{body: `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"both","_meta":{"progressToken":"` + token + `"}}}`})
				}
				one, two := call("1", "one"), call("2", "two")
				gate <- struct{}{}
				gate <- struct{}{}
				for token, got := range map[string]string{"one": one(), "two": two()} {
					require.Contains(r.t, got, "for "+token)
					require.Contains(r.t, got, "answer to "+token)
					require.Equal(r.t, 1, strings.Count(got, "notifications/progress"), got)
				}
			})
		}
	}
}

// TestQuestionsFindTheirCall: a request to the client goes out on the stream of the
// call that it was made in, and its answer comes by another POST; where the SDK's
// contexts say nothing, as long as one call runs.
func TestQuestionsFindTheirCall(t *testing.T) {
	for _, blind := range []bool{false, true} {
		endpoint(t, false, func(r *rig) {
			if blind {
				defer gosdk.ForgetKeys()()
			}
			r.open()
			resp := r.do(&step{body: toolCall("1", "sample")})
			defer resp.Body.Close()
			var event [512]byte
			n, err := resp.Body.Read(event[:])
			require.NoError(r.t, err)
			require.Contains(r.t, string(event[:n]), `"method":"sampling/createMessage"`)
			_, id, _ := strings.Cut(string(event[:n]), `"id":`)
			id, _, _ = strings.Cut(id, ",")
			r.run(&step{"answer", "", "", `{"jsonrpc":"2.0","id":` + id + `,"result":{"model":"m","role":"assistant","content":{"type":"text","text":"found"}}}`, 202, nil, ""})
			rest, err := io.ReadAll(resp.Body)
			require.NoError(r.t, err)
			require.Contains(r.t, string(rest), "found")
		})
	}
}

// TestModernLeaves: who closes a request of 2026-07-28 has cancelled it (SH26-21).
func TestModernLeaves(t *testing.T) {
	endpoint(t, false, func(r *rig) {
		cancelled := make(chan struct{})
		r.mcp.AddTool(raw("until"), func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			close(cancelled)
			return nil, ctx.Err()
		})
		ctx, leave := context.WithCancel(r.t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.srv.URL(), strings.NewReader(modernCall("1", "until")))
		require.NoError(r.t, err)
		for line := range strings.Lines(modernHeaders("tools/call", "until") + "Content-Type: application/json\nAccept: application/json, text/event-stream") {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			req.Header.Set(name, value)
		}
		go func() {
			_, err := r.srv.Client().Do(req)
			require.ErrorIs(r.t, err, context.Canceled)
		}()
		synctest.Wait()
		leave()
		<-cancelled
	})
}

// TestSlowCall: a call that takes its time has headers and comments long before its
// answer (SH26-24).
func TestSlowCall(t *testing.T) {
	for _, modern := range []bool{false, true} {
		endpoint(t, false, func(r *rig) {
			r.mcp.AddTool(raw("slow"), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				<-time.After(time.Minute)
				return text("late"), nil
			})
			s := step{header: modernHeaders("tools/call", "slow"), body: modernCall("1", "slow")}
			if !modern {
				r.open()
				s = step{body: toolCall("1", "slow")}
			}
			began := time.Now()
			resp := r.do(&s)
			defer resp.Body.Close()
			require.Equal(r.t, streamhttp.DefaultKeepAlive, time.Since(began))
			body, err := io.ReadAll(resp.Body)
			require.NoError(r.t, err)
			require.GreaterOrEqual(r.t, strings.Count(string(body), "\n:"), 2, "%q", body)
			require.Contains(r.t, string(body), "late")
		})
	}
}

// TestCancelledCall: a cancelled call of a session gets an end and no answer (CA-05).
func TestCancelledCall(t *testing.T) {
	endpoint(t, false, func(r *rig) {
		r.open()
		call := r.start(&step{body: toolCall(`"a"`, "wait")})
		r.run(&step{"cancel", "", "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0061"}}`, 202, nil, ""})
		require.NotContains(t, call(), `"id":"a"`)
		r.run(&step{"go on", "", "", ping(`"a"`), 200, []string{`"id":"a","result"`}, ""})
	})
}

// TestUndeliverable: what nobody is there to take fails by itself, and the session
// goes on.
func TestUndeliverable(t *testing.T) {
	endpoint(t, false, func(r *rig) {
		failed := make(chan error, 2)
		r.mcp.AddTool(raw("late"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			go func() {
				<-time.After(time.Second) // the call is answered by then, and there is no GET stream
				ctx := context.WithoutCancel(ctx)
				failed <- req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "tok", Progress: 1})
				_, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{})
				failed <- err
			}()
			return text("early"), nil
		})
		r.open()
		r.run(&step{"call", "", "", toolCall("1", "late"), 200, []string{"early"}, ""})
		require.Error(r.t, <-failed)
		require.Error(r.t, <-failed)
		r.run(&step{"go on", "", "", ping("2"), 200, []string{`"id":2`}, ""})
	})
}

// TestAbandoned: a client of a session that leaves in the middle of a call does not
// cancel it (SL-14), and that its answer finds nobody is no harm; with a log the
// client can come for it.
func TestAbandoned(t *testing.T) {
	for _, kept := range []bool{false, true} {
		endpoint(t, kept, func(r *rig) {
			finished := make(chan error, 1)
			r.mcp.AddTool(raw("long"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: "tok", Progress: 1})
				<-time.After(time.Minute)
				finished <- ctx.Err()
				return text("the answer"), err
			})
			r.open()
			resp := r.do(&step{body: toolCall("1", "long")})
			var id string
			for lines := bufio.NewReader(resp.Body); ; {
				line, err := lines.ReadString('\n')
				require.NoError(r.t, err)
				if after, ok := strings.CutPrefix(line, "id: "); ok {
					id = strings.TrimSpace(after)
				}
				if strings.HasPrefix(line, "data: {") {
					break
				}
			}
			require.NoError(r.t, resp.Body.Close())
			require.NoError(r.t, <-finished)
			r.run(&step{"go on", "", "", ping("2"), 200, []string{`"id":2`}, ""})
			if kept {
				require.Contains(r.t, r.start(&step{method: http.MethodGet, header: "Last-Event-ID: " + id})(), "the answer")
			}
		})
	}
}

// TestSubscriptions: each subscription of 2026-07-28 has a stream of its own and the
// id that its client gave it (SU-05, SU-08), and ends with a result (SU-10).
func TestSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(nil)
		h := gosdk.NewHandler(always(srv), nil)
		r := newRig(t, h)
		listen := func(id string) func() string {
			return r.start(&step{header: modernHeaders("subscriptions/listen", ""),
				body: `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`})
		}
		one, two := listen(`"one"`), listen(`12345678901234567890`)
		srv.AddTool(raw("new"), nothing)
		<-time.After(time.Second)
		ended := make(chan error)
		go func() { ended <- h.Shutdown(context.Background()) }()
		for id, got := range map[string]string{`"one"`: one(), `12345678901234567890`: two()} {
			require.Equal(t, 3, strings.Count(got, `"io.modelcontextprotocol/subscriptionId":`+id), got)
			require.Equal(t, 1, strings.Count(got, "notifications/tools/list_changed"), got)
			require.Contains(t, got, `"id":`+id+`,"result"`)
		}
		require.NoError(t, <-ended)
	})
}

// TestCloseStream: a handler lets go of the connection, and the client comes back
// for the answer (SL-11). Without a log nobody could come back: the call goes on.
func TestCloseStream(t *testing.T) {
	for _, kept := range []bool{true, false} {
		endpoint(t, kept, func(r *rig) {
			r.mcp.AddTool(raw("poll"), func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				req.GetExtra().CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 300 * time.Millisecond})
				<-time.After(time.Second)
				return text("fetched"), nil
			})
			r.open()
			got := r.start(&step{body: toolCall("1", "poll")})()
			if !kept {
				require.Contains(r.t, got, "fetched")
				return
			}
			require.Contains(r.t, got, "retry: 300")
			require.NotContains(r.t, got, "fetched")
			_, id, _ := strings.Cut(got, "id: ")
			id, _, _ = strings.Cut(id, "\n")
			rest := r.start(&step{method: http.MethodGet, header: "Last-Event-ID: " + id})
			require.Contains(r.t, rest(), "fetched")
		})
	}
}

// TestClosedMeanwhile: a message that meets the end of its handler leaves no
// session behind.
func TestClosedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		h := gosdk.NewHandler(always(s), nil)
		require.ErrorIs(t, h.Late(s, h.Close), net.ErrClosed)
		synctest.Wait()
		for range s.Sessions() {
			t.Error("a session is left")
		}
	})
}
