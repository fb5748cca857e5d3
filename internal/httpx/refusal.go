package httpx

import (
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// Refusal is a request that is not served: its HTTP status, and the JSON-RPC
// error of its body. It is an error so that it can be returned as one.
type Refusal struct {
	Status int
	Code   int64    // of the JSON-RPC error; 0 means that there is no body
	Reason string   // goes over the wire: no secrets
	ID     codec.ID // of the JSON-RPC error: borrowed until Write; nil leaves it out
	Data   codec.Value

	// Header is added to the response; nil when there is nothing to add.
	Header http.Header
	// Close ends the connection after the response, because the rest of the
	// request is not read.
	Close bool
}

// Refuse returns a refusal with -32600 for what is wrong with the request, or
// -32000 for what is wrong with its sender or with us: 401, 403, 404, 408, 429
// and from 500 on.
func Refuse(status int, reason string) *Refusal {
	code := int64(protocol.CodeInvalidRequest)
	switch {
	case status >= 500:
		code = protocol.CodeTimeout
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound,
		status == http.StatusRequestTimeout, status == http.StatusTooManyRequests:
		code = protocol.CodeTimeout
	}
	return &Refusal{Status: status, Code: code, Reason: reason}
}

// NotAllowed returns the 405 of a method that the resource lacks; allow lists
// those it has.
func NotAllowed(allow string) *Refusal {
	return Refuse(http.StatusMethodNotAllowed, "method not allowed; use "+allow).With(protocol.HeaderAllow, allow)
}

// Busy returns the refusal, 429 or 503, of a request that may be tried again
// after a while.
func Busy(status int, reason string, after time.Duration) *Refusal {
	seconds := max(1, int64((after+time.Second-1)/time.Second))
	return Refuse(status, reason).With("Retry-After", strconv.FormatInt(seconds, 10))
}

// With adds a header and returns r.
func (r *Refusal) With(name, value string) *Refusal {
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	r.Header.Add(name, value)
	return r
}

// Error returns the status and the reason.
func (r *Refusal) Error() string {
	return "HTTP " + strconv.Itoa(r.Status) + ": " + r.Reason
}

// Write answers with the refusal. For nullID, a refusal without an id says
// "id":null, as revisions before 2025-11-25 want it (CO-21).
func (r *Refusal) Write(w http.ResponseWriter, nullID bool) {
	h := w.Header()
	maps.Copy(h, r.Header)
	if r.Close {
		h["Connection"] = closeConnection
	}
	if r.Code == 0 {
		h["Content-Length"] = lengthZero
		w.WriteHeader(r.Status)
		return
	}
	id := r.ID
	if id == nil && nullID {
		id = codec.NullID
	}
	body := codec.AppendErrorResponse(nil, id, &codec.Error{Code: r.Code, Message: r.Reason, Data: r.Data})
	WriteJSON(w, r.Status, body)
}

// Values of headers that are the same for every response. They are never
// written to.
var (
	closeConnection = []string{"close"}
	lengthZero      = []string{"0"}
	typeJSON        = []string{protocol.MediaTypeJSON}
	typeEventStream = []string{protocol.MediaTypeEventStream}
	noCache         = []string{"no-cache, no-transform"}
	noBuffering     = []string{"no"}
	noSniff         = []string{"nosniff"}
)

// WriteJSON answers with one JSON text, in one write and with its length. The
// error, if any, is that of the write: body is borrowed until it returns.
func WriteJSON(w http.ResponseWriter, status int, body []byte) error {
	h := w.Header()
	h[protocol.HeaderContentType] = typeJSON
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["X-Content-Type-Options"] = noSniff
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}

// Accepted answers what wants no answer: 202, no body, no type (SL-04).
func Accepted(w http.ResponseWriter) {
	w.Header()["Content-Length"] = lengthZero
	w.WriteHeader(http.StatusAccepted)
}
