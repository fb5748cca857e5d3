package stdio

import (
	"bytes"
	"io"
	"sync"
)

// stderr drains a child's standard error, as bytes, and keeps the end of it.
type stderr struct {
	pipe *outlet
	sink io.Writer // may be nil
	max  int
	done chan struct{} // closed at its end

	mu   sync.Mutex
	tail []byte // up to 2*max
	cut  bool   // something before tail was dropped
}

func newStderr(pipe *outlet, o *Options) *stderr {
	return &stderr{pipe: pipe, sink: o.Stderr, max: o.StderrTail, done: make(chan struct{})}
}

// drain reads the pipe to its end, or until expire, and closes it.
func (s *stderr) drain() {
	defer close(s.done)
	buf := make([]byte, 4<<10)
	for {
		n, err := s.pipe.Read(buf)
		if n > 0 {
			s.keep(buf[:n])
			if s.sink != nil {
				_, _ = s.sink.Write(buf[:n]) // the child must not suffer from it
			}
		}
		if err != nil {
			_ = s.pipe.file.Close() // nothing depends on the outcome
			return
		}
	}
}

func (s *stderr) keep(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = append(s.tail, p...)
	if drop := len(s.tail) - s.max; drop > s.max {
		s.tail = append(s.tail[:0], s.tail[drop:]...)
		s.cut = true
	}
}

// text returns the end of what came, from the begin of a line where that is
// possible, and without the last line's end.
func (s *stderr) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	tail, cut := s.tail, s.cut
	if drop := len(tail) - s.max; drop > 0 {
		tail, cut = tail[drop:], true
	}
	if i := bytes.IndexByte(tail, '\n'); cut && i >= 0 && i < len(tail)-1 {
		tail = tail[i+1:]
	}
	return string(bytes.TrimRight(tail, "\r\n"))
}
