package wiretrace

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse/eventstream"
)

// maxBody bounds how much of a body is kept to be recorded.
const maxBody = 16 << 20

// Handler records what the clients of h send and get.
func (r *Recorder) Handler(h http.Handler) http.Handler {
	if r == nil {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		answer := &writer{ResponseWriter: w, tap: r.answer(req, front)}
		if req.Body != nil && req.ContentLength != 0 {
			req.Body = &reader{ReadCloser: req.Body, tap: r.request(req, front), left: req.ContentLength}
		} else {
			r.record(c2s, front, r.part(req, 0, req.Header), nil)
		}
		defer answer.end()
		h.ServeHTTP(answer, req)
	})
}

// RoundTripper records what is sent through rt and comes back.
func (r *Recorder) RoundTripper(rt http.RoundTripper) http.RoundTripper {
	if r == nil {
		return rt
	}
	return roundTripper{rt, r}
}

type roundTripper struct {
	rt http.RoundTripper
	r  *Recorder
}

// RoundTrip implements [http.RoundTripper].
func (t roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := req.Clone(req.Context())
	if req.Body != nil && req.ContentLength != 0 {
		sent.Body = &reader{ReadCloser: req.Body, tap: t.r.request(req, back), left: req.ContentLength}
		sent.GetBody = nil
		if req.GetBody != nil {
			sent.GetBody = req.GetBody // a second attempt is not written down again
		}
	} else {
		t.r.record(c2s, back, t.r.part(req, 0, req.Header), nil)
	}
	resp, err := t.rt.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	answer := t.r.answer(req, back)
	answer.begin(resp.StatusCode, resp.Header)
	resp.Body = &reader{ReadCloser: resp.Body, tap: answer, left: resp.ContentLength}
	return resp, nil
}

// tap gathers a body, and writes a line for it, or for each event of it.
type tap struct {
	r      *Recorder
	dir    string
	hop    string
	web    *httpPart
	req    *http.Request
	events bool
	said   bool // a line was written

	mu     sync.Mutex
	body   bytes.Buffer // of a stream: the event that has begun, its lines ended by LF
	looked int          // what of body holds no end of an event
	cr     bool         // the last byte of a stream was CR
	cut    bool         // there was more than body holds
	done   bool
}

func (r *Recorder) request(req *http.Request, hop string) *tap {
	return &tap{r: r, dir: c2s, hop: hop, req: req, web: r.part(req, 0, req.Header)}
}

func (r *Recorder) answer(req *http.Request, hop string) *tap {
	return &tap{r: r, dir: s2c, hop: hop, req: req}
}

// begin notes the head of a response.
func (t *tap) begin(status int, header http.Header) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.web == nil {
		t.web = t.r.part(t.req, status, header)
		t.events = eventstream.IsStream(header.Get(protocol.HeaderContentType))
	}
}

// add takes a piece of the body.
func (t *tap) add(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.events {
		t.keep(b)
		return
	}
	for line := range bytes.Lines(b) {
		t.keep(t.lineEnds(line))
		t.split()
	}
}

// keep adds to body. What is too large is not recorded, and only its end is kept.
// Caller holds t.mu.
func (t *tap) keep(b []byte) {
	if t.body.Len()+len(b) > maxBody {
		t.cut, t.looked = true, 0
		t.body.Next(max(0, t.body.Len()-1))
		b = b[max(0, len(b)-maxBody/2):]
	}
	t.body.Write(b)
}

// lineEnds returns a piece of a stream with LF for every CR and CRLF, which may
// fall into two pieces.
func (t *tap) lineEnds(b []byte) []byte {
	if t.cr && len(b) > 0 && b[0] == '\n' {
		b = b[1:]
		t.cr = false
	}
	if len(b) > 0 {
		t.cr = b[len(b)-1] == '\r'
	}
	if bytes.IndexByte(b, '\r') < 0 {
		return b
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

// split writes the events that are complete. Caller holds t.mu.
func (t *tap) split() {
	for {
		text := t.body.Bytes()
		from := max(0, t.looked-1)
		end := bytes.Index(text[from:], []byte("\n\n"))
		if end < 0 {
			t.looked = len(text)
			return
		}
		t.event(text[:from+end])
		t.body.Next(from + end + 2)
		t.looked, t.cut = 0, false
	}
}

// event writes a line for the data of one event. Caller holds t.mu.
func (t *tap) event(text []byte) {
	if t.cut {
		t.record(nil)
		return
	}
	var data, name []byte
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		} else if value, ok := bytes.CutPrefix(line, []byte("event:")); ok {
			name = bytes.TrimSpace(value)
		}
	}
	if string(name) == "endpoint" || len(data) == 0 { // the first holds a secret, the others nothing
		return
	}
	t.record(data)
}

// record writes a line for text. Caller holds t.mu.
func (t *tap) record(text []byte) {
	t.said = true
	if t.cut {
		text = fmt.Appendf(nil, "not recorded: beyond the limit of %d bytes", maxBody)
	}
	t.r.record(t.dir, t.hop, t.web, text)
}

// end writes the line of a whole body, or of none.
func (t *tap) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done || t.web == nil {
		return
	}
	t.done = true
	switch {
	case !t.events:
		t.record(t.body.Bytes())
	case !t.said:
		t.r.record(t.dir, t.hop, t.web, nil)
	}
}

// reader taps a body that is read.
type reader struct {
	io.ReadCloser
	tap  *tap
	left int64 // that is known to come; negative if nothing is known
}

// Read implements [io.Reader]. The line is written before the reader knows that
// the body has ended, and so before what comes of it.
func (b *reader) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.tap.add(p[:n])
	if b.left > 0 {
		b.left -= int64(n)
	}
	if err != nil || b.left == 0 {
		b.tap.end()
	}
	return n, err
}

// Close implements [io.Closer].
func (b *reader) Close() error {
	b.tap.end()
	return b.ReadCloser.Close()
}

// writer taps a response that is written.
type writer struct {
	http.ResponseWriter
	tap *tap
}

// Unwrap lets http.ResponseController reach what is beneath.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (w *writer) WriteHeader(status int) {
	w.tap.begin(status, w.Header())
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *writer) Write(b []byte) (int, error) {
	w.tap.begin(http.StatusOK, w.Header())
	w.tap.add(b)
	return w.ResponseWriter.Write(b)
}

func (w *writer) end() {
	w.tap.begin(http.StatusOK, w.Header())
	w.tap.end()
}
