package stdio

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// outlet is our end of a pipe that a child writes to.
type outlet struct {
	file  *os.File
	ended chan struct{} // closed at the end of the pipe
	once  sync.Once

	reading sync.Mutex // held by Read
	left    int        // what may still be read after expire; Read's
	closing atomic.Bool

	mu      sync.Mutex
	expired bool
}

func newOutlet(f *os.File) *outlet {
	return &outlet{file: f, ended: make(chan struct{}), left: leftover}
}

// Read reads from the pipe until its end or, after expire, until it is empty.
func (o *outlet) Read(p []byte) (int, error) {
	o.reading.Lock()
	defer o.reading.Unlock()
	if o.closing.Load() {
		return 0, os.ErrClosed
	}
	n, err := o.file.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if o.closing.Load() {
			return 0, os.ErrClosed
		}
		// A deadline that has passed keeps File.Read from looking into the pipe.
		if n, err = readNow(o.file, p[:min(len(p), o.left)]); n == 0 {
			err = io.EOF
		}
		o.left -= n
	}
	if n == 0 && err != nil {
		o.end()
		return 0, err
	}
	return n, nil
}

func (o *outlet) end() { o.once.Do(func() { close(o.ended) }) }

// expire makes whoever reads take what is in the pipe and wait for no more.
func (o *outlet) expire() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.expired = true
	o.kick()
}

// interrupt ends a Read at once, and every later one.
func (o *outlet) interrupt() {
	o.closing.Store(true)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kick()
}

// kick ends a read that is under way.
func (o *outlet) kick() {
	if o.file.SetReadDeadline(time.Now()) != nil {
		_ = o.file.Close() // where pipes have no deadlines that is the only way
	}
}

// discard reads to the end of the pipe, or until expire, after interrupt has
// sent the reader away: a child that is to exit must not be held up by what it
// has to say.
func (o *outlet) discard() {
	o.reading.Lock() // nobody enters again
	defer o.reading.Unlock()
	o.mu.Lock()
	if !o.expired {
		_ = o.file.SetReadDeadline(time.Time{}) // fails where kick has closed it
	}
	o.mu.Unlock()
	_, _ = io.Copy(io.Discard, o.file) // ends when it ends
	o.end()
}
