package http1_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/http1"
)

// TestResponse: what comes back, and whether the connection is used again.
func TestResponse(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, c := range []struct {
		name, text string
		status     int
		body       string
		again      bool
	}{
		{"length", ok + "Content-Length: 5\r\n\r\nhello", 200, "hello", true},
		{"nothing", ok + "Content-Length: 0\r\n\r\n", 200, "", true},
		{"chunks", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", 200, "hello", true},
		{"trailer", ok + "Trailer: X\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: 1\r\n\r\n", 200, "a", true},
		{"202", "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", 202, "", true},
		{"204", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", true},
		{"refused", "HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx", 404, "x", true},
		{"interim", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + yes, 200, "{}", true},
		{"close", ok + "Connection: close\r\nContent-Length: 1\r\n\r\na", 200, "a", false},
		{"1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", 200, "a", false},
		{"1.0 keep-alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", 200, "a", true},
		{"too much", ok + "Content-Length: 1\r\n\r\nab!", 200, "a", false},
		{"too much after nothing", ok + "Content-Length: 0\r\n\r\nHTTP!", 200, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &script{conns: []func(net.Conn){answers(c.text, yes), answers(yes)}}
				tr := s.transport()
				status, body, err := exchange(t.Context(), t, tr)
				require.NoError(t, err)
				require.Equal(t, c.status, status)
				require.Equal(t, c.body, body)
				want(t, tr, "{}")
				require.Equal(t, c.again, s.dials.Load() == 1)
				tr.CloseIdleConnections()
			})
		})
	}
}

// TestToTheEnd: a body without a length goes to the end of the connection.
func TestToTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &script{conns: []func(net.Conn){answers("HTTP/1.1 200 OK\r\n\r\nhello"), answers(yes)}}
		tr := s.transport()
		want(t, tr, "hello")
		want(t, tr, "{}")
		require.EqualValues(t, 2, s.dials.Load())
		tr.CloseIdleConnections()
	})
}

// TestBroken: what is no response, or not all of one, is an error; the next
// request has another connection.
func TestBroken(t *testing.T) {
	for _, c := range []struct{ name, text, err string }{
		{"nothing", "", "unexpected EOF"},
		{"half a line", "HTTP/1.1 20", "malformed HTTP status code"},
		{"half a name", "HTTP/1.1 200 OK\r\nContent-Le", "malformed MIME header"},
		{"half a header", "HTTP/1.1 200 OK\r\nContent-Length: 1", "unexpected EOF"},
		{"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "unexpected EOF"},
		{"half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", "unexpected EOF"},
		{"no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", "unexpected EOF"},
		{"no chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n!", "invalid byte in chunk length"},
		{"no HTTP", "SSH-2.0-server\r\n!", "malformed HTTP response"},
		{"no status", "HTTP/1.1 abc OK\r\n\r\n!", "malformed HTTP status code"},
		{"no header", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n!", "malformed MIME header"},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab!", "Content-Length"},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n!", "switches protocols unasked"},
		{"interim for ever", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 1+http1.MaxHeader/25) + "!", "exceeds 10485760 bytes"},
		{"header without end", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", http1.MaxHeader) + "!", "exceeds 10485760 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &script{conns: []func(net.Conn){answers(c.text), answers(yes)}}
				tr := s.transport()
				_, _, err := exchange(t.Context(), t, tr)
				require.ErrorContains(t, err, c.err)
				want(t, tr, "{}")
				require.EqualValues(t, 2, s.dials.Load())
				tr.CloseIdleConnections()
			})
		})
	}
}

// TestLargeHeader: a header may be as large as the bound, and the body after it
// larger.
func TestLargeHeader(t *testing.T) {
	bubble(t, func(t *testing.T) {
		body := strings.Repeat("b", http1.MaxHeader+1)
		text := "HTTP/1.1 200 OK\r\nConnection: close\r\nA: " + strings.Repeat("a", http1.MaxHeader-8192) + "\r\n\r\n" + body
		s := &script{conns: []func(net.Conn){answers(text)}}
		want(t, s.transport(), body)
	})
}

// TestRequest: on the wire a request is what net/http's own transport would send.
func TestRequest(t *testing.T) {
	for _, c := range []struct {
		name, method, body string
		header             http.Header
	}{
		{"POST", http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, http.Header{
			"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}, "Mcp-Session-Id": {"abc"},
		}},
		{"large", http.MethodPost, strings.Repeat("x", http1.MaxBody), http.Header{}},
		{"GET", http.MethodGet, "", http.Header{"Accept": {"text/event-stream"}, "Last-Event-Id": {"7"}, "User-Agent": {"us"}}},
		{"DELETE", http.MethodDelete, "", http.Header{"Authorization": {"Bearer x"}, "X": {"1", "2"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sent := func(by func(dial *script) http.RoundTripper) string {
				var wire bytes.Buffer
				bubble(t, func(t *testing.T) {
					s := &script{conns: []func(net.Conn){func(conn net.Conn) {
						answers(strings.Replace(yes, "\r\n", "\r\nConnection: close\r\n", 1))(&recorded{conn, &wire})
					}}}
					tr := by(s)
					var body io.Reader
					if c.body != "" {
						body = strings.NewReader(c.body)
					}
					r, err := http.NewRequestWithContext(t.Context(), c.method, endpoint+"?a=b", body)
					require.NoError(t, err)
					r.Header = c.header.Clone()
					require.True(t, http1.Takes(r))
					resp, err := tr.RoundTrip(r)
					require.NoError(t, err)
					require.Same(t, r, resp.Request)
					_, err = io.ReadAll(resp.Body)
					require.NoError(t, err)
					require.NoError(t, resp.Body.Close())
				})
				return wire.String()
			}
			theirs := sent(func(s *script) http.RoundTripper {
				return &http.Transport{DialContext: s.transport().Dial, DisableCompression: true}
			})
			require.NotEmpty(t, theirs)
			require.Equal(t, theirs, sent(func(s *script) http.RoundTripper { return s.transport() }))
		})
	}
}

// recorded keeps what is read from a connection.
type recorded struct {
	net.Conn
	wire *bytes.Buffer
}

func (r *recorded) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	r.wire.Write(b[:n])
	return n, err
}
