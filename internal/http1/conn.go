package http1

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/wirespool/wirespool/internal/buf"
)

// conn is a connection, with one request at a time.
type conn struct {
	net.Conn
	t     *Transport
	host  string      // as in URLs
	since time.Time   // of its wait for the next request
	used  bool        // it has had a request before this one
	wrote int         // bytes of this request
	left  int         // bytes that the header of a response may still have; below 0 outside of it
	stop  func() bool // ends the watch over the context of the request
	in    *bufio.Reader

	// Of alive: fields, so that it allocates nothing.
	raw    syscall.RawConn // nil where there is none
	probe  func(fd uintptr) bool
	silent bool
}

func newConn(t *Transport, nc net.Conn, host string) *conn {
	c := &conn{Conn: nc, t: t, host: host, left: -1}
	c.in = bufio.NewReader(c)
	if s, ok := nc.(syscall.Conn); ok {
		c.raw, _ = s.SyscallConn() // nil with an error
	}
	c.probe = func(fd uintptr) bool {
		c.silent = silent(fd)
		return true
	}
	return c
}

// alive reports whether the server has neither closed the connection nor said
// anything while it waited.
func (c *conn) alive() bool {
	return c.raw == nil || c.raw.Read(c.probe) == nil && c.silent
}

func (c *conn) close() { _ = c.Conn.Close() } // nothing is lost that was not before

// Write implements [io.Writer].
func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.wrote += n
	return n, err
}

// Read implements [io.Reader].
func (c *conn) Read(b []byte) (int, error) {
	if c.left == 0 {
		return 0, errLong
	}
	if c.left > 0 {
		b = b[:min(len(b), c.left)]
	}
	n, err := c.Conn.Read(b)
	if c.left > 0 {
		c.left -= n
	}
	return n, err
}

// roundTrip sends r and reads the header of its response. After an error the
// connection is of no use any more.
func (c *conn) roundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	c.stop = context.AfterFunc(ctx, c.close)
	c.wrote, c.left = 0, MaxHeader
	sendErr := c.send(r)
	if sendErr != nil && c.wrote == 0 {
		return nil, c.failed(ctx, sendErr)
	}
	resp, err := c.response(r) // a server may refuse what it has not read
	if err != nil {
		if sendErr != nil {
			err = sendErr
		}
		return nil, c.failed(ctx, err)
	}
	c.left = -1
	again := sendErr == nil && !resp.Close
	if resp.Body == http.NoBody {
		c.end(again)
		return resp, nil
	}
	resp.Body = &body{ReadCloser: resp.Body, c: c, ctx: ctx, again: again}
	return resp, nil
}

// send writes r in one piece.
func (c *conn) send(r *http.Request) error {
	memory := buf.Get(buf.Body)
	text := bytes.NewBuffer(memory.B)
	err := r.Write(text)
	if err == nil {
		_, err = c.Write(text.Bytes())
	}
	memory.B = text.Bytes()[:0]
	memory.Put()
	return err
}

var errLong = fmt.Errorf("http1: the header of the response exceeds %d bytes", MaxHeader)

// response reads the header of the response. However many interim ones come before
// it, MaxHeader bounds them all.
func (c *conn) response(r *http.Request) (*http.Response, error) {
	for {
		resp, err := http.ReadResponse(c.in, r)
		switch {
		case err != nil && c.left == 0: // which cut it off anywhere
			return nil, errLong
		case err != nil:
			return nil, err
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errors.New("http1: the server switches protocols unasked")
		case resp.StatusCode < 100 || resp.StatusCode >= 200:
			return resp, nil
		}
	}
}

// failed is the error of a request that ends with err: that of its context where
// it was interrupted.
func (c *conn) failed(ctx context.Context, err error) error {
	if c.stop(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// end ends the request. The connection is kept for another one if that is
// possible and it is to be used again.
func (c *conn) end(again bool) {
	if stopped := c.stop(); again && stopped && c.in.Buffered() == 0 {
		c.t.keep(c)
		return
	}
	c.close()
}
