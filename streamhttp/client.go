package streamhttp

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/http1"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// ClientOptions configure [URL]. They are copied; the zero value is ready to
// use.
type ClientOptions struct {
	// Transport performs the HTTP requests; nil means one of the Dialer's own,
	// which TLS and Proxy configure. It must not follow redirects, and must be
	// safe for concurrent use.
	Transport http.RoundTripper
	// TLS holds certificate authorities and client certificates. It is cloned.
	TLS *tls.Config
	// Proxy returns the proxy for a request, nil for none; a nil Proxy means
	// none, whatever the environment says.
	Proxy func(*http.Request) (*url.URL, error)

	// Header is sent with every request. What the protocol says itself, such as
	// Accept and the session, it cannot replace.
	Header http.Header
	// Token returns the bearer token to send; it is asked for every request
	// (SC-04), and an empty one sends none.
	Token func(ctx context.Context) (string, error)
	// Unauthorized is called when the server answers 401 or 403 (SC-08, SC-09).
	// When it returns nil, the same request is sent once more, with the token
	// that Token then returns; any error is that of the request.
	Unauthorized func(ctx context.Context, c *Challenge) error

	// RetryLost decides whether a request is sent again after the session it
	// was sent in turned out to be gone: the server may have begun it before.
	// nil means what the method table says may be repeated. Others fail with
	// [transport.ErrOutcomeUnknown]. params is borrowed for the call.
	RetryLost func(method string, params codec.Value) bool
	// Renewed is called after a lost session was replaced by a new one, which
	// knows nothing of subscriptions and log levels of the old. It runs on a
	// goroutine of its own.
	Renewed func()
	// Interrupted is called when a stream that an answer is awaited on broke off,
	// or could not be taken up again, with why; the client goes on trying.
	Interrupted func(err error)

	// NoStream keeps the client from opening the stream that carries what a
	// legacy server sends outside of requests (CL-08).
	NoStream bool
	// NoFallback keeps the client from trying the HTTP+SSE transport of
	// 2024-11-05 when the endpoint refuses initialize.
	NoFallback bool
	// KeepInvalidTools leaves tools in a tools/list result whose x-mcp-header
	// annotations are invalid (XH-05).
	KeepInvalidTools bool

	// Limits bound what the server can cost.
	Limits ClientLimits
	// Codec bounds messages beyond their size.
	Codec codec.Limits
	// Logger gets diagnostics; nil discards them. Tokens and session ids are
	// never among them.
	Logger *slog.Logger
}

// URL returns a Dialer for the Streamable HTTP endpoint at rawURL, an http or
// https URL. Dial sends nothing: a connection finds out by its first answers
// whether the server speaks 2026-07-28, a legacy revision, or the HTTP+SSE
// transport of 2024-11-05, and the Dialer remembers it for later connections
// (VN-26). Connections of one Dialer share its connection pool. o may be
// nil.
func URL(rawURL string, o *ClientOptions) transport.Dialer {
	d := &dialer{raw: rawURL}
	if o != nil {
		d.opts = *o
	}
	d.opts.Header = d.opts.Header.Clone()
	d.opts.Limits = d.opts.Limits.filled()
	d.opts.Codec.MaxBytes = cmp.Or(d.opts.Codec.MaxBytes, d.opts.Limits.MaxMessage)
	d.opts.Logger = cmp.Or(d.opts.Logger, slog.New(slog.DiscardHandler))
	if d.opts.RetryLost == nil {
		d.opts.RetryLost = idempotent
	}
	d.decoders.New = func() any { return codec.NewDecoder(&d.opts.Codec) }
	d.http = d.opts.Transport
	if d.http == nil {
		d.dials = new(dials)
		d.http = ownTransport(&d.opts, d.dials)
		if d.opts.Proxy == nil {
			d.direct = &http1.Transport{Dial: d.dials.DialContext, MaxIdle: d.opts.Limits.MaxIdleConns, IdleTimeout: idleConn}
		}
	}
	return d
}

// idempotent reports what the method table says may be sent twice.
func idempotent(method string, _ codec.Value) bool {
	info, _ := protocol.LookupMethod(method)
	return info.Idempotent
}

// idleConn is how long a connection is kept for the next call. Node and other
// servers close theirs after 5 s without a word, and a request that meets that
// moment is lost.
const idleConn = 4 * time.Second

// ownTransport returns a transport that keeps enough connections for a burst of
// calls to find theirs again.
func ownTransport(o *ClientOptions, d *dials) *http.Transport {
	return &http.Transport{
		DialContext:           d.plain,
		DialTLSContext:        d.dialTLS(o.TLS),
		Proxy:                 o.Proxy,
		TLSClientConfig:       o.TLS.Clone(),
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          o.Limits.MaxIdleConns,
		MaxIdleConnsPerHost:   o.Limits.MaxIdleConns,
		IdleConnTimeout:       idleConn,
		TLSHandshakeTimeout:   handshakeTimeout, // behind a proxy
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true, // events would wait in a decompressor
	}
}

type dialer struct {
	raw  string
	opts ClientOptions
	http http.RoundTripper

	dials  *dials           // of our own transport; nil with another
	direct *http1.Transport // for what it takes; nil with another transport or a proxy

	era atomic.Uint32 // protocol.Era that the endpoint was found to speak

	conns    atomic.Int64 // that are open
	decoders sync.Pool    // of *codec.Decoder
}

// Dial implements [transport.Dialer].
func (d *dialer) Dial(ctx context.Context) (transport.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("streamhttp: dial: %w", err)
	}
	u, err := url.Parse(d.raw)
	if err != nil {
		return nil, fmt.Errorf("streamhttp: dial: %w", err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("streamhttp: dial: %q is no http or https URL", u.Redacted())
	}
	u.Fragment = ""
	return newConn(d, u), nil
}

// decode is codec.Decode with the limits of the Dialer.
func (d *dialer) decode(text []byte, m *codec.Message) error {
	dec := d.decoders.Get().(*codec.Decoder)
	defer d.decoders.Put(dec)
	return dec.Decode(text, m)
}

// Era implements [transport.EraMemory].
func (d *dialer) Era() protocol.Era { return protocol.Era(d.era.Load()) }

// remember notes what the endpoint speaks; [protocol.EraUnknown] forgets it.
func (d *dialer) remember(e protocol.Era) { d.era.Store(uint32(e)) }

// release is called by each connection when it is closed. With the last one go
// the idle connections, whose goroutines would outlive it.
func (d *dialer) release() {
	if own, ok := d.http.(*http.Transport); ok && d.conns.Add(-1) == 0 && d.opts.Transport == nil {
		own.CloseIdleConnections()
		if d.direct != nil {
			d.direct.CloseIdleConnections()
		}
	}
}
