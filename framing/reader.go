package framing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"

	"github.com/wirespool/wirespool/internal/buf"
)

// Reader takes frames from a byte stream. See the package comment for who may
// call it when.
//
// All positions are indexes into mem, the memory of the current block:
//
//	0 ... s ........ p ....... w ... len(mem)
//	      |          |         end of what was read
//	      |          looked at up to here, no boundary found yet
//	      begin of what no frame or error has been made of
type Reader struct {
	src  io.Reader
	opt  Options
	mode mode

	mem     []byte
	s, p, w int
	phase   phase
	last    int // length of the frame before, to size the next block

	block *buf.Block
	base  int64 // stream offset of mem[0]
	err   error // what src ended with, wrapped; sticky
	ahead result
	lent  Frame // by Lend; in poison builds only

	header header
	want   int    // length of the body that begins at s, in phase inBody
	skip   uint64 // bytes of a refused body still to come, in phase inRefused

	framing atomic.Uint32 // a Framing; Detect until the peer has decided

	// What growing and waiting cost, for the tests of linear time: bytes moved
	// between blocks, and bytes looked at in vain.
	moved, looked int64
}

// mode is the parser in charge.
type mode uint8

const (
	modeBegin mode = iota // byte order mark and detection are still open
	modeLines
	modeCounted
)

// phase is where the parser in charge is.
type phase uint8

const (
	// Of lines.
	inLines   phase = iota
	inOverrun       // in the rest of a line that was refused for its length
	inForeign       // in a header block that was reported

	// Of counted frames.
	inHeader
	inBody
	inRefused // in the body of a frame that was refused for its length
	inResync  // looking for the next header after a bad one
)

// result is what More found, for Next.
type result struct {
	full  bool
	frame Frame
	err   error
}

// NewReader returns a Reader of r's frames. It panics if f is no Framing.
func NewReader(r io.Reader, f Framing, o *Options) *Reader {
	f.mustBeKnown()
	rd := &Reader{src: r, opt: o.withDefaults()}
	rd.framing.Store(uint32(f))
	return rd
}

// Framing returns the framing in use. It is [Detect] as long as the peer's
// first byte has not decided. Any goroutine may call it.
func (r *Reader) Framing() Framing { return Framing(r.framing.Load()) }

// Next returns the next frame, which the caller releases. An [*Error] means
// that a frame was refused: call Next again. Anything else is final and will be
// returned by every later call: io.EOF is a clean end, other errors of the
// source are wrapped.
func (r *Reader) Next() (Frame, error) {
	r.takeBack()
	// Nearly every line lies in the buffer, is a JSON object or array, and ends
	// with a bare LF: that is decided here.
	if r.mode == modeLines && r.phase == inLines && !r.ahead.full {
		if i := bytes.IndexByte(r.mem[r.p:r.w], '\n'); i > 0 {
			start, end := r.s, r.p+i
			c := r.mem[start]
			if n := end - start; (c == '{' || c == '[') && r.mem[end-1] != '\r' && n <= r.opt.MaxFrame {
				if region, ok := r.block.TakeNext(start, n); ok {
					r.s, r.p, r.last = end+1, end+1, n
					return Frame{region}, nil
				}
			}
		}
	}
	return r.next()
}

func (r *Reader) next() (Frame, error) {
	if r.ahead.full {
		got := r.ahead
		r.ahead = result{}
		return got.frame, got.err
	}
	return r.parse(true)
}

// More reports whether a complete frame, or one that will be refused, is
// already buffered: the next Next will not block.
func (r *Reader) More() bool {
	r.takeBack()
	if r.ahead.full {
		return true
	}
	f, err := r.parse(false)
	if err == errMore {
		return false
	}
	r.ahead = result{true, f, err}
	return true
}

// Close releases what the Reader holds. Frames stay with their holders, and the
// source is not closed. Next then returns an error that wraps net.ErrClosed.
func (r *Reader) Close() error {
	r.takeBack()
	if r.ahead.full && r.ahead.err == nil {
		r.ahead.frame.Release()
	}
	r.ahead = result{}
	if r.err == nil || !errors.Is(r.err, net.ErrClosed) {
		r.err = fmt.Errorf("framing: reader closed: %w", net.ErrClosed)
	}
	r.end()
	return nil
}

// parse returns the next frame or refusal. Without wait it returns errMore
// where it would have to read.
func (r *Reader) parse(wait bool) (Frame, error) {
	if r.mode == modeBegin {
		if !wait {
			return Frame{}, errMore // nothing has been read yet
		}
		r.begin()
	}
	if r.mode == modeLines {
		return r.nextLine(wait)
	}
	return r.nextCounted(wait)
}

// deliver makes a frame of mem[start:end], which lies before s.
func (r *Reader) deliver(start, end int) Frame {
	r.last = end - start
	region, ok := r.block.Take(start, r.last)
	if !ok {
		r.roll(start)
		region, _ = r.block.Take(0, r.last)
	}
	return Frame{region}
}

// refuse makes the error for what begins at mem[at].
func (r *Reader) refuse(at int, k Kind, reason string) *Error {
	return &Error{Offset: r.base + int64(at), Kind: k, Reason: reason}
}

func (r *Reader) refuseLength(at int, reason, name string, value int) *Error {
	e := r.refuse(at, TooLong, reason)
	e.Limit = Limit{name, int64(value)}
	return e
}

// fill reads once. When nothing more will come it returns what the source ended
// with.
func (r *Reader) fill() error {
	if r.err != nil {
		return r.err
	}
	if r.s == r.w && r.block != nil && !r.block.Used() {
		r.base += int64(r.w)
		r.block.SetBase(r.base)
		r.s, r.p, r.w = 0, 0, 0
	}
	if r.mustRoll() {
		r.roll(r.s)
	}
	to := r.mem[r.w:r.readEnd()]
	for range maxEmptyReads {
		n, err := r.src.Read(to)
		if n < 0 || n > len(to) {
			n, err = 0, errCount
		}
		r.w += n
		if err != nil {
			r.err = r.wrap(err)
			if n == 0 {
				return r.err
			}
		}
		if n > 0 {
			return nil
		}
	}
	r.err = r.wrap(io.ErrNoProgress)
	return r.err
}

func (r *Reader) wrap(err error) error {
	if err == io.EOF {
		return err
	}
	return fmt.Errorf("framing: read at offset %d: %w", r.base+int64(r.w), err)
}

// end lets go of the block, as nothing more will come, and returns what the
// source ended with.
func (r *Reader) end() error {
	if r.block != nil {
		r.block.Done()
	}
	r.block, r.mem = nil, nil
	r.s, r.p, r.w = 0, 0, 0
	return r.err
}
