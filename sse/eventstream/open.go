package eventstream

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ContentType is that of an event stream.
const ContentType = "text/event-stream"

// Open asks for a stream from the event behind lastEventID on, which is empty
// where there is nothing to resume. The request should end with ctx, and it is
// for Open to bound the wait for the response's header. The body is transferred
// to the caller. An error with [ErrStop] in its tree is final.
type Open func(ctx context.Context, lastEventID string) (*http.Response, error)

// Requests returns an Open that sends what newRequest makes with client, nil
// being http.DefaultClient, and with the headers of an event stream set: Accept
// and Cache-Control where the request has none, and Last-Event-ID (SE-06). An
// error of newRequest is final. The client should have no Timeout, which would
// end every stream.
func Requests(client *http.Client, newRequest func(context.Context) (*http.Request, error)) Open {
	if client == nil {
		client = http.DefaultClient
	}
	return func(ctx context.Context, lastEventID string) (*http.Response, error) {
		req, err := newRequest(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrStop, err)
		}
		if err := SetHeader(req.Header, lastEventID); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrStop, err)
		}
		return client.Do(req)
	}
}

// SetHeader sets in the header of a request what a client of event streams
// sends: Accept and Cache-Control where there is none, and Last-Event-ID, or
// none of it for an empty id (SE-06). It returns ErrID for an id with a control
// character, which no header may have.
func SetHeader(h http.Header, lastEventID string) error {
	for i := range len(lastEventID) {
		if c := lastEventID[i]; c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("%w, or another control character: not for a header", ErrID)
		}
	}
	if h.Get("Accept") == "" {
		h.Set("Accept", ContentType)
	}
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache")
	}
	h.Del("Last-Event-ID")
	if lastEventID != "" {
		h.Set("Last-Event-ID", lastEventID)
	}
	return nil
}

// IsStream reports whether a Content-Type is that of an event stream. Parameters
// mean nothing: an event stream is UTF-8 whatever its charset is said to be.
func IsStream(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.Trim(kind, " \t"), ContentType)
}

// Check returns nil if the response is an event stream, otherwise a
// [*ResponseError]. The body stays with the caller.
func Check(resp *http.Response) error {
	if resp.StatusCode == http.StatusOK && IsStream(resp.Header.Get("Content-Type")) {
		return nil
	}
	return &ResponseError{
		Status: resp.StatusCode, Header: resp.Header,
		RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
	}
}

// ResponseError is a response that is no event stream.
type ResponseError struct {
	Status int         // 200 for a stream of another content type
	Header http.Header // of the response
	// RetryAfter is how long the peer asked to wait, 0 if it did not.
	RetryAfter time.Duration
}

func (e *ResponseError) Error() string {
	if e.Status == http.StatusOK {
		return fmt.Sprintf("eventstream: content type %.80q is not %s", e.Header.Get("Content-Type"), ContentType)
	}
	return strings.TrimRight(fmt.Sprintf("eventstream: HTTP status %d %s", e.Status, http.StatusText(e.Status)), " ")
}

// Temporary reports whether asking again may help: after 408, 425, 429 and any
// 5xx. Everything else stays as it is, and 204 says so.
func (e *ResponseError) Temporary() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return e.Status >= 500
}

// retryAfter reads a Retry-After header: seconds or a date. What is neither is 0.
func retryAfter(value string, now time.Time) time.Duration {
	if s, err := strconv.ParseUint(value, 10, 32); err == nil {
		return time.Duration(s) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
