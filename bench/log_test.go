package bench

import (
	"bytes"
	"context"

	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/eventlog"
)

// logEvents is how many events one do stores or reads: as many as a stream
// keeps.
const logEvents = eventlog.DefaultMaxEvents

// logGroups store events, read them, and hand them on one by one.
func logGroups() (all []group) {
	for _, s := range []struct {
		name string
		size int
	}{{"300B", 300}, {"4K", 4 << 10}} {
		events := make([][]byte, logEvents)
		var want tally
		for i := range events {
			events[i] = bytes.Clone(Lines(1, s.size))
			events[i][s.size/2] = 'a' + byte(i%26)
			want.add(events[i])
		}
		add := func(shape string, entries ...entry) {
			all = append(all, group{
				op: "Log", shape: shape, size: s.name, messages: logEvents, bytes: want.bytes, found: want.String(), entries: entries,
			})
		}
		add("append", appendWirespool(events), appendRing(events))
		add("replay", replayWirespool(events), replayRing(events))
		add("tail", tailWirespool(events), tailChannel(events))
	}
	return all
}

// counted is what a row found once found has read it into a tally.
func counted(read func(t *tally)) outcome {
	return outcome{
		bytes: func() int { var t tally; read(&t); return t.bytes },
		found: func() string { var t tally; read(&t); return t.String() },
	}
}

// oneStream is a log with one stream that has room for all events of a group.
type oneStream struct {
	log  *eventlog.Memory
	name eventlog.Stream
}

func newStream() (s oneStream, err error) {
	s = oneStream{eventlog.NewMemory(nil), eventlog.Stream{Scope: "session", Key: eventlog.NewKey()}}
	return s, s.log.Create(context.Background(), s.name, nil, eventlog.Limits{MaxBytes: -1})
}

func (s oneStream) add(data []byte) error {
	return s.log.Append(context.Background(), s.name, &eventlog.Event{Data: data})
}

// read counts what comes, until the stream ends or, without follow, what is
// there does.
func (s oneStream) read(t *tally, follow bool, each func()) error {
	for ev, err := range s.log.After(context.Background(), s.name, eventlog.EventID{}, follow) {
		if err != nil {
			return err
		}
		t.add(ev.Data)
		each()
	}
	return nil
}

// look counts what is stored; an error shows in what is missing.
func (s oneStream) look(t *tally) { _ = s.read(t, false, func() {}) }

func appendWirespool(events [][]byte) entry {
	var s oneStream
	return entry{"wirespool", func() (err error) {
		if s, err = newStream(); err != nil {
			return err
		}
		for _, data := range events {
			if err := s.add(data); err != nil {
				return err
			}
		}
		return nil
	}, counted(func(t *tally) { s.look(t) })}
}

func appendRing(events [][]byte) entry {
	var r *limits.Ring
	return entry{"limit-ring", func() error {
		r = limits.NewRing(logEvents)
		for _, data := range events {
			r.Append(data)
		}
		return nil
	}, counted(func(t *tally) { r.Each(t.add) })}
}

func replayWirespool(events [][]byte) entry {
	s, failed := newStream()
	for _, data := range events {
		if failed == nil {
			failed = s.add(data)
		}
	}
	var t tally
	return entry{"wirespool", func() error {
		if failed != nil {
			return failed
		}
		t = tally{}
		return s.read(&t, false, func() {})
	}, counted(func(got *tally) { *got = t })}
}

func replayRing(events [][]byte) entry {
	r := limits.NewRing(logEvents)
	for _, data := range events {
		r.Append(data)
	}
	var t tally
	return entry{"limit-ring", func() error {
		t = tally{}
		r.Each(t.add)
		return nil
	}, counted(func(got *tally) { *got = t })}
}

// tailWirespool has a follower, which tells of each event that it has got it.
func tailWirespool(events [][]byte) entry {
	var t tally
	return entry{"wirespool", func() error {
		s, err := newStream()
		if err != nil {
			return err
		}
		t = tally{}
		got, done := make(chan struct{}), make(chan error, 1)
		go func() { done <- s.read(&t, true, func() { got <- struct{}{} }) }()
		for _, data := range events {
			if err := s.add(data); err != nil {
				return err
			}
			<-got
		}
		if err := s.log.Finish(context.Background(), s.name); err != nil {
			return err
		}
		return <-done
	}, counted(func(got *tally) { *got = t })}
}

// tailChannel hands a copy of each event to a goroutine.
func tailChannel(events [][]byte) entry {
	var t tally
	return entry{"limit-channel", func() error {
		t = tally{}
		sent, got := make(chan []byte, 1), make(chan struct{})
		go func() {
			for data := range sent {
				t.add(data)
				got <- struct{}{}
			}
			close(got)
		}()
		for _, data := range events {
			sent <- bytes.Clone(data)
			<-got
		}
		close(sent)
		<-got
		return nil
	}, counted(func(got *tally) { *got = t })}
}
