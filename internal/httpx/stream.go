package httpx

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/wirespool/wirespool/internal/buf"
)

// ErrSlow ends a stream whose peer reads more slowly than we speak, when what
// waits for it has reached a limit.
var ErrSlow = fmt.Errorf("%w: the peer reads too slowly", net.ErrClosed)

// ErrEnded is returned for what comes after the end of a stream.
var ErrEnded = fmt.Errorf("%w: the stream has ended", net.ErrClosed)

// StreamOptions bound a Stream. Zero fields mean the defaults, -1 no bound.
type StreamOptions struct {
	MaxEvents    int           // that wait to be written
	MaxBytes     int           // of them
	WriteTimeout time.Duration // of one write
	KeepAlive    time.Duration // silence before a comment

	// Wait makes senders wait for room instead of ending the stream: right where
	// they work for this very peer.
	Wait bool
}

// Filled returns o with the defaults in place. A Stream takes it so.
func (o StreamOptions) Filled() StreamOptions {
	o.MaxEvents = Limit(o.MaxEvents, DefaultMaxEvents, math.MaxInt)
	o.MaxBytes = Limit(o.MaxBytes, DefaultMaxEventBytes, math.MaxInt)
	o.WriteTimeout = Limit(o.WriteTimeout, DefaultWriteTimeout, math.MaxInt64)
	o.KeepAlive = Limit(o.KeepAlive, DefaultKeepAlive, math.MaxInt64)
	return o
}

// Stream is the response to one request as an event stream, with a bounded queue
// in front of it. Any goroutine may Queue and Flush; what waits is written by
// one of them at a time, in order and with one flush, and no lock is held
// meanwhile. A stream that is written by its own request's goroutine instead has
// that one in [Stream.Serve].
type Stream struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	line *line // instead of w and rc, of TakeStream
	o    *StreamOptions
	h2   bool

	mu      sync.Mutex
	queue   buf.Buffer
	events  int
	writing bool
	served  bool          // Serve writes, whenever there is something
	ended   error         // why nothing more is taken
	failed  error         // why nothing more is written
	lost    bool          // something that was queued was not written
	moved   chan struct{} // closed when writing took the queue or stopped; made by who waits for that
	wake    chan struct{} // capacity 1: there is something for Serve
	wrote   time.Time     // when the last write ended
	beat    *time.Timer   // of KeepAlive
	onEnd   func(error)
}

// CanFlush reports whether what is written to w can be sent before the response is
// complete. Middleware that wraps a ResponseWriter and has neither Flush nor
// Unwrap keeps every event until the end.
func CanFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case http.Flusher, interface{ FlushError() error }:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}

// NewStream commits the response to r: status 200 and the headers of an event
// stream, which go out with the first write. o must be Filled; it is shared, not
// copied. onEnd, which may be nil, is called once with the cause when the stream
// fails or is found too slow; it must not block.
func NewStream(w http.ResponseWriter, r *http.Request, o *StreamOptions, onEnd func(error)) *Stream {
	eventHeaders(w.Header())
	w.WriteHeader(http.StatusOK)
	return &Stream{
		w:     w,
		rc:    http.NewResponseController(w),
		o:     o,
		h2:    r.ProtoMajor > 1,
		wake:  make(chan struct{}, 1),
		onEnd: onEnd,
	}
}

// Queue has add append one event, in its wire form, to what waits. It returns
// the error of add, which then must not have appended anything; ErrEnded or the
// cause of the end; and the cause of ctx, when there was no room until it ended.
func (s *Stream) Queue(ctx context.Context, add func(dst []byte) ([]byte, error)) error {
	s.mu.Lock()
	for s.full() {
		if !s.o.Wait {
			err := fmt.Errorf("%w: %d events of %d bytes wait", ErrSlow, s.events, len(s.queue.B))
			s.stop(err)
			s.mu.Unlock()
			return err
		}
		if err := s.makeRoom(ctx); err != nil {
			s.mu.Unlock()
			return err
		}
	}
	defer s.mu.Unlock()
	if s.ended != nil {
		return s.ended
	}
	return s.enqueue(add)
}

