package wiretrace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Directions and hops, as they are written.
const (
	c2s = "c2s"
	s2c = "s2c"

	front = "front"
	back  = "back"
)

// Recorder writes the trace. Its methods may be called concurrently; those of a
// nil Recorder leave everything as it is. What it cannot write is lost, and
// nothing waits for it but the write itself.
type Recorder struct {
	out   io.Writer
	begun time.Time
	salt  string

	mu   sync.Mutex
	line []byte
	err  error
}

// New returns a recorder that writes whole lines to out.
func New(out io.Writer) *Recorder {
	return &Recorder{out: out, begun: time.Now(), salt: newSalt()}
}

// Err returns the first error of writing, after which nothing is written.
func (r *Recorder) Err() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// maxKept is how large a buffer the recorder keeps.
const maxKept = 1 << 20

// record writes the line of a message. web and text may be nil.
func (r *Recorder) record(dir, hop string, web *httpPart, text []byte) {
	var what []byte
	if text = bytes.TrimSpace(text); len(text) > 0 {
		if json.Valid(text) {
			what = codec.AppendOneLine(append(what, `"msg":`...), text)
		} else {
			what = codec.AppendString(append(what, `"raw":`...), text)
		}
	}
	r.write(dir, hop, web, what)
}

// write writes a line with what it is about, a member of the line. web and what
// may be nil.
func (r *Recorder) write(dir, hop string, web *httpPart, what []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	dst := strconv.AppendFloat(append(r.line[:0], `{"t":`...), time.Since(r.begun).Seconds(), 'f', 6, 64)
	dst = append(dst, `,"dir":"`+dir+`","hop":"`+hop+`"`...)
	if web != nil {
		object, err := json.Marshal(web)
		if err != nil { // it has nothing but strings
			r.err = err
			return
		}
		dst = append(append(dst, `,"http":`...), object...)
	}
	if len(what) > 0 {
		dst = append(append(dst, ','), what...)
	}
	dst = append(dst, '}', '\n')
	_, r.err = r.out.Write(dst)
	if cap(dst) > maxKept {
		dst = nil
	}
	r.line = dst
}

// Dialer records what the connections of d carry, where they are no HTTP ones.
func (r *Recorder) Dialer(d transport.Dialer) transport.Dialer {
	if r == nil {
		return d
	}
	return dialer{d, r}
}

type dialer struct {
	transport.Dialer
	r *Recorder
}

func (d dialer) Dial(ctx context.Context) (transport.Conn, error) {
	c, err := d.Dialer.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, r: d.r, hop: back, in: s2c, out: c2s}, nil
}

// Conn records what the connection of a client carries.
func (r *Recorder) Conn(c transport.Conn) transport.Conn {
	if r == nil {
		return c
	}
	return &conn{Conn: c, r: r, hop: front, in: c2s, out: s2c}
}

// conn is a byte stream that is recorded.
type conn struct {
	transport.Conn
	r            *Recorder
	hop, in, out string
}

// Read implements [transport.Conn].
func (c *conn) Read(in *transport.Inbound) error {
	if err := c.Conn.Read(in); err != nil {
		return err
	}
	in.Via = exchange{in.Via, c}
	if in.Err != nil {
		c.r.refused(c.in, c.hop, in.Err)
	} else if text, err := in.AppendText(nil); err == nil {
		c.r.record(c.in, c.hop, nil, text)
	}
	return nil
}

// refused writes the line of what was no message: its bytes are gone, and what the
// reader made of them must not be taken for them.
func (r *Recorder) refused(dir, hop string, why error) {
	code := int64(protocol.CodeParseError)
	if e, ok := errors.AsType[*codec.DecodeError](why); ok {
		code = e.Code
	}
	text := append(codec.Value(nil), `"error":`...)
	r.write(dir, hop, nil, codec.AppendError(text, &codec.Error{Code: code, Message: why.Error()}))
}

// Send implements [transport.Conn].
func (c *conn) Send(ctx context.Context, m *codec.Message) error {
	c.sending(m)
	return c.Conn.Send(ctx, m)
}

func (c *conn) sending(m *codec.Message) {
	if text, err := m.AppendText(nil); err == nil {
		c.r.record(c.out, c.hop, nil, text)
	}
}

// exchange records what goes back on one.
type exchange struct {
	transport.Exchange
	c *conn
}

// Send implements [transport.Exchange].
func (e exchange) Send(ctx context.Context, m *codec.Message) error {
	e.c.sending(m)
	return e.Exchange.Send(ctx, m)
}
