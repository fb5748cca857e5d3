package relay

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/framing"
)

// Watcher explains copies of what two pumps pass on. It has a goroutine of its own, and nothing it
// does, or waits for, holds the pumps up.
type Watcher struct {
	queue *queue
	start time.Time
	emit  func(*explain.Entry) // borrows the entry
	idle  func()               // called when all that came was emitted

	explainer *explain.Explainer
	streams   [3]*stream
	n         int
	done      chan struct{}
	err       error        // why it stopped early; valid once done is closed
	steps     atomic.Int64 // chunks worked off, to see whether it gets on
}

// ErrBehind is returned by [Watcher.Close] when explanations are missing because nobody took them.
var ErrBehind = errors.New("relay: not everything was explained")

// gather is how long what is to be explained may wait for more of it.
const gather = time.Millisecond

// Watch starts a watcher. It hands every frame of either direction to emit, and calls idle when
// there is nothing more for now; both are called on one goroutine, and may block.
func Watch(how framing.Framing, emit func(*explain.Entry), idle func()) *Watcher {
	return watch(how, queueBound, emit, idle)
}

func watch(how framing.Framing, bound int, emit func(*explain.Entry), idle func()) *Watcher {
	w := &Watcher{
		queue: newQueue(bound), start: time.Now(), emit: emit, idle: idle,
		explainer: explain.New(nil), done: make(chan struct{}),
	}
	for _, d := range []explain.Direction{explain.ClientToServer, explain.ServerToClient} {
		w.streams[d] = &stream{watcher: w, direction: d, how: how}
	}
	go w.run()
	return w
}

// Close waits until everything that was passed on is explained, but not for longer than patience
// without any progress: then it returns [ErrBehind]. Any other error is a defect of ours.
func (w *Watcher) Close(patience time.Duration) error {
	w.queue.close()
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for before := w.steps.Load(); ; {
		select {
		case <-w.done:
			return w.err
		case <-tick.C:
			now := w.steps.Load()
			if now == before {
				return ErrBehind
			}
			before = now
		}
	}
}

func (w *Watcher) run() {
	defer close(w.done)
	defer func() {
		// A defect in explaining must not take the session down with it.
		if p := recover(); p != nil {
			w.err = fmt.Errorf("relay: explaining broke down: %v", p)
			w.queue.close()
		}
	}()
	for open := true; open; {
		<-w.queue.ready
		// A session of short messages would otherwise wake this goroutine for each of them, at the
		// cost of the pumps: that nearly doubles the time of a round trip.
		time.Sleep(gather)
		var chunks []*chunk
		chunks, open = w.queue.take()
		for _, c := range chunks {
			w.streams[c.direction].take(c)
			w.queue.free(c)
			w.steps.Add(1)
		}
		if !open {
			for _, d := range []explain.Direction{explain.ClientToServer, explain.ServerToClient} {
				w.streams[d].take(&chunk{direction: d, at: time.Since(w.start), end: true})
			}
		}
		w.idle()
	}
}

// stream is one direction. A framing.Reader pulls its bytes, and chunks are pushed: so the reader
// runs as a coroutine that stops where it wants more. That way one goroutine explains both
// directions in the order in which the bytes came.
type stream struct {
	watcher   *Watcher
	direction explain.Direction
	how       framing.Framing

	more func() (struct{}, bool) // runs the reader until it wants more; nil when there is none
	stop func()
	at   time.Duration // when data was read
	data []byte        // not yet read by the reader
	end  bool          // nothing will follow data

	base     int64 // stream offset of the reader's first byte
	offset   int64 // of what comes next
	behind   int64 // end of the last frame
	resync   bool  // after a gap, the reader starts in the middle of a frame
	lostFrom int64
}

var errStopped = errors.New("relay: stopped")

// take works off one chunk.
func (s *stream) take(c *chunk) {
	if s.end {
		return
	}
	s.at = c.at
	if c.lost > 0 {
		s.skip(c.lost)
		return
	}
	if s.more == nil {
		s.base = s.offset
		s.more, s.stop = iter.Pull(s.frames)
	}
	s.offset += int64(len(c.data))
	s.data, s.end = c.data, c.end
	s.more()
	if s.end {
		s.stop()
		if s.resync && s.offset > s.lostFrom {
			s.lost(s.offset)
		}
	}
}

// skip notes a gap of n bytes, which also costs the frame it begins in.
func (s *stream) skip(n int64) {
	if s.more != nil {
		s.stop()
		s.more = nil
	}
	if !s.resync {
		s.resync, s.lostFrom = true, s.behind
	}
	s.offset += n
}

// lost says what was not explained, up to the stream offset to.
func (s *stream) lost(to int64) {
	s.show(&explain.Entry{Offset: s.lostFrom, Lost: to - s.lostFrom})
	s.resync = false
}

func (s *stream) show(e *explain.Entry) {
	s.watcher.n++
	e.N = s.watcher.n
	e.Timed, e.Time, e.Direction = true, s.at, s.direction
	s.watcher.emit(e)
}

// source is what the framing.Reader of a stream reads from, inside the coroutine.
type source struct {
	*stream
	yield func(struct{}) bool
}

func (s source) Read(p []byte) (int, error) {
	for len(s.data) == 0 {
		if s.end {
			return 0, io.EOF
		}
		if !s.yield(struct{}{}) {
			return 0, errStopped
		}
	}
	n := copy(p, s.data)
	s.data = s.data[n:]
	return n, nil
}

// frames explains frame after frame and yields whenever it wants more bytes.
func (s *stream) frames(yield func(struct{}) bool) {
	r := framing.NewReader(source{s, yield}, s.how, nil)
	defer r.Close()
	// After a gap, what comes first is the rest of a line, or bytes in which no header can be found.
	partial := s.resync
	for {
		frame, err := r.Next()
		s.how = r.Framing() // what was detected holds after a gap too
		if refused, ok := errors.AsType[*framing.Error](err); ok {
			if !partial {
				moved := *refused
				moved.Offset += s.base
				if s.resync {
					s.lost(moved.Offset)
				}
				s.show(&explain.Entry{Offset: moved.Offset, Report: explain.Refused(&moved)})
			}
			partial = partial && s.how == framing.ContentLength
			continue
		}
		if err != nil {
			return
		}
		if !partial || s.how == framing.ContentLength {
			s.frame(&frame)
		}
		partial = false
		frame.Release()
	}
}

func (s *stream) frame(f *framing.Frame) {
	offset := s.base + f.Offset()
	if s.resync {
		s.lost(offset)
	}
	raw := f.Bytes()
	s.behind = offset + int64(len(raw))
	if s.how == framing.Newline {
		s.behind++ // the line feed
	}
	s.show(&explain.Entry{Offset: offset, Report: s.watcher.explainer.Frame(raw, offset), Raw: raw})
}