// enqueue is Queue where there is room. Caller holds s.mu.
func (s *Stream) enqueue(add func(dst []byte) ([]byte, error)) error {
	if s.queue.B == nil {
		s.queue = buf.Get(buf.Event)
	}
	dst := s.queue.B
	if s.line != nil && len(dst) == 0 {
		dst = append(dst, chunkHead...)
	}
	dst, err := add(dst)
	if err != nil {
		return err
	}
	s.queue.B = dst
	s.events++
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

// full reports whether an event must wait. One alone never does.
func (s *Stream) full() bool {
	return s.ended == nil && s.events > 0 && (s.events >= s.o.MaxEvents || len(s.queue.B) >= s.o.MaxBytes)
}

// makeRoom waits for whoever writes, or writes itself where nobody would. Caller
// holds s.mu.
func (s *Stream) makeRoom(ctx context.Context) error {
	if s.writing || s.served {
		return s.awaitMove(ctx)
	}
	s.mu.Unlock()
	defer s.mu.Lock()
	return s.Flush()
}

// awaitMove waits until the queue was taken or writing stopped. Caller holds
// s.mu, which is free meanwhile.
func (s *Stream) awaitMove(ctx context.Context) error {
	if s.moved == nil {
		s.moved = make(chan struct{})
	}
	moved := s.moved
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-moved:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// move tells those in awaitMove to look again. Caller holds s.mu.
func (s *Stream) move() {
	if s.moved != nil {
		close(s.moved)
		s.moved = nil
	}
}

// Flush writes what waits, unless somebody writes already, who then takes it
// along. The error is why something that was queued could not be written.
func (s *Stream) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing {
		return nil
	}
	s.writing = true
	return s.writeQueue()
}

// writeQueue is Flush for who writes: s.writing is set. Caller holds s.mu, which is
// free meanwhile.
func (s *Stream) writeQueue() error {
	for s.failed == nil && len(s.queue.B) > 0 {
		b := s.queue
		s.queue, s.events = buf.Buffer{}, 0
		s.move()
		if s.line == nil {
			s.deadline()
		}
		s.mu.Unlock()
		if s.line != nil {
			b.B = chunk(b.B)
			n, err := s.line.try(b.B)
			if err == nil && n < len(b.B) {
				go s.writeOn(bufferRest{b, n})
				s.mu.Lock()
				return nil
			}
			b.Put()
			s.mu.Lock()
			s.wroteOne(err)
			continue
		}
		err := s.write(b.B)
		b.Put()
		s.mu.Lock()
		s.wroteOne(err)
	}
	s.writing = false
	s.move()
	if s.lost {
		return s.failed
	}
	return nil
}

// bufferRest is memory of which the first bytes are written.
type bufferRest struct {
	buf.Buffer
	from int
}

// wroteOne notes how a write has ended. Caller holds s.mu.
func (s *Stream) wroteOne(err error) {
	s.wrote = time.Now()
	if err != nil {
		s.lost = true
		s.stop(fmt.Errorf("%w: write: %w", net.ErrClosed, err))
	}
}

// write writes and flushes b until the deadline.
func (s *Stream) write(b []byte) error {
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	if err := s.rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if s.h2 { // there it ends the stream even while nothing is written
		_ = s.rc.SetWriteDeadline(time.Time{}) // a writer without deadlines has none to clear
	}
	return nil
}

// deadline begins the time of one write; also the server's own ends with it. Where
// a stop may come, the caller holds s.mu and has seen none: its deadline stays.
func (s *Stream) deadline() {
	t := time.Time{}
	if s.o.WriteTimeout != math.MaxInt64 {
		t = time.Now().Add(s.o.WriteTimeout)
	}
	s.setWriteDeadline(t)
}

func (s *Stream) setWriteDeadline(t time.Time) {
	if s.line != nil {
		_ = s.line.SetWriteDeadline(t) // the write tells
	} else {
		_ = s.rc.SetWriteDeadline(t) // a writer without deadlines blocks as long as it likes
	}
}

// interrupt has Attend look. Caller holds s.mu.
func (s *Stream) interrupt() {
	if s.line != nil {
		_ = s.line.SetReadDeadline(time.Unix(1, 0)) // of a closed connection nobody waits
	}
}

// stop takes no more, for the reason err, and drops what waits. A write under
// way is cut off. Caller holds s.mu.
func (s *Stream) stop(err error) {
	if s.failed != nil {
		return
	}
	if s.ended == nil && s.onEnd != nil {
		s.onEnd(err)
	}
	s.ended, s.failed = err, err
	s.lost = s.lost || s.events > 0
	s.still()
	s.queue.Put()
	s.queue, s.events = buf.Buffer{}, 0
	if s.writing { // its request is still there
		s.setWriteDeadline(time.Unix(1, 0)) // without deadlines it ends when it ends
	}
	s.interrupt()
	s.move()
}

// Cut ends the stream at once, for the reason err: what waits is dropped, and a
// write under way is cut off. Where nothing is being written the response ends
// cleanly.
func (s *Stream) Cut(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop(err)
}

// still ends the keep-alive. Caller holds s.mu.
func (s *Stream) still() {
	if s.beat != nil {
		s.beat.Stop()
	}
}

// End takes no more; what waits is still written, by Serve or [Stream.Finish].
// It may be called again.
func (s *Stream) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = ErrEnded
	}
	s.still()
	s.interrupt()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Finish is End, and returns when all is written and nobody writes any more: the
