package http1

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"
)

const (
	// MaxBody is the largest body of a request: what is larger is written while
	// its response is read, which takes two goroutines.
	MaxBody = 64 << 10

	// MaxHeader bounds the header of a response, and those of the interim ones
	// before it, in bytes; net/http's Transport has the same bound.
	MaxHeader = 10 << 20
)

// Transport is an [http.RoundTripper] for the requests of [Takes]. Its fields are
// set before it is used.
type Transport struct {
	// Dial opens a connection.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// MaxIdle is how many connections are kept for requests to come.
	MaxIdle int
	// IdleTimeout is how long each of them is.
	IdleTimeout time.Duration

	mu     sync.Mutex
	idle   []*conn     // the one that was used last is the last
	closed bool        // since when none is kept, until the next request
	reaper *time.Timer // closes what has waited too long; nil while none waits
}

// Takes reports whether RoundTrip may be given r.
func Takes(r *http.Request) bool {
	return probes && r.URL.Scheme == "http" && r.Method != http.MethodConnect && isASCII(r.URL.Host) &&
		(r.Body == nil || r.ContentLength > 0 && r.ContentLength <= MaxBody) &&
		r.TransferEncoding == nil && r.Trailer == nil && !r.Close &&
		r.Header["Expect"] == nil && r.Header["Upgrade"] == nil && r.Header["Connection"] == nil &&
		httptrace.ContextClientTrace(r.Context()) == nil
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c >= 0x80 }) < 0
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := check(r); err != nil {
		closeBody(r)
		return nil, err
	}
	ctx, sent := r.Context(), r
	for {
		c, err := t.take(ctx, r.URL)
		if err != nil {
			closeBody(sent)
			return nil, err
		}
		resp, err := c.roundTrip(sent)
		if err == nil {
			resp.Request = r
			return resp, nil
		}
		c.close()
		if !c.used || c.wrote > 0 || r.Body != nil && r.GetBody == nil {
			return nil, err
		}
		// The server has closed a connection that was kept for too long.
		if r.Body != nil {
			again := *r
			if again.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
			sent = &again
		}
	}
}

// check refuses what would not be sent as it is.
func check(r *http.Request) error {
	if !httpguts.ValidHeaderFieldName(r.Method) { // the same grammar
		return fmt.Errorf("http1: method %q is no token", r.Method)
	}
	if r.URL.Host == "" {
		return errors.New("http1: the URL has no host")
	}
	for name, values := range r.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("http1: header name %q is no token", name)
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return fmt.Errorf("http1: the value of header %s has bytes that no header may have", name)
			}
		}
	}
	return nil
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close() // nobody reads it
	}
}

// address is where to dial for u.
func address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}
