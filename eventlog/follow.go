package eventlog

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
)

// follower is one After loop. The lock of the log guards its links; the rest is
// the loop's own.
type follower struct {
	stream     *stream
	prev, next *follower
	ready      chan struct{} // tells that there is something to look at; nil for a loop that does not wait
	pos, until uint64        // positions: the last event taken, the last one wanted
}

// After implements [Log].
func (m *Memory) After(ctx context.Context, name Stream, last EventID, follow bool) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f, err := m.join(name, last, follow)
		if err == nil {
			defer m.leave(f)
			err = m.each(ctx, f, yield)
		}
		if err != nil && err != io.EOF {
			yield(Event{}, err)
		}
	}
}

// each yields events until there will be no more, which is io.EOF, or something
// is wrong. It returns nil if the loop broke off.
func (m *Memory) each(ctx context.Context, f *follower, yield func(Event, error) bool) error {
	key := f.stream.name.Key
	var batch [readEvents]entry
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, more, err := m.take(f, &batch)
		if err != nil {
			return err
		}
		for i := range n {
			e := batch[i]
			batch[i] = entry{} // a loop that waits must not keep what is purged meanwhile
			if !yield(Event{ID: EventID{key, e.pos}, Data: e.data, More: more || i < n-1}, nil) {
				return nil
			}
		}
		if n == 0 {
			select {
			case <-f.ready:
			case <-ctx.Done():
			}
		}
	}
}

// join puts a loop on a stream. From then on it hears of every event, so that
// none can come between what it finds and what it waits for.
func (m *Memory) join(name Stream, last EventID, follow bool) (*follower, error) {
	pos, err := position(name, last)
	if err != nil {
		return nil, err
	}
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(name, now)
	if err != nil {
		return nil, err
	}
	if pos > s.last {
		return nil, fmt.Errorf("%w: no such event yet", ErrBadID)
	}
	f := &follower{stream: s, pos: pos, until: s.last}
	s.readers++
	if follow {
		f.until = math.MaxUint64
		f.ready = make(chan struct{}, 1)
		s.follow(f)
	}
	return f, nil
}

// leave ends a loop, which counts as a use of its stream.
func (m *Memory) leave(f *follower) {
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	f.stream.readers--
	f.stream.used = max(f.stream.used, now)
	if f.ready != nil {
		f.stream.unfollow(f)
	}
}

// take copies to batch the next events that are there, a bounded number, and
// tells whether more are. None means to wait.
func (m *Memory) take(f *follower, batch *[readEvents]entry) (n int, more bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := f.stream
	last := min(s.last, f.until)
	switch {
	case m.closed:
		return 0, false, ErrClosed
	case f.pos < last && f.pos+1 < s.first:
		return 0, false, ErrPurged
	case f.pos < last:
	case s.finished, f.pos == f.until:
		return 0, false, io.EOF
	case s.gone:
		return 0, false, ErrUnknown
	default:
		return 0, false, nil
	}
	for size := 0; n < len(batch) && f.pos < last && size < readBytes; n++ {
		f.pos++
		batch[n] = *s.at(f.pos)
		size += len(batch[n].data)
	}
	return n, f.pos < last, nil
}

// position reads the position of an event id of the stream.
func position(name Stream, id EventID) (uint64, error) {
	if id.IsZero() {
		return 0, nil
	}
	if id.Key != name.Key {
		return 0, fmt.Errorf("%w: it names another stream", ErrBadID)
	}
	pos, err := strconv.ParseUint(id.Pos, 10, 63)
	if err != nil || id.Pos[0] < '1' { // no sign and no zero in front: one text for each position
		return 0, fmt.Errorf("%w: the position is not one of this log", ErrBadID)
	}
	return pos, nil
}
