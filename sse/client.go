package sse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/backoff"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse/eventstream"
	"github.com/wirespool/wirespool/transport"
)

// ClientOptions configure [URL]. They are copied; the zero value is ready to
// use.
type ClientOptions struct {
	// Transport performs the HTTP requests; nil means http.DefaultTransport. It
	// must not follow redirects.
	Transport http.RoundTripper
	// Header is sent with every request.
	Header http.Header
	// Token returns the bearer token to send; it is asked for every request
	// (SC-04), and an empty one sends none.
	Token func(ctx context.Context) (string, error)
	// Unauthorized is called when the server answers 401 or 403 (SC-08, SC-09).
	// When it returns nil, the same request is sent once more, with the token
	// that Token then returns; any error is that of the request.
	Unauthorized func(ctx context.Context, c *Challenge) error

	// Limits bound what the server can cost.
	Limits ClientLimits
	// Codec bounds messages beyond their size.
	Codec codec.Limits
	// Logger gets diagnostics; nil discards them.
	Logger *slog.Logger
}

// StatusError says that the server answered with an HTTP status that is no
// success. It is the same type as that of package streamhttp.
//
//	type StatusError struct {
//		Method  string        // of HTTP
//		Status  int
//		Body    string        // an excerpt, for people
//		Pause   time.Duration // what Retry-After asks for; 0 if the server did not say
//		RPC     *codec.Error  // the JSON-RPC error in the body, nil if there was none
//		Message []byte        // the message that RPC is from, raw
//		ID      codec.ID      // its id
//	}
//
// Its methods are Error, Unwrap, which returns RPC, and NotRun and RetryAfter of
// [transport.Refusal]. For instance:
//
//	if refused, ok := errors.AsType[*sse.StatusError](err); ok && refused.Status == http.StatusTooManyRequests {
//		time.Sleep(refused.Pause)
//	}
type StatusError = httpx.StatusError

// Challenge is what a server says when it refuses a request for want of
// authorization. It is the same type as that of package streamhttp.
//
//	type Challenge struct {
//		Status int               // 401 or 403
//		URL    *url.URL          // of the refused request; not to be changed
//		Scheme string            // of the Bearer challenge, else of the first; empty without WWW-Authenticate
//		Params map[string]string // of that challenge, by lower-case name
//	}
//
//	func (c *Challenge) ResourceMetadata() []string // where to look for the metadata of the resource (SC-08)
//
// For instance, in Unauthorized of [ClientOptions]:
//
//	func(ctx context.Context, c *sse.Challenge) error {
//		return tokens.Renew(ctx, c.ResourceMetadata(), c.Params["scope"])
//	}
type Challenge = httpx.Challenge

// URL returns a Dialer for the HTTP+SSE endpoint at rawURL, an http or https
// URL. Each Dial opens a stream and waits for its endpoint event; after a
// connection that ended early it waits a moment before. o may be nil.
func URL(rawURL string, o *ClientOptions) transport.Dialer {
	d := &dialer{raw: rawURL}
	if o != nil {
		d.opts = *o
	}
	d.opts.Limits = d.opts.Limits.filled()
	d.opts.Header = d.opts.Header.Clone()
	d.opts.Logger = cmp.Or(d.opts.Logger, slog.New(slog.DiscardHandler))
	if d.opts.Transport == nil {
		d.opts.Transport = http.DefaultTransport
		if d.opts.Header == nil {
			d.opts.Header = make(http.Header)
		}
		if d.opts.Header.Get("Accept-Encoding") == "" { // else it asks for gzip, and events wait in a decompressor
			d.opts.Header.Set("Accept-Encoding", "identity")
		}
	}
	return d
}

type dialer struct {
	raw  string
	opts ClientOptions

	mu    sync.Mutex
	early int       // connections in a row that ended early
	last  time.Time // when the last one was opened
}

// Dial implements [transport.Dialer].
func (d *dialer) Dial(ctx context.Context) (transport.Conn, error) {
	c, err := d.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("sse: dial: %w", err)
	}
	return c, nil
}

