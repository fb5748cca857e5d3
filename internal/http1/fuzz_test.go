package http1_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/internal/http1"
)

// FuzzResponse: of whatever a server says we make what net/http's own transport
// makes of it, but for a switch of protocols, which nobody asks for here.
func FuzzResponse(f *testing.F) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, text := range []string{
		yes, "", "HTTP/1.1 20", ok, ok + "\r\n", ok + "A: b\r\n c\r\n\r\n", ok + "nonsense\r\n\r\n",
		ok + "Content-Length: 5\r\n\r\nhello, and more", ok + "Content-Length: 5\r\n\r\nhell", ok + "Content-Length: x\r\n\r\n",
		ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n0\r\nX: y\r\n\r\n",
		ok + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n2;a=b\r\nhe\r\n0\r\n\r\n", ok + "Transfer-Encoding: gzip\r\n\r\n",
		ok + "Connection: close\r\n\r\nto the end", "HTTP/1.0 200 OK\r\n\r\nold", "HTTP/2.0 200 OK\r\n\r\n", "SSH-2.0\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\n" + yes, "HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n" + yes, "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc",
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n", "HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 999 High\r\n\r\n", "HTTP/1.1 401\r\nWWW-Authenticate: Bearer\r\n\r\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := &script{conns: []func(net.Conn){func(c net.Conn) {
			if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(c, text)
			}
		}}}
		dial := s.transport().Dial
		theirs := outcome(t, &http.Transport{DialContext: dial, DisableCompression: true, DisableKeepAlives: true})
		if theirs.status == http.StatusSwitchingProtocols {
			return
		}
		if ours := outcome(t, &http1.Transport{Dial: dial}); ours != theirs {
			t.Fatalf("%+v, but net/http: %+v", ours, theirs)
		}
	})
}

// response is what came of a request, as far as it can be compared.
type response struct {
	status, length int
	header, body   string
	failed         bool // while the body was read; without a status, before that
}

func outcome(t *testing.T, by http.RoundTripper) response {
	resp, err := by.RoundTrip(post(t.Context(), t, "{}"))
	if err != nil {
		return response{failed: true}
	}
	var header strings.Builder
	_ = resp.Header.Write(&header) // memory takes everything
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return response{resp.StatusCode, int(resp.ContentLength), header.String(), string(body), err != nil}
}
