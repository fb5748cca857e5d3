package work

import (
	"bytes"
	"context"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/eventlog"
)

// logEvents is how many events one do stores or reads: as many as a stream
// keeps.
const logEvents = eventlog.DefaultMaxEvents

// LogGroups store events, read them, and hand them on one by one.
func LogGroups() (all []Group) {
	for _, s := range []struct {
		name string
		size int
	}{{"300B", 300}, {"4K", 4 << 10}} {
		events := make([][]byte, logEvents)
		var want Cuts
		for i := range events {
			events[i] = bytes.Clone(bench.Lines(1, s.size))
			events[i][s.size/2] = 'a' + byte(i%26)
			want.Add(events[i])
		}
		add := func(shape string, entries ...Entry) {
			all = append(all, Group{
				Op: "Log", Shape: shape, Size: s.name, Messages: logEvents, Bytes: want.Bytes, Found: want.String(),
				Limit: entries[len(entries)-1].Impl, Entries: entries,
			})
		}
		add("append", appendWirespool(events), appendRing(events))
		add("replay", replayWirespool(events), replayRing(events))
		add("tail", tailWirespool(events), tailChannel(events))
	}
	return all
}

// counted is an entry that found what read reads.
func counted(impl string, do func() error, read func(c *Cuts)) Entry {
	found := func() (c Cuts) {
		read(&c)
		return c
	}
	return Entry{
		Impl: impl, Do: do,
		Bytes: func() int { return found().Bytes },
		Found: func() string { return found().String() },
	}
}

// oneStream is a log with one stream that has room for all events of a group.
type oneStream struct {
	log  *eventlog.Memory
	name eventlog.Stream
	next *eventlog.Event // what is appended next
}

func newStream() (s oneStream, err error) {
	s = oneStream{eventlog.NewMemory(nil), eventlog.Stream{Scope: "session", Key: eventlog.NewKey()}, new(eventlog.Event)}
	return s, s.log.Create(context.Background(), s.name, nil, eventlog.Limits{MaxBytes: -1})
}

func (s oneStream) add(data []byte) error {
	*s.next = eventlog.Event{Data: data}
	return s.log.Append(context.Background(), s.name, s.next)
}

// read counts what comes, until the stream ends or, without follow, what is
// there does.
func (s oneStream) read(t *Cuts, follow bool, each func()) error {
	for ev, err := range s.log.After(context.Background(), s.name, eventlog.EventID{}, follow) {
		if err != nil {
			return err
		}
		t.Add(ev.Data)
		each()
	}
	return nil
}

// look counts what is stored; an error shows in what is missing.
func (s oneStream) look(t *Cuts) { _ = s.read(t, false, func() {}) }

func appendWirespool(events [][]byte) Entry {
	var s oneStream
	return counted("wirespool", func() (err error) {
		if s.log != nil {
			_ = s.log.Close() // its timer would keep it
		}
		if s, err = newStream(); err != nil {
			return err
		}
		for _, data := range events {
			if err := s.add(data); err != nil {
				return err
			}
		}
		return nil
	}, func(t *Cuts) { s.look(t) })
}

func appendRing(events [][]byte) Entry {
	var r *limits.Ring
	return counted("limit-ring", func() error {
		r = limits.NewRing(logEvents)
		for _, data := range events {
			r.Append(data)
		}
		return nil
	}, func(t *Cuts) { r.Each(t.Add) })
}

func replayWirespool(events [][]byte) Entry {
	s, failed := newStream()
	for _, data := range events {
		if failed == nil {
			failed = s.add(data)
		}
	}
	var t Cuts
	return counted("wirespool", func() error {
		if failed != nil {
			return failed
		}
		t = Cuts{}
		return s.read(&t, false, func() {})
	}, func(got *Cuts) { *got = t })
}

func replayRing(events [][]byte) Entry {
	r := limits.NewRing(logEvents)
	for _, data := range events {
		r.Append(data)
	}
	var t Cuts
	return counted("limit-ring", func() error {
		t = Cuts{}
		r.Each(t.Add)
		return nil
	}, func(got *Cuts) { *got = t })
}

// tailWirespool has a follower, which tells of each event that it has got it.
func tailWirespool(events [][]byte) Entry {
	var t Cuts
	return counted("wirespool", func() error {
		s, err := newStream()
		if err != nil {
			return err
		}
		defer s.log.Close()
		t = Cuts{}
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
	}, func(got *Cuts) { *got = t })
}

// tailChannel hands a copy of each event to a goroutine.
func tailChannel(events [][]byte) Entry {
	var t Cuts
	return counted("limit-channel", func() error {
		t = Cuts{}
		sent, got := make(chan []byte, 1), make(chan struct{})
		go func() {
			for data := range sent {
				t.Add(data)
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
	}, func(got *Cuts) { *got = t })
}
