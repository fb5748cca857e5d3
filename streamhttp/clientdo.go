package streamhttp

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"

	"github.com/wirespool/wirespool/internal/http1"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
)

// do performs one HTTP request. It follows redirects that keep the request as it
// is and the origin the same, and asks once more after a refusal that
// Unauthorized resolved. A redirect of another kind comes back as it is.
func (c *conn) do(ctx context.Context, method string, h http.Header, body *text) (*http.Response, error) {
	limits := &c.opts.Limits
	follow := httpx.Follow{MaxRedirects: limits.MaxRedirects, Unauthorized: c.opts.Unauthorized, MaxErrorBody: limits.MaxErrorBody}
	resp, err := follow.Do(ctx, method, c.url, func(u *url.URL) (*http.Response, error) {
		return c.roundTrip(ctx, method, u, h, body)
	})
	if err != nil {
		return nil, err
	}
	switch resp.StatusCode {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect: // one too many
		httpx.Discard(resp)
		return nil, fmt.Errorf("HTTP %s: more redirects than MaxRedirects = %d", method, limits.MaxRedirects)
	}
	return resp, nil
}

// roundTrip sends one request with a fresh token. h and body are borrowed until
// the response body is closed.
func (c *conn) roundTrip(ctx context.Context, method string, u *url.URL, h http.Header, body *text) (*http.Response, error) {
	if c.opts.Token != nil {
		bearer, err := c.opts.Token(ctx)
		if err != nil {
			return nil, httpx.Unsent(fmt.Errorf("HTTP %s: token: %w", method, err))
		}
		if bearer != "" {
			h = maps.Clone(h)
			h[protocol.HeaderAuthorization] = []string{"Bearer " + bearer}
		}
	}
	like := c.like
	if method != like.Method || u != like.URL {
		like = newRequest(method, u)
	}
	req := like.WithContext(ctx)
	req.Header = h
	if body != nil {
		req.ContentLength = int64(len(body.b))
		req.GetBody = func() (io.ReadCloser, error) { return body.open(), nil }
		req.Body = body.open()
	}
	resp, err := c.d.roundTrip(req)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("HTTP %s: %w", method, err)
	}
	return resp, nil
}

// roundTrip performs a request, over no more connections than it takes.
func (d *dialer) roundTrip(req *http.Request) (*http.Response, error) {
	switch {
	case d.dials == nil:
		return d.http.RoundTrip(req)
	case d.direct != nil && http1.Takes(req):
		return d.direct.RoundTrip(req)
	}
	p := d.dials.enter(req.Context())
	if p != nil {
		req = req.WithContext(context.WithValue(req.Context(), dialKey{}, p))
	}
	resp, err := d.http.RoundTrip(req)
	d.dials.answered(p, err)
	if err != nil {
		return nil, err
	}
	resp.Body = &counted{ReadCloser: resp.Body, d: d.dials}
	return resp, nil
}

// newRequest returns a request that lacks its header, body and context.
func newRequest(method string, u *url.URL) *http.Request {
	return &http.Request{Method: method, URL: u, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
}

// refusal makes an error of a response that is no success, and closes it.
func (c *conn) refusal(method string, resp *http.Response) *StatusError {
	return httpx.ReadStatus(method, resp, c.opts.Limits.MaxErrorBody)
}
