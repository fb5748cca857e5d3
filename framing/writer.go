package framing

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// Encoder is something that can be sent: it appends itself to dst, as one line
// of JSON text, and returns the extended slice. dst is transferred to it and
// the result back; an Encoder must not return memory of its own.
type Encoder interface {
	AppendText(dst []byte) ([]byte, error)
}

// Splitter is an Encoder with a payload that need not be copied, or only once.
// When ok, the text is head, payload, tail: head is dst extended, payload and tail
// are borrowed until the call of the Writer that asked returns, and neither lies
// in dst. If payload turns out not to be one line, AppendText is asked after all.
type Splitter interface {
	Encoder
	AppendSplit(dst []byte) (head, payload, tail []byte, ok bool)
}

// Writer writes frames to a byte stream. Any number of goroutines may use it.
type Writer struct {
	dst     io.Writer
	gathers bool          // dst takes many slices in one system call
	breaks  Interruptible // dst, if it is one; see push.go
	max     int
	framing *atomic.Uint32 // the Framing to use, Detect meaning newline

	out  net.Buffers // memory of rest
	rest net.Buffers // what the leader has not written yet

	mu      sync.Mutex
	dead    error // the first failure; assigned once
	leading bool  // a leader exists: it writes, or has been woken to write
	pushing bool  // it is a Push
	broken  bool  // whose write Interrupt has ended
	halted  bool  // it has left the rest to Finish
	held    int   // bytes of frames admitted and not yet written
	pend    *batch
	flight  *batch // what the leader is writing
	spare   *batch
	queue   waitList // Sends that wait for admission
	free    *waiter  // to be used again
}

// NewWriter returns a Writer of f's frames to w. It panics if f is no Framing.
// With [Detect] it writes newline frames, as nobody was heard yet: use
// [NewWriterFor] to answer.
func NewWriter(w io.Writer, f Framing, o *Options) *Writer {
	f.mustBeKnown()
	framing := new(atomic.Uint32)
	framing.Store(uint32(f))
	return newWriter(w, framing, o)
}

// NewWriterFor returns a Writer in r's framing. If r detects, frames are
// newline frames until the peer was heard, and in the peer's framing from then
// on.
func NewWriterFor(r *Reader, w io.Writer, o *Options) *Writer {
	return newWriter(w, &r.framing, o)
}

func newWriter(dst io.Writer, framing *atomic.Uint32, o *Options) *Writer {
	w := &Writer{dst: dst, max: o.withDefaults().MaxQueue, framing: framing, pend: new(batch), spare: new(batch)}
	switch dst.(type) {
	case *net.TCPConn, *net.UnixConn:
		w.gathers = true
	}
	w.breaks = interruptible(dst)
	return w
}

// Queue encodes e behind what is queued: copied. It reaches the peer with the
// next Flush or Send. When the queue is full, Queue flushes it first.
func (w *Writer) Queue(e Encoder) error {
	var f frame
	err := w.encode(&f, e, false)
	if err == nil {
		err = w.enqueue(&f)
	}
	f.scratch.Put()
	return err
}

// QueueBytes is Queue for a text that is one line of JSON already: copied.
func (w *Writer) QueueBytes(text []byte) error {
	var f frame
	err := w.wrapText(&f, text)
	if err == nil {
		err = w.enqueue(&f)
	}
	f.scratch.Put()
	return err
}

// Flush writes what is queued and returns when that is done.
func (w *Writer) Flush() error {
	w.mu.Lock()
	switch {
	case w.dead != nil:
		err := w.dead
		w.mu.Unlock()
		return err
	case w.leading:
		return w.waitWritten()
	case w.pend.size == 0:
		w.mu.Unlock()
		return nil
	}
	w.leading = true
	return w.lead(nil)
}

// Send encodes e and returns when it was written, together with whatever was
// queued before, or when the writer is dead. e and its payload are borrowed
// until then. ctx bounds only the wait for room in the queue: if it ends there,
// nothing of e is sent and the writer goes on.
func (w *Writer) Send(ctx context.Context, e Encoder) error {
	var f frame
	err := w.encode(&f, e, true)
	if err == nil {
		err = w.commit(ctx, &f)
	}
	f.scratch.Put()
	return err
}

// SendBytes is Send for a text that is one line of JSON already: borrowed until
// SendBytes returns.
func (w *Writer) SendBytes(ctx context.Context, text []byte) error {
	var f frame
	err := w.wrapText(&f, text)
	if err == nil {
		err = w.commit(ctx, &f)
	}
	f.scratch.Put()
	return err
}

// Close makes the writer dead, with net.ErrClosed as the cause unless it was
// dead before. What is queued is dropped and every waiting call returns; a
// write under way is not interrupted, and the destination is not closed.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.killLocked(net.ErrClosed)
	w.mu.Unlock()
	return nil
}
