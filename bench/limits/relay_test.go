package limits_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/bench/limits"
)

// echoServer is a server on pipes that returns every line.
func echoServer(t *testing.T) (io.WriteCloser, io.Reader) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go func() {
		out.CloseWithError(limits.Pipe(in, out))
	}()
	t.Cleanup(func() { _ = toServer.Close() })
	return toServer, fromServer
}

func TestRelay(t *testing.T) {
	near, far := net.Pipe()
	toServer, fromServer := echoServer(t)
	done := make(chan error, 1)
	go func() { done <- limits.Relay(far, toServer, fromServer) }()
	lines := bufio.NewReader(near)
	for _, line := range []string{"one\n", "two\n"} {
		if _, err := io.WriteString(near, line); err != nil {
			t.Fatal(err)
		}
		if got, err := lines.ReadString('\n'); got != line || err != nil {
			t.Errorf("%q came back as %q, %v", line, got, err)
		}
	}
	if err := near.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRelayHTTP(t *testing.T) {
	toServer, fromServer := echoServer(t)
	s := httptest.NewServer(limits.RelayHTTP(toServer, fromServer))
	defer s.Close()
	resp, err := http.Post(s.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); string(text) != "{}\n" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}
