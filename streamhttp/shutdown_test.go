package streamhttp_test

import (
	"bufio"
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestShutdownOrder: where /mcp and /sse stand on one server, the order that the docs
// give answers the calls of both and ends at once after them. An http.Server that is
// shut down before the dispatch.Server waits for the streams of /sse, which nothing
// ends.
func TestShutdownOrder(t *testing.T) {
	for name, documented := range map[string]bool{"documented": true, "http.Server first": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := dispatch.NewServer(&dispatch.Options{Info: everything})
				register(server)
				mcp := streamhttp.NewHandler(server, nil)
				old, err := sse.NewHandler(server, nil)
				require.NoError(t, err)
				mux := http.NewServeMux()
				mux.Handle("/mcp", mcp)
				mux.Handle("/sse", old)
				web := memhttp.Start(mux, nil)
				defer web.Close()
				r := &rig{t: t, srv: server, h: mcp, http: web}

				own := r.session("2025-11-25")
				get := r.do("GET", "", own...)
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					get.ends()
				}()
				answered := make(chan string, 2)
				go func() { answered <- r.do("POST", tool("1", "sleep:3s"), own...).text() }()
				stream, post := openSSE(t, web)
				post(initialize("2025-11-25"), initialized, tool("2", "sleep:5s"))
				go func() {
					text := ""
					for stream.Scan() {
						if strings.Contains(stream.Text(), `"id":2`) {
							text = stream.Text()
						}
					}
					answered <- text
				}()
				synctest.Wait()

				begun := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				if documented {
					require.NoError(t, mcp.Shutdown(ctx))
					require.NoError(t, server.Shutdown(ctx))
					require.NoError(t, old.Close())
					require.NoError(t, web.HTTP().Shutdown(ctx))
					// The longest call, the 5 s that net/http gives a connection which the client has to
					// spare, if it has one, and how often it looks.
					require.Less(t, time.Since(begun), 11*time.Second)
				} else {
					require.NoError(t, mcp.Shutdown(ctx))
					require.ErrorIs(t, web.HTTP().Shutdown(ctx), context.DeadlineExceeded)
					require.NoError(t, server.Shutdown(t.Context()))
					require.NoError(t, old.Close())
				}
				<-ended
				require.ElementsMatch(t, []string{result("1"), "data: " + result("2")}, []string{<-answered, <-answered})
			})
		})
	}
}

// TestShutdownTakesAnswers: while it drains, the handler takes what a call that runs
// may wait for, an answer of its client or its cancellation, and nothing that is to be
// answered; once it is closed, nothing.
func TestShutdownTakesAnswers(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		own := r.session("2025-03-26")
		asks := r.do("POST", tool("1", "ask"), own...)
		question := asks.data()
		id := regexp.MustCompile(`"id":([^,}]*)`).FindStringSubmatch(question)
		require.NotNil(t, id, question)
		broken := r.do("POST", tool("2", "ask"), own...)
		other := regexp.MustCompile(`"id":([^,}]*)`).FindStringSubmatch(broken.data())
		sleeps := make(chan *reply, 1)
		go func() { sleeps <- r.do("POST", tool("3", "sleep:1h"), own...) }()
		synctest.Wait()
		shut := make(chan error, 1)
		go func() { shut <- r.h.Shutdown(t.Context()) }()
		synctest.Wait()

		refused := func(method, body string) {
			t.Helper()
			a := r.do(method, body, own...)
			require.Equal(t, 503, a.StatusCode)
			require.Equal(t, "2", a.Header.Get("Retry-After"))
			require.Contains(t, a.text(), "shutting down")
		}
		refused("POST", tool("4", "x"))
		refused("POST", initialize("2025-03-26"))
		refused("POST", "["+tool("4", "x")+","+initialized+"]")
		refused("POST", "{")
		refused("GET", "")
		refused("DELETE", "")
		require.Equal(t, 202, r.do("POST", `{"jsonrpc":"2.0","id":`+id[1]+`,"result":{}}`, own...).StatusCode)
		require.Equal(t, result("1"), asks.data())
		require.Equal(t, 400, r.do("POST", `{"jsonrpc":"2.0","id":`+other[1]+`,"error":5}`, own...).StatusCode)
		require.Contains(t, broken.data(), `"id":2,"error"`)
		require.Equal(t, 202, r.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`, own...).StatusCode)
		<-sleeps
		require.NoError(t, <-shut)
		refused("POST", initialized)
	})
}

// openSSE opens a connection of HTTP+SSE: its stream, line by line, and how to post.
func openSSE(t *testing.T, web *memhttp.Server) (stream *bufio.Scanner, post func(messages ...string)) {
	resp, err := web.Client().Get(web.URL() + "/sse")
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	stream = bufio.NewScanner(resp.Body)
	endpoint := ""
	for endpoint == "" && stream.Scan() {
		endpoint, _ = strings.CutPrefix(stream.Text(), "data: ")
		if endpoint == stream.Text() {
			endpoint = ""
		}
	}
	return stream, func(messages ...string) {
		for _, m := range messages {
			resp, err := web.Client().Post(web.URL()+endpoint, "application/json", strings.NewReader(m))
			require.NoError(t, err)
			require.Equal(t, 202, resp.StatusCode)
			require.NoError(t, resp.Body.Close())
		}
	}
}
