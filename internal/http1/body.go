package http1

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
)

// body is the body of a response, which ends its request.
type body struct {
	io.ReadCloser // of net/http; its Close would read to the end
	c             *conn
	ctx           context.Context // of the request
	again         bool            // the connection may be used again
	err           error           // that ended it, of whoever reads: net/http's body may forget it
	over          atomic.Bool     // read to its end, or closed
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.err != nil:
		return 0, b.err
	case b.over.Load():
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.ReadCloser.Read(p)
	if err == nil {
		return n, nil
	}
	if !b.over.Swap(true) {
		b.c.end(err == io.EOF && b.again)
	}
	if err != io.EOF && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	b.err = err
	return n, err
}

// Close implements [io.Closer]. What was not read is not waited for: the
// connection is closed.
func (b *body) Close() error {
	if !b.over.Swap(true) {
		b.c.end(false)
	}
	return nil
}
