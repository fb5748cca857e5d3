package stdio

import (
	"os"
	"sync"
)

// end is the private way to one of the standard streams. See pump for how a
// Read can be ended.
type end struct {
	file    *os.File
	in      *pump // of standard input
	stopped sync.Once
}

// newEnd returns an end of what descriptor fd, which is 0 or 1, refers to now.
func newEnd(fd int) (*end, error) {
	own, err := private(fd)
	if err != nil {
		return nil, err
	}
	e := &end{file: os.NewFile(uintptr(own), "standard stream")}
	if fd == 0 {
		e.in = newPump(e.file, nil)
	}
	return e, nil
}

func (e *end) Read(p []byte) (int, error) { return e.in.Read(p) }

func (e *end) Write(p []byte) (int, error) { return e.file.Write(p) }

// interrupt refuses what comes later. A call that is stuck in the kernel keeps
// the descriptor until it returns.
func (e *end) interrupt() {
	e.stopped.Do(func() {
		if e.in != nil {
			e.in.stop()
			return
		}
		_ = e.file.Close() // nothing depends on the outcome
	})
}
