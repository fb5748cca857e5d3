package streamhttp_test

import (
	"bufio"
	"context"
	"net/http"
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
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				if documented {
					require.NoError(t, mcp.Shutdown(ctx))
					require.NoError(t, server.Shutdown(ctx))
					require.NoError(t, old.Close())
					require.NoError(t, web.HTTP().Shutdown(ctx))
					require.Less(t, time.Since(begun), 6*time.Second, "the longest call, and net/http's look at its connections")
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
