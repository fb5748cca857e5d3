package eventstream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wirespool/wirespool/sse/eventstream"
)

// part of a body: after a wait, some bytes.
type part struct {
	after time.Duration
	text  string
}

// answer is how the script's server answers one request.
type answer struct {
	status  int // 0 means 200
	header  http.Header
	refused error // instead of any answer
	hangs   bool  // no answer before the request ends
	parts   []part
	end     error // of the body; nil means that it stays open, io.EOF a clean end
}

// asked is one request as the server saw it.
type asked struct {
	at     time.Duration // since the script began
	lastID string
}

// script is an http.RoundTripper that answers one request after the other, in
// the time of a synctest bubble. Beyond the last answer it refuses.
type script struct {
	answers  []answer
	requests []asked
	began    time.Time
	open     atomic.Int32 // bodies that are not closed
}

var errRefused = errors.New("connection refused")

func newScript(answers ...answer) *script { return &script{answers: answers, began: time.Now()} }

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	n := len(s.requests)
	s.requests = append(s.requests, asked{time.Since(s.began), req.Header.Get("Last-Event-ID")})
	if n >= len(s.answers) {
		return nil, errRefused
	}
	a := s.answers[n]
	if a.hangs {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	if a.refused != nil {
		return nil, a.refused
	}
	return s.response(req.Context(), a), nil
}

// response plays the body of an answer until it is closed or ctx ends.
func (s *script) response(ctx context.Context, a answer) *http.Response {
	r, w := io.Pipe()
	s.open.Add(1)
	b := &scriptBody{PipeReader: r, s: s, ended: make(chan struct{})}
	go func() {
		for _, p := range a.parts {
			if !b.wait(ctx, time.After(p.after)) {
				break
			}
			if _, err := io.WriteString(w, p.text); err != nil {
				break
			}
		}
		if a.end == nil {
			b.wait(ctx, nil)
		}
		if ctx.Err() != nil {
			a.end = ctx.Err()
		}
		w.CloseWithError(a.end)
	}()
	h := a.header
	if h == nil {
		h = http.Header{"Content-Type": {"text/event-stream"}}
	}
	status := a.status
	if status == 0 {
		status = http.StatusOK
	}
	return &http.Response{StatusCode: status, Header: h, Body: b}
}

type scriptBody struct {
	*io.PipeReader
	s      *script
	closed atomic.Bool
	ended  chan struct{}
}

// wait reports whether the time has come before the end.
func (b *scriptBody) wait(ctx context.Context, c <-chan time.Time) bool {
	select {
	case <-c:
		return true
	case <-b.ended:
	case <-ctx.Done():
	}
	return false
}

func (b *scriptBody) Close() error {
	if !b.closed.Swap(true) {
		b.s.open.Add(-1)
		close(b.ended)
	}
	return b.PipeReader.Close()
}

// source returns a Source of the script.
func (s *script) source(ctx context.Context, o *eventstream.SourceOptions) *eventstream.Source {
	return eventstream.NewSource(ctx, eventstream.Requests(&http.Client{Transport: s}, newRequest), o)
}

func newRequest(ctx context.Context) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, "http://server.example/mcp", nil)
}

// drain reads a source to its end and closes it.
func drain(t *testing.T, src *eventstream.Source) (got []seen, err error) {
	t.Helper()
	for {
		e, err := src.Next()
		if err != nil && !eventstream.Recoverable(err) {
			if _, again := src.Next(); again != err {
				t.Errorf("final error %v, then %v", err, again)
			}
			src.Close()
			return got, err
		}
		got = append(got, keep(e, err))
	}
}

// ids are the ids of events in their order.
func ids(events []seen) (all []string) {
	for _, e := range events {
		all = append(all, e.id)
	}
	return all
}
