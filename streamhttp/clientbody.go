package streamhttp

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/protocol"
)

// text is an encoded message on its way out. The memory of a large one is used
// again when nobody reads it any more: an http.Transport may read the body of a
// request after it has the response, until it has closed it.
type text struct {
	b       []byte
	memory  buf.Buffer   // that b is in; none where b is left to the collector
	holders atomic.Int32 // of memory: the post, and each body that is open
}

// encode makes t the text of a message.
func (t *text) encode(m *codec.Message, pooled bool) (err error) {
	size := len(m.Params) + len(m.Result) + len(m.Error) + len(m.Array) + 128
	if pooled = pooled && size > pooledBody && string(m.Method) != protocol.MethodInitialize; !pooled { // the session keeps that
		t.b, err = m.AppendText(make([]byte, 0, size))
		return err
	}
	t.memory = buf.Get(buf.Body)
	t.holders.Store(1)
	t.memory.B, err = m.AppendText(slices.Grow(t.memory.B, size))
	t.b = t.memory.B
	return err
}

// open returns a body that reads t. net/http sends a small one together with the
// header only if it is of a type it knows.
func (t *text) open() io.ReadCloser {
	if t.holders.Load() == 0 {
		return io.NopCloser(bytes.NewReader(t.b))
	}
	t.holders.Add(1)
	return &body{of: t}
}

// release says that a holder does not look at t any more.
func (t *text) release() {
	if t.holders.Load() > 0 && t.holders.Add(-1) == 0 {
		t.memory.Put()
	}
}

// body is the body of one request.
type body struct {
	mu   sync.Mutex
	of   *text // nil once it is closed
	read int
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		return 0, http.ErrBodyReadAfterClose
	}
	n := copy(p, b.of.b[b.read:])
	b.read += n
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// writeTo writes what is left of at most limit bytes, from where it is.
func (b *body) writeTo(w io.Writer, limit int64) (int64, error) {
	b.mu.Lock()
	of, from := b.of, b.read
	if of != nil {
		of.holders.Add(1)
	}
	b.mu.Unlock()
	if of == nil {
		return 0, http.ErrBodyReadAfterClose
	}
	defer of.release()
	n, err := w.Write(of.b[from:][:min(int64(len(of.b)-from), limit)])
	b.mu.Lock()
	b.read += n
	b.mu.Unlock()
	return int64(n), err
}

// Close implements [io.Closer].
func (b *body) Close() error {
	b.mu.Lock()
	of := b.of
	b.of = nil
	b.mu.Unlock()
	if of != nil {
		of.release()
	}
	return nil
}

// messages holds what messages of ours are decoded into.
var messages = sync.Pool{New: func() any { return new(codec.Message) }}

func putMessage(m *codec.Message) {
	*m = codec.Message{}
	messages.Put(m)
}
