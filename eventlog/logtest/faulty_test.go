package logtest_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/eventlog/logtest"
)

type (
	events  = iter.Seq2[eventlog.Event, error]
	stream  = eventlog.Stream
	eventID = eventlog.EventID
)

// faulty is a log with one fault: where a function is set, it stands in for the
// method of the log below.
type faulty struct {
	*eventlog.Memory
	create func(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error
	add    func(ctx context.Context, s stream, evs ...*eventlog.Event) error
	after  func(ctx context.Context, s stream, last eventID, follow bool) events
	end    func(ctx context.Context, s stream) error
	drop   func(ctx context.Context, scope string) error
	meta   func(ctx context.Context, s stream) ([]byte, error)
	stop   func() error
}

func (f *faulty) Create(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error {
	if f.create != nil {
		return f.create(ctx, s, meta, lim)
	}
	return f.Memory.Create(ctx, s, meta, lim)
}

func (f *faulty) Append(ctx context.Context, s stream, evs ...*eventlog.Event) error {
	if f.add != nil {
		return f.add(ctx, s, evs...)
	}
	return f.Memory.Append(ctx, s, evs...)
}

func (f *faulty) After(ctx context.Context, s stream, last eventID, follow bool) events {
	if f.after != nil {
		return f.after(ctx, s, last, follow)
	}
	return f.Memory.After(ctx, s, last, follow)
}

func (f *faulty) Finish(ctx context.Context, s stream) error {
	if f.end != nil {
		return f.end(ctx, s)
	}
	return f.Memory.Finish(ctx, s)
}

func (f *faulty) Drop(ctx context.Context, scope string) error {
	if f.drop != nil {
		return f.drop(ctx, scope)
	}
	return f.Memory.Drop(ctx, scope)
}

func (f *faulty) Meta(ctx context.Context, s stream) ([]byte, error) {
	if f.meta != nil {
		return f.meta(ctx, s)
	}
	return f.Memory.Meta(ctx, s)
}

func (f *faulty) Close() error {
	if f.stop != nil {
		return f.stop()
	}
	return f.Memory.Close()
}

// edit makes After yield what change makes of each event.
func (f *faulty) edit(change func(n int, ev eventlog.Event) []eventlog.Event) {
	f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
		return func(yield func(eventlog.Event, error) bool) {
			n := 0
			for ev, err := range f.Memory.After(ctx, s, last, follow) {
				if err != nil {
					yield(eventlog.Event{}, err)
					return
				}
				for _, ev := range change(n, ev) {
					if !yield(ev, nil) {
						return
					}
				}
				n++
			}
		}
	}
}

// whole returns the events that m keeps, though earlier ones may be gone.
func whole(ctx context.Context, m *eventlog.Memory, s stream, last eventID) events {
	for n := int64(1); ; n++ {
		seq := m.After(ctx, s, last, false)
		for _, err := range seq {
			if !errors.Is(err, eventlog.ErrPurged) {
				return seq
			}
		}
		if n > 1000 {
			return seq
		}
		last = eventID{Key: s.Key, Pos: decimal(n)}
	}
}

func decimal(n int64) string {
	return string(bytes.TrimLeft([]byte{byte('0' + n/1000%10), byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)}, "0"))
}

// Every fault is found by the check that is there to find it, and by saying
// something about it. Every check finds some.
func TestFaultsAreFound(t *testing.T) {
	found := map[string]bool{}
	for _, one := range faults {
		t.Run(one.fault, func(t *testing.T) {
			f := logtest.Factory{
				Bubble:   one.check != "SlowReader", // who waits for a lock keeps time in a bubble from passing
				Patience: 300 * time.Millisecond,
				Open: func(testing.TB) eventlog.Log {
					log := &faulty{Memory: eventlog.NewMemory(nil)}
					one.install(log)
					return log
				},
			}
			complaints := logtest.Verdict(t, f, one.check)
			require.NotEmpty(t, complaints)
			t.Logf("%s: %.300q", one.check, complaints)
			f.Open, f.Patience = memory, 0
			require.Empty(t, logtest.Verdict(t, f, one.check))
		})
		found[one.check] = true
	}
	for _, name := range logtest.Names() {
		require.True(t, found[name], "no fault tries the check %s", name)
	}
}
