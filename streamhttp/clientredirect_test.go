package streamhttp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/streamhttp"
)

// TestClientRedirects: a request goes elsewhere by 307 and 308 alone, which keep it
// as it is; to the same origin alone, which is host and scheme; and so many times.
// What is not followed is never asked (SC-12).
func TestClientRedirects(t *testing.T) {
	const failed = "1 failed: HTTP POST: "
	for _, c := range []struct {
		name     string
		status   int
		to       string // from /mcp
		max      int
		want     string
		requests []string // the paths that list was posted to
	}{
		{"307", 307, "/x", 0, answerTo("1", "{}"), []string{"/mcp", "/x"}},
		{"308", 308, "/x", 0, answerTo("1", "{}"), []string{"/mcp", "/x"}},
		{"308 relative", 308, "x?a=b", 0, answerTo("1", "{}"), []string{"/mcp", "/x"}},
		{"308 in full", 308, "http://127.0.0.1:80/x", 0, answerTo("1", "{}"), []string{"/mcp", "/x"}},
		{"301", 301, "/x", 0, failed + "status 301 Moved Permanently", []string{"/mcp"}},
		{"302", 302, "/x", 0, failed + "status 302 Found", []string{"/mcp"}},
		{"303", 303, "/x", 0, failed + "status 303 See Other", []string{"/mcp"}},
		{"another scheme", 308, "https://127.0.0.1:80/x", 0, failed + "redirect to another origin, https://127.0.0.1:80, refused", []string{"/mcp"}},
		{"another host", 308, "http://127.0.0.2:80/x", 0, failed + "redirect to another origin, http://127.0.0.2:80, refused", []string{"/mcp"}},
		{"another host without scheme", 308, "//127.0.0.2:80/x", 0, failed + "redirect to another origin, http://127.0.0.2:80, refused", []string{"/mcp"}},
		{"another port", 307, "http://127.0.0.1:81/x", 0, failed + "redirect to another origin, http://127.0.0.1:81, refused", []string{"/mcp"}},
		{"loop", 308, "/mcp", 0, failed + "more redirects than MaxRedirects = 3", []string{"/mcp", "/mcp", "/mcp", "/mcp"}},
		{"loop of one", 308, "/mcp", 1, failed + "more redirects than MaxRedirects = 1", []string{"/mcp", "/mcp"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var paths []string
				o := &streamhttp.ClientOptions{NoStream: true, Limits: streamhttp.ClientLimits{MaxRedirects: c.max}}
				f := dialFar(t, o, stateful(func(w http.ResponseWriter, r *http.Request, _ string) {
					paths = append(paths, r.URL.Path)
					if r.URL.Path == "/x" {
						asJSON(w, answerTo("1", "{}"))
						return
					}
					w.Header().Set("Location", c.to)
					w.WriteHeader(c.status)
				}))
				f.open()
				require.NoError(t, f.send(list))
				got := f.read()
				require.True(t, strings.HasPrefix(got, c.want), got)
				f.close()
				require.Equal(t, c.requests, paths)
			})
		})
	}
}
