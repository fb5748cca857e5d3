package streamhttp

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse/eventstream"
	"github.com/wirespool/wirespool/transport"
)

// answer sends what ends the exchange: into the stream if there is one, else as
// the whole response, in one write with its length.
func (e *exchange) answer(ctx context.Context, m *codec.Message) error {
	if (e.modern || e.opens) && e.r.Context().Err() != nil {
		return nil // the client has left: nothing more is sent (SH26-21), and no session opened that nobody knows
	}
	e.mu.Lock()
	was := e.state
	if was > streaming {
		e.mu.Unlock()
		return transport.ErrStreamOver
	}
	e.state = answered
	e.writes = true
	e.mu.Unlock()
	defer e.written()
	if e.opens {
		if err := e.session.opened(m); err != nil {
			e.mu.Lock()
			e.state = was
			e.mu.Unlock()
			return err
		}
	}
	if was == streaming {
		if err := queue(ctx, e.stream, m, nil); err != nil {
			return err
		}
		e.stream.End()
		return e.stream.Flush()
	}
	if e.opens && m.Kind == codec.Response {
		e.w.Header()[protocol.HeaderSessionID] = []string{e.session.id}
	}
	status := http.StatusOK
	if m.Kind == codec.ErrorResponse {
		status = e.status(m)
	}
	b := buf.Get(buf.Reply)
	defer b.Put()
	var err error
	if status == http.StatusOK && (e.events || !e.accept.JSON) {
		if b.B, err = appendEvent(b.B, m, nil); err != nil {
			return err
		}
		return e.write(status, eventStream, b.B)
	}
	if b.B, err = m.AppendText(b.B); err != nil {
		return err
	}
	return e.write(status, jsonText, b.B)
}

// written lets finish go on.
func (e *exchange) written() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.writes = false
	if e.wrote != nil {
		close(e.wrote)
		e.wrote = nil
	}
}

// status is that of an error which is the whole response. What a handler says of
// its own matters is 200 (SH26-25, SL-24).
func (e *exchange) status(m *codec.Message) int {
	if e.isBusy() {
		e.w.Header()["Retry-After"] = retrySoon
		return http.StatusServiceUnavailable
	}
	if !e.modern {
		return http.StatusOK
	}
	value, _ := codec.Find(m.Error, "code")
	switch code, _ := value.Int64(); code {
	case protocol.CodeMethodNotFound: // SH26-15
		return http.StatusNotFound
	case protocol.CodeHeaderMismatch, protocol.CodeMissingRequiredClientCapability, protocol.CodeUnsupportedProtocolVersion, // SH26-16
		protocol.CodeParseError, protocol.CodeInvalidRequest:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

func (e *exchange) isBusy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.busy
}

// Values of headers that are the same for every response. They are never
// written to.
var (
	jsonText    = []string{protocol.MediaTypeJSON}
	eventStream = []string{protocol.MediaTypeEventStream}
	noCache     = []string{"no-cache, no-transform"}
	noBuffering = []string{"no"}
	retrySoon   = []string{strconv.Itoa(int(busyPause / time.Second))}
	none        = []string{"0"}
)

// write writes the whole response.
func (e *exchange) write(status int, kind []string, body []byte) error {
	header := e.w.Header()
	header[protocol.HeaderContentType] = kind
	if kind[0] == protocol.MediaTypeEventStream {
		header["Cache-Control"] = noCache
		header[protocol.HeaderXAccelBuffering] = noBuffering
	}
	e.length[0] = strconv.Itoa(len(body))
	header["Content-Length"] = e.length[:]
	if len(body) > fitsSocket || time.Since(e.begun) > soon { // the server's own limit may have passed
		e.extend()
	}
	e.w.WriteHeader(status)
	_, err := e.w.Write(body)
	return err
}

// extend gives the write that comes its time.
func (e *exchange) extend() {
	if limit := e.h.limits.WriteTimeout; limit != math.MaxInt64 {
		_ = http.NewResponseController(e.w).SetWriteDeadline(time.Now().Add(limit)) // an odd writer has none
	}
}

// finish is called by the request's goroutine when nobody handles the message any
// more: it sends what the response lacks, and waits for what others write.
func (e *exchange) finish() {
	e.h.lingering.Forget(e.place)
	e.mu.Lock()
	was := e.state
	e.state = over
	if e.timer != nil {
		e.timer.Stop()
	}
	var wrote chan struct{}
	if e.writes {
		wrote = make(chan struct{})
		e.wrote = wrote
	}
	e.mu.Unlock()
	if wrote != nil {
		<-wrote // a write is bounded
	}
	switch {
	case e.stream != nil:
		_ = e.stream.Finish() // whose peer has left, or is slow, is no news here
	case was == waiting:
		e.unanswered()
	}
}

// unanswered ends the response to a message that got no answer: it wants none, or
// it was cancelled.
func (e *exchange) unanswered() {
	e.extend()
	switch {
	case !e.wants:
		httpx.Accepted(e.w)
	case e.modern || e.opens:
		if e.r.Context().Err() == nil { // it was we who gave up
			e.h.refuse(e.w, e.r, httpx.Busy(http.StatusServiceUnavailable, "shutting down", busyPause))
		}
	case e.accept.EventStream:
		header := e.w.Header()
		header[protocol.HeaderContentType] = eventStream
		header["Content-Length"] = none
		e.w.WriteHeader(http.StatusOK)
	default:
		e.cancelled()
	}
}

// cancelled answers a cancelled request where JSON is all that the client takes,
// which would wait for ever for silence (N4 of the field).
func (e *exchange) cancelled() {
	body := codec.AppendErrorResponse(nil, e.id, &codec.Error{
		Code:    protocol.CodeRequestCancelled,
		Message: protocol.CodeText(protocol.CodeRequestCancelled),
	})
	_ = e.write(http.StatusOK, jsonText, body) // who has left is not told
}

// appendEvent appends a message as an event.
func appendEvent(dst []byte, m *codec.Message, id []byte) ([]byte, error) {
	out, err := eventstream.AppendHead(dst, id, "")
	if err != nil {
		return dst, err
	}
	if out, err = m.AppendText(out); err != nil {
		return dst, err
	}
	return eventstream.AppendTail(out), nil
}
