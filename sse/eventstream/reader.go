package eventstream

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/wirespool/wirespool/internal/buf"
)

// Reader takes events from a byte stream. One goroutine may use it at a time.
//
// All positions are indexes into mem:
//
//	0 ... from ... to ... p ....... w ... len(mem)
//	       |       |      |         end of what was read
//	       |       |      parsed up to here; a line begins here
//	       the data of the event that is being read, its lines joined
//
// What stands between to and p is of no use any more: a second data line moves
// down into it, behind the first, so that joining needs no memory of its own.
type Reader struct {
	src io.Reader
	opt Options
	err error // what src ended with, wrapped; sticky

	mem    []byte
	p, w   int
	lf, cr int   // there is none in mem[p:lf], mem[p:cr]
	base   int64 // stream offset of mem[p], minus p

	small []byte     // what mem is as long as reads do not fill it
	block *buf.Block // where mem is from if not small
	full  bool       // the last read left no room

	begun    bool // the byte order mark is behind us, if there was one
	skipLF   bool // a LF now belongs to the CR that ended the last line
	skipLine bool // the rest of this line is dropped
	refused  bool // the rest of this event is dropped, but for id and retry

	event    pending
	from, to int // the event's data

	id       []byte // last event id
	retry    time.Duration
	retrySet bool
	lent     []byte // the data that Next returned, in poison builds
}

// pending is what the lines of an event said so far.
type pending struct {
	name, id                []byte
	hasData, hasID, hasRetr bool
	retry                   time.Duration
}

// NewReader returns a Reader of r's events.
func NewReader(r io.Reader, o *Options) *Reader {
	rd := &Reader{src: r, opt: o.withDefaults()}
	rd.id = append(rd.id, rd.opt.LastEventID...)
	return rd
}

// LastEventID returns the id to resume from: that of the last event that was
// complete, also if it had no data (SE-05). It is borrowed until the next call
// of Next.
func (r *Reader) LastEventID() []byte { return r.id[:len(r.id):len(r.id)] }

// Retry returns the last reconnection time the stream set and whether it set
// one. It counts from its line on, even if that event stays incomplete. A time
// too long for a Duration is the longest one.
func (r *Reader) Retry() (time.Duration, bool) { return r.retry, r.retrySet }

// Next returns the next event. Its slices are borrowed until the next call. An
// [*Error] means that an event was refused: call Next again. Anything else is
// final and will be returned by every later call: io.EOF is the end of the
// stream, which drops an event whose blank line did not come (SE-02); other
// errors of the source are wrapped.
func (r *Reader) Next() (Event, error) {
	if buf.Poisoned {
		r.poison()
	}
	if !r.begun {
		if err := r.begin(); err != nil {
			return Event{}, err
		}
	}
	for {
		end := r.lineEnd()
		if end == r.w {
			if err := r.lineGoesOn(); err != nil {
				return Event{}, err
			}
			continue
		}
		start := r.p
		r.p = end + 1
		if r.mem[end] == '\r' {
			r.afterCR()
		}
		switch {
		case r.skipLine:
			r.skipLine = false
		case start < end:
			if err := r.line(start, end); err != nil {
				return Event{}, err
			}
		default:
			if e, ok := r.dispatch(); ok {
				return e, nil
			}
		}
	}
}

// Close gives the Reader's memory back. The source is not closed. Next then
// returns an error that wraps net.ErrClosed.
func (r *Reader) Close() error {
	r.err = fmt.Errorf("eventstream: reader closed: %w", net.ErrClosed)
	r.end()
	return nil
}

// begin skips the byte order mark. The first byte decides unless it is one of
// the mark's: nothing is waited for in vain.
func (r *Reader) begin() error {
	const mark = "\xef\xbb\xbf"
	for {
		have := min(r.w, len(mark))
		if string(r.mem[:have]) != mark[:have] {
			break
		}
		if have == len(mark) {
			r.p = len(mark)
			break
		}
		if err := r.fill(); err != nil {
			return err
		}
	}
	r.begun = true
	return nil
}

// lineEnd returns the index of the CR or LF that ends the line at p, or w.
func (r *Reader) lineEnd() int {
	r.lf = r.find('\n', r.lf)
	if r.cr < r.w { // otherwise it is known that there is none
		r.cr = r.find('\r', r.cr)
	}
	return min(r.lf, r.cr)
}

// find returns the index of the next c, or w, given that none is in mem[p:at].
// Remembering both characters keeps the search linear: a stream with one kind
// of line end is not searched to its end for the other kind at every line.
func (r *Reader) find(c byte, at int) int {
	at = max(at, r.p)
	if at < r.w && r.mem[at] != c {
		i := bytes.IndexByte(r.mem[at:r.w], c)
		if i < 0 {
			return r.w
		}
		return at + i
	}
	return at
}

// afterCR takes the LF behind a CR, which may be still to come.
func (r *Reader) afterCR() {
	if r.p == r.w {
		r.skipLF = true
	} else if r.mem[r.p] == '\n' {
		r.p++
	}
}

// dispatch ends the event at its blank line. It reports false when there is
// nothing to tell.
func (r *Reader) dispatch() (Event, bool) {
	p := &r.event
	if p.hasID {
		r.id, p.id = p.id, r.id
	}
	told := !r.refused && (p.hasData || p.hasID || p.hasRetr)
	e := Event{ID: r.id[:len(r.id):len(r.id)], HasID: p.hasID, Retry: p.retry, HasRetry: p.hasRetr}
	if len(p.name) > 0 {
		e.Name = p.name[:len(p.name):len(p.name)]
	}
	if p.hasData {
		e.Data = r.mem[r.from:r.to:r.to]
		if buf.Poisoned {
			r.lent = e.Data
		}
	}
	p.name, p.id = p.name[:0], p.id[:0]
	p.hasData, p.hasID, p.hasRetr, p.retry = false, false, false, 0
	r.refused = false
	return e, told
}

// poison overwrites what the last call of Next lent.
func (r *Reader) poison() {
	for i := range r.lent {
		r.lent[i] = buf.PoisonByte
	}
	r.lent = nil
}