// request's own goroutine calls it before it returns.
func (s *Stream) Finish() error {
	s.End()
	err := s.Drain()
	if !s.h2 && s.line == nil {
		s.deadline() // for what net/http writes at the end
	}
	return err
}

// Drain is Flush, but returns when all is written and nobody writes any more, so
// that the error is that of what somebody else took along, too.
func (s *Stream) Drain() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.writing || len(s.queue.B) > 0 {
		if s.writing { // somebody else was first
			_ = s.awaitMove(context.Background()) // a write is bounded
			continue
		}
		s.writing = true
		_ = s.writeQueue() // as below
	}
	if s.lost {
		return s.failed
	}
	return nil
}

// comment is an event without meaning.
const comment = ":\n\n"

func addComment(dst []byte) ([]byte, error) { return append(dst, comment...), nil }

// Comment queues a comment.
func (s *Stream) Comment() error { return s.Queue(context.Background(), addComment) }

// Beat sends a comment if nothing was written for as long as the keep-alive
// time. It returns when to call it next.
func (s *Stream) Beat() time.Duration {
	s.mu.Lock()
	quiet := time.Since(s.wrote)
	due := quiet >= s.o.KeepAlive && !s.writing && s.events == 0 && s.ended == nil
	if due { // at once: Serve cannot wait for room that it makes itself
		_ = s.enqueue(addComment) // a comment is always right
	}
	s.mu.Unlock()
	switch {
	case due:
		_ = s.Flush() // the end of the stream is reported to onEnd
	case quiet < s.o.KeepAlive:
		return s.o.KeepAlive - quiet
	}
	return s.o.KeepAlive
}

// KeepAlive sends a comment whenever the stream has been silent for long, until it
// ends. It is for streams without [Stream.Serve], and called once.
func (s *Stream) KeepAlive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil || s.o.KeepAlive == math.MaxInt64 {
		return
	}
	s.beat = time.AfterFunc(s.o.KeepAlive, func() {
		again := s.Beat()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.ended == nil {
			s.beat.Reset(again)
		}
	})
}

// Serve writes the stream on the goroutine of its request until ctx ends, End is
// called, or a write fails. It opens with a comment if nothing waits, so that
// the headers go out, and keeps the stream alive. The error is nil after End.
func (s *Stream) Serve(ctx context.Context) error {
	s.mu.Lock()
	s.served = true
	if s.events == 0 && s.ended == nil {
		_ = s.enqueue(addComment) // a comment is always right
	}
	s.mu.Unlock()
	beat := time.NewTimer(s.o.KeepAlive)
	defer beat.Stop()
	for {
		if err := s.Flush(); err != nil {
			return err
		}
		s.mu.Lock()
		ended := s.ended
		s.mu.Unlock()
		if ended != nil {
			err := s.Finish()
			if err == nil && ended != ErrEnded {
				err = ended
			}
			return err
		}
		select {
		case <-s.wake:
		case <-beat.C:
			beat.Reset(s.Beat())
		case <-ctx.Done():
			s.mu.Lock()
			s.stop(fmt.Errorf("%w: %w", net.ErrClosed, context.Cause(ctx)))
			for s.writing { // somebody else, who was cut off: the response is not theirs any more when we return
				_ = s.awaitMove(context.Background())
			}
			err := s.failed
			s.mu.Unlock()
			return err
		}
	}
}
