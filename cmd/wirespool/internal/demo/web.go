package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/streamhttp"
)

// SSE shows what HTTP+SSE carries: the revisions with a handshake. The example
// server is at url; rt performs the requests.
func SSE(ctx context.Context, t *Trace, url string, rt http.RoundTripper) error {
	d := sse.URL(url, &sse.ClientOptions{Transport: rt})
	return steps(
		part(ctx, t, d, protocol.V20250326, "the exchange of the handshake era, with a batch: one stream of events carries what POSTs ask for", (*session).exchange),
		part(ctx, t, d, protocol.V20251125, "a list that changes, and what goes wrong", changingAndFailing),
	)
}

// HTTP shows Streamable HTTP in both eras, and a connection that breaks. The
// example server is at url and keeps its events; rt performs the requests.
func HTTP(ctx context.Context, t *Trace, url string, rt http.RoundTripper) error {
	cut := &cutter{trace: t, rt: rt}
	d := streamhttp.URL(url, &streamhttp.ClientOptions{Transport: cut})
	return steps(
		part(ctx, t, d, protocol.V20250326, "the exchange of the handshake era, with a batch", (*session).exchange),
		part(ctx, t, d, protocol.V20251125, "a list that changes, and what goes wrong", changingAndFailing),
		part(ctx, t, d, protocol.V20251125, "a connection that breaks while a call runs", func(s *session, ctx context.Context) error {
			cut.arm()
			err := s.expect(ctx, protocol.MethodToolsCall,
				`{"name":"slow","arguments":{"seconds":0.4,"steps":4},"_meta":{"progressToken":"slow"}}`, "content")
			if err == nil && !cut.resumed() {
				err = fmt.Errorf("the call ended without the stream being resumed")
			}
			return err
		}),
		part(ctx, t, d, protocol.V20260728, noHandshake, (*session).hello),
	)
}

func changingAndFailing(s *session, ctx context.Context) error {
	return steps(
		func() error { return s.changing(ctx) },
		func() error { return s.failing(ctx) },
	)
}

// cutter breaks one connection in the middle of a stream of events, and tells
// how the client comes back.
type cutter struct {
	trace *Trace
	rt    http.RoundTripper

	mu    sync.Mutex
	state cutState
}

type cutState int

const (
	whole cutState = iota // nothing is cut
	armed                 // the next stream will be
	broken
	resumed
)

// arm has the next stream break.
func (c *cutter) arm() { c.become(armed) }

func (c *cutter) become(s cutState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = s
}

func (c *cutter) is(s cutState) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state == s
}

func (c *cutter) resumed() bool { return c.is(resumed) }

// RoundTrip implements [http.RoundTripper].
func (c *cutter) RoundTrip(r *http.Request) (*http.Response, error) {
	last := r.Header.Get(protocol.HeaderLastEventID)
	if last != "" {
		c.trace.Note("%s %s Last-Event-ID: %s", r.Method, r.URL.Path, last)
	}
	resp, err := c.rt.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	switch {
	case last != "" && resp.StatusCode == http.StatusOK && c.is(broken):
		c.trace.Note("the stream goes on behind that event")
		c.become(resumed)
	case r.Method == http.MethodPost && c.is(armed) && strings.HasPrefix(resp.Header.Get(protocol.HeaderContentType), protocol.MediaTypeEventStream):
		resp.Body = &brokenBody{ReadCloser: resp.Body, cutter: c}
	}
	return resp, nil
}

// brokenBody breaks off behind its first message.
type brokenBody struct {
	io.ReadCloser
	cutter *cutter
	seen   []byte
}

// Read implements [io.Reader].
func (b *brokenBody) Read(p []byte) (int, error) {
	if b.cutter.is(broken) {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), 64)])
	b.seen = append(b.seen, p[:n]...)
	if bytes.HasSuffix(b.seen, []byte("\n\n")) && bytes.Contains(b.seen, []byte("data: {")) {
		b.cutter.become(broken)
		_ = b.Close() // the server sees it, too
		b.cutter.trace.Note("the connection breaks")
	}
	return n, err
}
