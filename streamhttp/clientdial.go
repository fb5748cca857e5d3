package streamhttp

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/wirespool/wirespool/internal/httpx"
)

// dials keeps a client from opening more connections than it has requests at the
// same time. A request that finds none free makes http.Transport dial; when one
// becomes free before that, it takes that one, and the dialled one would be too
// many: a request that comes meanwhile would dial anew. It waits here instead, for
// as long as the connections to come are enough for all.
type dials struct {
	net.Dialer

	mu      sync.Mutex
	open    int           // connections there are
	dialing int           // connections to come
	soon    int           // those that requests which have passed are about to dial
	passed  int           // requests that have a connection, or are about to
	changed chan struct{} // closed when a place may have become free; made by who waits
}

// enough is how long a request waits for a connection that somebody else dials.
const enough = time.Second

// dialKey is what a request that will probably dial has in its context.
type dialKey struct{}

// promise is a dial to come.
type promise struct{ kept bool }

// enter lets a request pass. The promise is nil for one that needs not dial.
func (d *dials) enter(ctx context.Context) *promise {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.awaited() {
		d.await(ctx)
	}
	d.passed++
	if d.passed <= d.open+d.dialing+d.soon {
		return nil
	}
	d.soon++
	return new(promise)
}

// keep is called when what was promised happens, or will not. Caller holds d.mu.
func (d *dials) keep(p *promise) {
	if p != nil && !p.kept {
		p.kept = true
		d.soon--
	}
}

// awaited reports whether one request more finds no free connection, but will.
func (d *dials) awaited() bool {
	return d.open <= d.passed && d.passed < d.open+d.dialing+d.soon
}

// await waits while that is so. Caller holds d.mu, which is free meanwhile.
func (d *dials) await(ctx context.Context) {
	limit := time.NewTimer(enough)
	defer limit.Stop()
	for d.awaited() {
		if d.changed == nil {
			d.changed = make(chan struct{})
		}
		changed := d.changed
		d.mu.Unlock()
		select {
		case <-changed:
			d.mu.Lock()
		case <-limit.C:
			d.mu.Lock()
			return
		case <-ctx.Done():
			d.mu.Lock()
			return
		}
	}
}

// change wakes those who wait. Caller holds d.mu.
func (d *dials) change() {
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// answered is called when a request has its answer, and leaves if it has none.
func (d *dials) answered(p *promise, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keep(p)
	if err != nil {
		d.passed--
	}
	d.change()
}

// leave undoes enter.
func (d *dials) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.passed--
	d.change()
}

// plain is the DialContext of the transport.
func (d *dials) plain(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := d.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (d *dials) dial(ctx context.Context, network, addr string) (*dialled, error) {
	d.mu.Lock()
	p, _ := ctx.Value(dialKey{}).(*promise)
	d.keep(p)
	d.dialing++
	d.mu.Unlock()
	c, err := d.DialContext(ctx, network, addr)
	if err != nil {
		d.dialled(0)
		return nil, err
	}
	return &dialled{Conn: c, d: d}, nil
}

// handshakeTimeout bounds the TLS handshake.
const handshakeTimeout = 10 * time.Second

// dialTLS returns the DialTLSContext of the transport: a connection is not there
// before its handshake is done.
func (d *dials) dialTLS(config *tls.Config) func(ctx context.Context, network, addr string) (net.Conn, error) {
	if config = config.Clone(); config == nil {
		config = new(tls.Config)
	}
	if config.NextProtos == nil {
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := d.dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		limit, cancel := context.WithTimeoutCause(ctx, handshakeTimeout, fmt.Errorf("not done within %s", handshakeTimeout))
		defer cancel()
		config := config
		if config.ServerName == "" {
			config = config.Clone()
			config.ServerName, _, _ = net.SplitHostPort(addr) // the transport has put it together
		}
		conn.shaking = true
		secured := tls.Client(conn, config)
		if err := secured.HandshakeContext(limit); err != nil {
			_ = conn.Close() // the handshake says why
			if limit.Err() != nil && ctx.Err() == nil {
				err = context.Cause(limit)
			}
			return nil, httpx.Unsent(fmt.Errorf("TLS handshake: %w", err))
		}
		conn.shaking = false
		return secured, nil
	}
}

// dialled is called when a dial has come to an end, in so many connections.
func (d *dials) dialled(connections int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dialing--
	d.open += connections
	d.change()
}

// dialled is a connection that is counted: from its first Read on, since the
// transport reads what it is about to hand out, and nothing before.
type dialled struct {
	net.Conn
	d       *dials
	shaking bool // a handshake reads, not the transport
	first   sync.Once
	closed  sync.Once
}

func (c *dialled) ready() { c.d.dialled(1) }

func (c *dialled) Read(b []byte) (int, error) {
	if !c.shaking {
		c.first.Do(c.ready)
	}
	return c.Conn.Read(b)
}

// ReadFrom implements [io.ReaderFrom]: a body of ours is in one piece already.
func (c *dialled) ReadFrom(r io.Reader) (int64, error) {
	if l, ok := r.(*io.LimitedReader); ok {
		if b, ok := l.R.(*body); ok {
			n, err := b.writeTo(c.Conn, l.N)
			l.N -= n
			return n, err
		}
	}
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}

func (c *dialled) Close() error {
	c.first.Do(c.ready)
	c.closed.Do(func() {
		c.d.mu.Lock()
		defer c.d.mu.Unlock()
		c.d.open--
		c.d.change()
	})
	return c.Conn.Close()
}

// counted is the body of a response: whose request is under way until it is
// closed.
type counted struct {
	io.ReadCloser
	d    *dials
	once sync.Once
}

func (b *counted) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.d.leave)
	return err
}
