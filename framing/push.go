package framing

import (
	"errors"
	"io"
	"net"
	"os"
	"reflect"
	"time"
)

// Interruptible is a destination whose Write a deadline that has passed ends:
// with os.ErrDeadlineExceeded, the number of bytes that were written, and nothing
// worse, so that the rest can be written later. *net.TCPConn, *net.UnixConn and
// the ends of a net.Pipe are known to be one; what else is says so by the method
// Interruptible. A tls.Conn is none: its first timeout is its end.
type Interruptible interface {
	io.Writer
	SetWriteDeadline(t time.Time) error
	Interruptible()
}

// known makes a destination Interruptible of which that is known.
type known struct{ net.Conn }

func (known) Interruptible() {}

// pipeType is the type of the ends of a net.Pipe.
var pipeType = func() reflect.Type {
	end, _ := net.Pipe()
	return reflect.TypeOf(end)
}()

// interruptible returns dst as what it is, nil if it is none. It has no deadline
// afterwards.
func interruptible(dst io.Writer) Interruptible {
	i, ok := dst.(Interruptible)
	if !ok {
		conn, _ := dst.(net.Conn)
		switch conn.(type) {
		case *net.TCPConn, *net.UnixConn:
		default:
			if reflect.TypeOf(dst) != pipeType {
				return nil
			}
		}
		i = known{conn}
	}
	if i.SetWriteDeadline(time.Time{}) != nil { // a pipe of a system that has none for pipes
		return nil
	}
	return i
}

// TryQueue is Queue unless that would have to wait for room in the queue: then it
// reports false, and nothing is queued.
func (w *Writer) TryQueue(e Encoder) (queued bool, err error) {
	var f frame
	if err = w.encode(&f, e, false); err == nil {
		w.mu.Lock()
		if err = w.dead; err == nil && (w.held == 0 || w.held+f.size() <= w.max) {
			w.held += f.size()
			w.pend.addQueued(&f)
			queued = true
		}
		w.mu.Unlock()
	}
	f.scratch.Put()
	return queued, err
}

// Push is Flush for a caller whom a peer that does not read must not hold up: it
// waits for nobody else who writes, and Interrupt ends its own write. more reports
// that something is left to be written: Finish must be called then, which may
// block, before anything else is written.
func (w *Writer) Push() (more bool, err error) {
	w.mu.Lock()
	switch {
	case w.dead != nil:
		err = w.dead
	case w.leading, w.pend.size > 0 && w.breaks == nil:
		more = true
	case w.pend.size > 0:
		w.leading, w.pushing = true, true
		w.takeOff()
		return w.fly(nil)
	}
	w.mu.Unlock()
	return more, err
}

// Finish writes what a Push has left, and returns when that is done.
func (w *Writer) Finish() error {
	w.mu.Lock()
	if !w.halted {
		w.mu.Unlock()
		return w.Flush()
	}
	w.halted = false
	w.mu.Unlock()
	_, err := w.fly(nil)
	return err
}

// Interrupt ends the write of a Push, if there is one. It does not block.
func (w *Writer) Interrupt() {
	w.mu.Lock()
	if w.pushing && !w.broken {
		w.broken = true
		_ = w.breaks.SetWriteDeadline(time.Unix(1, 0)) // it did not fail before
	}
	w.mu.Unlock()
}

// halt ends a Push, whose write returned err, and reports whether it was
// interrupted and Finish has to go on. It is called locked.
func (w *Writer) halt(err error) bool {
	if !w.pushing {
		return false
	}
	w.pushing = false
	if !w.broken {
		return false
	}
	w.broken = false
	_ = w.breaks.SetWriteDeadline(time.Time{}) // it did not fail before
	w.halted = errors.Is(err, os.ErrDeadlineExceeded)
	return w.halted
}
