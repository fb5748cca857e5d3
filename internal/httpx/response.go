package httpx

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse/eventstream"
	"github.com/wirespool/wirespool/transport"
)

// StatusError says that the server answered a request with an HTTP status that
// is no success.
type StatusError struct {
	Method string // of HTTP
	Status int
	Body   string        // an excerpt, for people; control characters become spaces
	Pause  time.Duration // what Retry-After asks for; 0 if the server did not say

	// RPC is the JSON-RPC error in the body; nil if there was none. Message is
	// the message that it is from, raw, and ID its id.
	RPC     *codec.Error
	Message []byte
	ID      codec.ID
}

// Error names the status, and what the body says.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("HTTP %s: status %d %s", e.Method, e.Status, http.StatusText(e.Status))
	switch {
	case e.RPC != nil:
		return text + ": " + e.RPC.Error()
	case e.Body != "":
		return text + ": " + e.Body
	}
	return text
}

// Unwrap returns the JSON-RPC error of the body.
func (e *StatusError) Unwrap() error {
	if e.RPC == nil {
		return nil
	}
	return e.RPC
}

// NotRun implements [transport.Refusal]: a status that blames the request means
// that it was not run, and so does one that asks to come back later. One that
// leads elsewhere may have run it before (RFC 9110 §15.4.4).
func (e *StatusError) NotRun() bool {
	return e.Status >= 400 && e.Status < 500 || e.Status == http.StatusServiceUnavailable && e.Pause > 0
}

// RetryAfter implements [transport.Refusal].
func (e *StatusError) RetryAfter() time.Duration {
	if status := (eventstream.ResponseError{Status: e.Status}); e.Pause == 0 && !status.Temporary() {
		return transport.Never
	}
	return e.Pause
}

// ReadStatus makes an error of a response to a request of this method, from no
// more than max bytes of its body, and closes it.
func ReadStatus(method string, resp *http.Response, max int) *StatusError {
	body := briefly(resp.Body, max, errorBodyTime) // what can be had
	e := &StatusError{
		Method: method, Status: resp.StatusCode,
		Body: excerpt(body),
	}
	if refusal, ok := eventstream.Check(resp).(*eventstream.ResponseError); ok {
		e.Pause = refusal.RetryAfter
	}
	var m codec.Message
	if codec.Decode(body, &m) == nil && m.Kind == codec.ErrorResponse {
		e.RPC, e.Message, e.ID = m.WireError(), body, m.ID
	}
	return e
}

// excerpt makes a foreign body fit for an error text.
func excerpt(body []byte) string {
	const length = 200
	text := strings.ToValidUTF8(string(body[:min(len(body), 4*length)]), "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if len(text) > length {
		text = strings.ToValidUTF8(text[:length], "") + "…"
	}
	return text
}

// Discard ends a response whose body is of no interest. What comes at once is read
// so that the connection can be used again.
func Discard(resp *http.Response) {
	if resp.ContentLength == 0 {
		_ = resp.Body.Close()
		return
	}
	briefly(resp.Body, maxDiscard, discardTime) // a connection less, at worst
}

// briefly reads no more than max bytes of a body, for no longer than limit, and
// closes it: it may have no end.
func briefly(body io.ReadCloser, max int, limit time.Duration) []byte {
	timer := time.AfterFunc(limit, func() { _ = body.Close() })
	defer body.Close()
	defer timer.Stop()
	got, _ := io.ReadAll(io.LimitReader(body, int64(max)))
	return got
}

// MediaType returns the media type that a header declares, in lower case and
// without parameters; empty if it declares none.
func MediaType(h http.Header) string {
	field := h.Get(protocol.HeaderContentType)
	if field == protocol.MediaTypeJSON || field == protocol.MediaTypeEventStream {
		return field
	}
	t, _, err := mime.ParseMediaType(field)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return t
}

// BasicAuth returns the Authorization that the user information of a URL asks
// for.
func BasicAuth(user, password string) string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(user, password)
	return r.Header.Get(protocol.HeaderAuthorization)
}
