package httpx_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/transport"
)

func response(status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

// TestReadStatus: what a refusal says, to people and to whoever might try again.
func TestReadStatus(t *testing.T) {
	date := http.Header{"Retry-After": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}}
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		text   string
		notRun bool
		after  time.Duration
	}{
		{400, nil, "", "HTTP POST: status 400 Bad Request", true, transport.Never},
		{302, nil, "", "HTTP POST: status 302 Found", false, transport.Never},
		{303, nil, "", "HTTP POST: status 303 See Other", false, transport.Never},
		{429, http.Header{"Retry-After": {"7"}}, "slow\n\tdown", "HTTP POST: status 429 Too Many Requests: slow down", true, 7 * time.Second},
		{429, nil, "", "HTTP POST: status 429 Too Many Requests", true, 0},
		{503, http.Header{"Retry-After": {"1"}}, "", "HTTP POST: status 503 Service Unavailable", true, time.Second},
		{503, http.Header{"Retry-After": {"-1"}}, "", "HTTP POST: status 503 Service Unavailable", false, 0},
		{502, date, strings.Repeat("é", 300), "HTTP POST: status 502 Bad Gateway: " + strings.Repeat("é", 100) + "…", false, time.Hour},
		{404, nil, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, "HTTP POST: status 404 Not Found: ", true, transport.Never},
		{500, nil, "\xff\x00", "HTTP POST: status 500 Internal Server Error: \uFFFD", false, 0},
	} {
		e := httpx.ReadStatus(http.MethodPost, response(c.status, c.header, c.body), 1<<10)
		require.True(t, strings.HasPrefix(e.Error(), c.text), "%q", e.Error())
		require.Equal(t, c.notRun, e.NotRun(), c.status)
		if date.Get("Retry-After") == e.RetryAfter().String() || c.after == time.Hour {
			require.InDelta(t, c.after, e.RetryAfter(), float64(2*time.Second))
			continue
		}
		require.Equal(t, c.after, e.RetryAfter(), c.status)
	}
	e := httpx.ReadStatus(http.MethodPost, response(404, nil, `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no"}}`), 1<<10)
	require.ErrorIs(t, e, &codec.Error{Code: -32601})
	require.Equal(t, `"x"`, e.ID.String())
}

// TestSendError: what never left says so, and anything else may have arrived.
func TestSendError(t *testing.T) {
	unsent := httpx.SendError(&net.OpError{Op: "dial", Err: errors.New("refused")})
	refusal, ok := errors.AsType[transport.Refusal](unsent)
	require.True(t, ok)
	require.True(t, refusal.NotRun())
	require.Zero(t, refusal.RetryAfter())
	require.ErrorIs(t, httpx.SendError(io.ErrUnexpectedEOF), transport.ErrOutcomeUnknown)
	require.ErrorIs(t, httpx.SendError(io.ErrUnexpectedEOF), io.ErrUnexpectedEOF)
}

func TestMediaType(t *testing.T) {
	for field, want := range map[string]string{
		"application/json":                   "application/json",
		"Text/Event-Stream; charset=UTF-8":   "text/event-stream",
		"application/json; charset":          "application/json",
		"":                                   "",
		"/":                                  "",
		"text/html; charset=utf-8; boundary": "text/html",
	} {
		require.Equal(t, want, httpx.MediaType(http.Header{"Content-Type": {field}}), field)
	}
}
