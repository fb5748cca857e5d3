package eventlog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/wirespool/wirespool/eventlog"
)

// model is what a client knows of a stream: every event that was ever stored.
type model struct {
	name     eventlog.Stream
	texts    []string
	ids      []eventlog.EventID
	finished bool
}

// Whatever is done with a small log, its counts are right after each step, and
// a replay from any id is exactly what followed it, or the news that some of it
// is gone.
func FuzzMemory(f *testing.F) {
	f.Add([]byte{0, 0, 1, 20, 2, 5, 1, 40, 3, 0, 4, 1, 5, 0, 6, 3})
	f.Add([]byte{0, 0, 0, 1, 1, 255, 1, 255, 1, 255, 2, 255, 3, 0, 1, 255, 1, 255, 1, 255, 4, 0, 5, 0, 5, 1})
	f.Add([]byte{0, 4, 0, 4, 3, 0, 3, 1, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 6, 0, 0, 4})
	f.Fuzz(func(t *testing.T, ops []byte) {
		log := eventlog.NewMemory(&eventlog.MemoryOptions{MaxTotal: 4000, Limits: eventlog.Limits{MaxEvents: 6, MaxBytes: 600}})
		defer log.Close()
		var all []*model
		for i := 0; i+1 < len(ops) && i < 400; i += 2 {
			if err := step(log, &all, ops[i], int(ops[i+1])); err != nil {
				t.Fatalf("step %d: %v", i/2, err)
			}
			if err := eventlog.CheckInvariants(log); err != nil {
				t.Fatalf("step %d: %v", i/2, err)
			}
		}
	})
}

// step does one thing with the log and compares.
func step(log *eventlog.Memory, all *[]*model, op byte, arg int) error {
	ctx := context.Background()
	if op%7 == 0 {
		m := &model{name: eventlog.Stream{Scope: fmt.Sprint(arg % 3), Key: eventlog.NewKey()}}
		err := log.Create(ctx, m.name, nil, eventlog.Limits{})
		if err == nil {
			*all = append(*all, m)
		}
		return unless(err, eventlog.ErrFull)
	}
	if len(*all) == 0 {
		return nil
	}
	m := (*all)[arg%len(*all)]
	switch op % 7 {
	case 1, 2: // one event, or several
		return m.add(log, 1+int(op%7-1)*(arg%5), arg)
	case 3:
		err := log.Finish(ctx, m.name)
		m.finished = m.finished || err == nil
		return unless(err, eventlog.ErrUnknown)
	case 4:
		return log.Drop(ctx, m.name.Scope)
	default:
		return m.compare(log, arg)
	}
}

func (m *model) add(log *eventlog.Memory, n, size int) error {
	var evs []*eventlog.Event
	for i := range n {
		text := fmt.Sprintf("%0*d", size, len(m.texts)+i)
		evs = append(evs, &eventlog.Event{Data: []byte(text)})
	}
	switch err := log.Append(context.Background(), m.name, evs...); {
	case m.finished && errors.Is(err, eventlog.ErrFinished):
		return nil
	case err != nil:
		return unless(err, eventlog.ErrFull, eventlog.ErrUnknown)
	case m.finished:
		return errors.New("an event behind the end")
	}
	for _, ev := range evs {
		m.texts = append(m.texts, string(ev.Data))
		m.ids = append(m.ids, ev.ID)
	}
	return nil
}

// compare reads after some event and holds the result against what was stored.
func (m *model) compare(log *eventlog.Memory, arg int) error {
	from := arg % (len(m.ids) + 1)
	var last eventlog.EventID
	if from > 0 {
		last = m.ids[from-1]
	}
	var got []string
	for ev, err := range log.After(context.Background(), m.name, last, false) {
		if err != nil {
			if len(got) > 0 {
				return fmt.Errorf("%d events before %w", len(got), err)
			}
			return unless(err, eventlog.ErrPurged, eventlog.ErrUnknown)
		}
		got = append(got, string(ev.Data))
	}
	if !slices.Equal(got, m.texts[from:]) {
		return fmt.Errorf("after event %d: %q, want %q", from, got, m.texts[from:])
	}
	return nil
}

// unless returns err unless it is one of those that may be.
func unless(err error, may ...error) error {
	if slices.ContainsFunc(may, func(m error) bool { return errors.Is(err, m) }) {
		return nil
	}
	return err
}
