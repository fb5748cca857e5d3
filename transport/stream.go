package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
)

// StreamOptions configure [Stream]. Zero fields mean the defaults of packages
// framing and codec.
type StreamOptions struct {
	Framing framing.Options // frame, header and queue limits
	Limits  codec.Limits    // message limits
}

// Stream returns a Conn over a reliable byte stream: a pipe, a Unix socket, a
// TCP connection (FR-07). It owns rwc from now on, its write deadline too where it
// is [framing.Interruptible]; Conn.Close closes it, and rwc.Close must unblock a
// Read of rwc. The result implements [Corker] and [Pusher].
// Cancellation on a stream is a notification. opts may be nil and is copied.
func Stream(rwc io.ReadWriteCloser, f framing.Framing, opts *StreamOptions) Conn {
	var o StreamOptions
	if opts != nil {
		o = *opts
	}
	r := framing.NewReader(rwc, f, &o.Framing)
	c := &stream{
		rwc: rwc,
		r:   r,
		w:   framing.NewWriterFor(r, rwc, &o.Framing),
		d:   codec.NewDecoder(&o.Limits),
	}
	c.ctx, c.end = context.WithCancelCause(context.Background())
	return c
}

type stream struct {
	rwc io.ReadWriteCloser
	r   *framing.Reader // with d: used by whoever has the reader role
	w   *framing.Writer
	d   *codec.Decoder

	ctx  context.Context // the exchange's: ends with the connection
	end  context.CancelCauseFunc
	once sync.Once
	err  error // what closing rwc returned; read after once
}

// Read implements [Conn].
func (c *stream) Read(in *Inbound) error {
	in.Release()
	in.Via = c
	f, err := c.r.Next()
	if err != nil {
		if bad, ok := errors.AsType[*framing.Error](err); ok {
			in.Err = bad
			return nil
		}
		return c.readError(err)
	}
	in.SetFrame(f)
	in.Err = c.d.Decode(f.Bytes(), &in.Message)
	return nil
}

// readError makes an error of the reader one of a dead connection; a clean end
// stays io.EOF.
func (c *stream) readError(err error) error {
	if c.ctx.Err() != nil {
		return net.ErrClosed
	}
	if err == io.EOF {
		return err
	}
	return fmt.Errorf("%w: read: %w", net.ErrClosed, err)
}

// Send implements [Conn] and [Exchange].
func (c *stream) Send(ctx context.Context, m *codec.Message) error { return c.w.Send(ctx, m) }

// Queue implements [Corker].
func (c *stream) Queue(m *codec.Message) error { return c.w.Queue(m) }

// Flush implements [Corker].
func (c *stream) Flush() error { return c.w.Flush() }

// TryQueue implements [Pusher].
func (c *stream) TryQueue(m *codec.Message) (bool, error) { return c.w.TryQueue(m) }

// Push implements [Pusher].
func (c *stream) Push() (bool, error) { return c.w.Push() }

// Finish implements [Pusher].
func (c *stream) Finish() error { return c.w.Finish() }

// Interrupt implements [Pusher].
func (c *stream) Interrupt() { c.w.Interrupt() }

// More implements [Corker].
func (c *stream) More() bool { return c.r.More() }

// Context implements [Exchange].
func (c *stream) Context() context.Context { return c.ctx }

// SessionID implements [Conn]: a byte stream is its own session.
func (c *stream) SessionID() string { return "" }

// Close implements [Conn].
func (c *stream) Close() error {
	c.once.Do(func() {
		c.end(net.ErrClosed)
		c.err = c.rwc.Close() // unblocks a write under way
		_ = c.w.Close()       // never fails
	})
	return c.err
}