func (d *dialer) dial(ctx context.Context) (*conn, error) {
	u, err := url.Parse(d.raw)
	if err != nil {
		return nil, err
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("%q is no http or https URL", u.Redacted())
	}
	if err := d.pause(ctx); err != nil {
		return nil, err
	}
	c := &conn{d: d, opts: &d.opts, url: u, decoder: codec.NewDecoder(&d.opts.Codec), closed: make(chan struct{})}
	if user := u.User; user != nil {
		password, _ := user.Password()
		c.basic = httpx.BasicAuth(user.Username(), password)
		u.User = nil
	}
	c.ctx, c.end = context.WithCancelCause(context.Background())
	// Opening is bounded by ctx and the limit, what comes after by neither.
	limit := time.AfterFunc(d.opts.Limits.DialTimeout, func() {
		c.end(fmt.Errorf("no endpoint event within DialTimeout = %s", d.opts.Limits.DialTimeout))
	})
	defer limit.Stop()
	defer context.AfterFunc(ctx, func() { c.end(context.Cause(ctx)) })()
	if err := c.open(); err != nil {
		c.end(err)
		return nil, context.Cause(c.ctx)
	}
	return c, nil
}

// pause waits after connections that ended early, so that a server that cannot
// keep one is not asked for it without end.
func (d *dialer) pause(ctx context.Context) error {
	d.mu.Lock()
	var wait time.Duration
	if limits := &d.opts.Limits; d.early > 0 {
		ceiling := backoff.Ceiling(limits.RedialDelay, limits.MaxRedialDelay, d.early-1)
		wait = ceiling/2 + backoff.Below(ceiling/2) - time.Since(d.last)
	}
	d.mu.Unlock()
	if wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = time.Now()
	return nil
}

// steady is how long a connection must have lasted for the next one to be opened
// without a pause.
const steady = 30 * time.Second

// ended notes how long a connection lasted that was not closed by its owner.
func (d *dialer) ended(lasted time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.early++; lasted >= steady {
		d.early = 0
	}
}

// request performs one HTTP request with extra headers. It follows redirects that
// keep it as it is and the origin the same, and asks once more after a refusal that
// Unauthorized resolved.
func (c *conn) request(ctx context.Context, method string, u *url.URL, accept string, extra http.Header, body []byte) (*http.Response, error) {
	follow := httpx.Follow{MaxRedirects: maxRedirects, Unauthorized: c.opts.Unauthorized, MaxErrorBody: maxErrorBody}
	return follow.Do(ctx, method, u, func(u *url.URL) (*http.Response, error) {
		return c.roundTrip(ctx, method, u, accept, extra, body)
	})
}

// roundTrip sends one request.
func (c *conn) roundTrip(ctx context.Context, method string, u *url.URL, accept string, extra http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), reader(body))
	if err != nil {
		return nil, err
	}
	if c.basic != "" {
		req.Header.Set(protocol.HeaderAuthorization, c.basic)
	}
	for _, h := range [...]http.Header{c.opts.Header, extra} {
		for name, values := range h {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	req.Header.Set(protocol.HeaderAccept, accept)
	if body != nil {
		req.Header.Set(protocol.HeaderContentType, protocol.MediaTypeJSON)
	}
	if c.opts.Token != nil {
		token, err := c.opts.Token(ctx)
		if err != nil {
			return nil, httpx.Unsent(fmt.Errorf("HTTP %s: token: %w", method, err))
		}
		if token != "" {
			req.Header.Set(protocol.HeaderAuthorization, "Bearer "+token)
		}
	}
	resp, err := c.opts.Transport.RoundTrip(req)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("HTTP %s: %w", method, err)
	}
	return resp, nil
}

// open opens the stream and reads up to its endpoint event.
func (c *conn) open() error {
	resp, err := c.request(c.ctx, http.MethodGet, c.url, protocol.MediaTypeEventStream, nil, nil)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return httpx.ReadStatus(http.MethodGet, resp, maxErrorBody)
	}
	if httpx.MediaType(resp.Header) != protocol.MediaTypeEventStream {
		_ = resp.Body.Close()
		return errors.New("the answer is no event stream")
	}
	if resp.Request != nil {
		c.url = resp.Request.URL // what the endpoint is relative to
	}
	c.body, c.opened = resp.Body, time.Now()
	context.AfterFunc(c.ctx, func() { _ = resp.Body.Close() })
	c.watch()
	c.events = eventstream.NewReader(resp.Body, &eventstream.Options{
		MaxEvent: c.opts.Limits.MaxEvent,
		Comment:  func([]byte) { c.alive = true },
	})
	for {
		e, err := c.events.Next()
		if err != nil {
			return fmt.Errorf("the stream ended before the endpoint event: %w", err)
		}
		c.heard()
		if e.Is("endpoint") {
			return c.use(string(e.Data))
		}
	}
}
