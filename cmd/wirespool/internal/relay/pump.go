package relay

import (
	"os"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
)

// pumpBuffer is what one read may bring: as much as a pipe usually holds.
const pumpBuffer = 64 << 10

// pump passes on one direction. Its only memory is its buffer: when the receiver does not read, it
// does not read either, and the sender is held up as if the two were connected.
type pump struct {
	direction explain.Direction
	from, to  *os.File
	watcher   *Watcher
	passed    atomic.Int64 // bytes
	writing   atomic.Bool  // it is the receiver who is waited for
}

// run passes bytes on until from ends, which is no error, or to takes no more.
func (p *pump) run() error {
	w := p.watcher
	defer func() { w.queue.putEnd(p.direction, time.Since(w.start)) }()
	buf := make([]byte, pumpBuffer)
	for {
		n, err := p.from.Read(buf)
		if n > 0 {
			// The copy first, while only we know of the bytes: the answer to them must not be
			// explained before them.
			w.queue.put(p.direction, time.Since(w.start), buf[:n])
			p.writing.Store(true)
			_, failed := p.to.Write(buf[:n])
			p.writing.Store(false)
			w.queue.wake()
			if failed != nil {
				return failed
			}
			p.passed.Add(int64(n))
		}
		if err != nil {
			return nil // the end, or an end that could not be told from one
		}
	}
}
