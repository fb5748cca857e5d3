package logtest_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/wirespool/wirespool/eventlog"
)

// faults are what a log can do wrong, and the check that must find it.
var faults = []struct {
	fault, check string
	install      func(f *faulty)
}{
	{"yields an event twice", "Order", func(f *faulty) {
		f.edit(func(n int, ev eventlog.Event) []eventlog.Event {
			return slices.Repeat([]eventlog.Event{ev}, 1+n%2)
		})
	}},
	{"yields an event twice where replay becomes live", "Follow", func(f *faulty) {
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			return twice(f.Memory, ctx, s, last, follow)
		}
	}},
	{"loses an event where replay becomes live", "Reconnects", func(f *faulty) {
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			return lossy(f.Memory, ctx, s, last, follow)
		}
	}},
	{"forgets to wake followers", "Finish", func(f *faulty) {
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			return func(yield func(eventlog.Event, error) bool) {
				for ev, err := range f.Memory.After(ctx, s, last, false) {
					if !yield(ev, err) {
						return
					}
				}
				if follow {
					<-ctx.Done()
					yield(eventlog.Event{}, ctx.Err())
				}
			}
		}
	}},
	{"skips priming events", "Priming", func(f *faulty) {
		f.edit(func(_ int, ev eventlog.Event) []eventlog.Event {
			if len(ev.Data) == 0 {
				return nil
			}
			return []eventlog.Event{ev}
		})
	}},
	{"ignores the scope", "Scope", func(f *faulty) {
		all := func(s stream) stream { return stream{Key: s.Key} }
		f.create = func(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error {
			return f.Memory.Create(ctx, all(s), meta, lim)
		}
		f.add = func(ctx context.Context, s stream, evs ...*eventlog.Event) error {
			return f.Memory.Append(ctx, all(s), evs...)
		}
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			return f.Memory.After(ctx, all(s), last, follow)
		}
	}},
	{"tells that a stream exists in another scope", "Scope", func(f *faulty) {
		known := map[string]bool{}
		f.create = func(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error {
			known[s.Key] = true
			return f.Memory.Create(ctx, s, meta, lim)
		}
		f.meta = func(ctx context.Context, s stream) ([]byte, error) {
			b, err := f.Memory.Meta(ctx, s)
			if errors.Is(err, eventlog.ErrUnknown) && known[s.Key] {
				return nil, errors.New("this stream is not yours")
			}
			return b, err
		}
	}},
	{"takes an id of another stream for one of this", "OtherStream", func(f *faulty) {
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			if last.Key != "" {
				last.Key = s.Key
			}
			return f.Memory.After(ctx, s, last, follow)
		}
	}},
	{"takes a bad id for the start", "BadIDs", func(f *faulty) {
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			for _, err := range f.Memory.After(ctx, s, last, false) {
				if errors.Is(err, eventlog.ErrBadID) {
					last = eventID{}
				}
			}
			return f.Memory.After(ctx, s, last, follow)
		}
	}},
	{"forgets what it purged", "Purge", func(f *faulty) {
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			return whole(ctx, f.Memory, s, last)
		}
	}},
	{"tells of purged events after the first it has", "Purge", func(f *faulty) {
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			return func(yield func(eventlog.Event, error) bool) {
				for _, err := range f.Memory.After(ctx, s, last, false) {
					if errors.Is(err, eventlog.ErrPurged) {
						for ev, err := range whole(ctx, f.Memory, s, last) {
							if !yield(ev, err) {
								return
							}
							break
						}
					}
				}
				f.Memory.After(ctx, s, last, follow)(yield)
			}
		}
	}},
	{"hides from a follower what was purged while it was slow", "PurgeWhileFollowing", func(f *faulty) {
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			return func(yield func(eventlog.Event, error) bool) {
				for ev, err := range f.Memory.After(ctx, s, last, follow) {
					if errors.Is(err, eventlog.ErrPurged) {
						whole(ctx, f.Memory, s, last)(yield)
						return
					}
					last = ev.ID
					if !yield(ev, err) {
						return
					}
				}
			}
		}
	}},
	{"never purges", "Purge", func(f *faulty) {
		f.create = func(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error {
			return f.Memory.Create(ctx, s, meta, eventlog.Limits{})
		}
	}},
	{"does not count bytes", "PurgeBytes", func(f *faulty) {
		f.create = func(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error {
			lim.MaxBytes = -1
			return f.Memory.Create(ctx, s, meta, lim)
		}
	}},
	{"lets others pay for a noisy stream", "NoisyStream", func(f *faulty) {
		var quiet stream
		appended := 0
		f.add = func(ctx context.Context, s stream, evs ...*eventlog.Event) error {
			if quiet == (stream{}) {
				quiet = s
			}
			if appended++; appended == 100 {
				_ = f.Memory.Drop(ctx, quiet.Scope)
				_ = f.Memory.Create(ctx, quiet, nil, eventlog.Limits{})
				_ = f.Memory.Create(ctx, s, nil, eventlog.Limits{})
			}
			return f.Memory.Append(ctx, s, evs...)
		}
	}},
	{"keeps the caller's bytes", "Ownership", func(f *faulty) {
		kept := map[string][]byte{}
		f.add = func(ctx context.Context, s stream, evs ...*eventlog.Event) error {
			err := f.Memory.Append(ctx, s, evs...)
			for _, ev := range evs {
				kept[ev.ID.Pos] = ev.Data
			}
			return err
		}
		f.edit(func(_ int, ev eventlog.Event) []eventlog.Event {
			ev.Data = kept[ev.ID.Pos]
			return []eventlog.Event{ev}
		})
	}},
	{"lends its meta", "Meta", func(f *faulty) {
		var kept []byte
		f.create = func(_ context.Context, _ stream, meta []byte, _ eventlog.Limits) error {
			kept = bytes.Clone(meta)
			return nil
		}
		f.meta = func(context.Context, stream) ([]byte, error) { return kept, nil }
	}},
	{"makes a stream anew that exists", "Create", func(f *faulty) {
		f.create = func(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error {
			err := f.Memory.Create(ctx, s, meta, lim)
			if errors.Is(err, eventlog.ErrExists) {
				err = nil
			}
			return err
		}
	}},
	{"stores a batch in another order", "Batch", func(f *faulty) {
		f.add = func(ctx context.Context, s stream, evs ...*eventlog.Event) error {
			slices.Reverse(evs)
			defer slices.Reverse(evs)
			return f.Memory.Append(ctx, s, evs...)
		}
	}},
	{"tears batches", "Writers", func(f *faulty) {
		f.add = func(ctx context.Context, s stream, evs ...*eventlog.Event) error {
			for _, ev := range evs {
				if err := f.Memory.Append(ctx, s, ev); err != nil {
					return err
				}
				<-time.After(1) // in a bubble: when all others wait too
			}
			return nil
		}
	}},
	{"gives events the ids of others", "Writers", func(f *faulty) {
		f.add = func(ctx context.Context, s stream, evs ...*eventlog.Event) error {
			err := f.Memory.Append(ctx, s, evs...)
			if len(evs) > 1 {
				evs[0].ID, evs[1].ID = evs[1].ID, evs[0].ID
			}
			return err
		}
	}},
	{"numbers streams alike", "EventIDs", func(f *faulty) {
		f.add = func(ctx context.Context, s stream, evs ...*eventlog.Event) error {
			err := f.Memory.Append(ctx, s, evs...)
			for _, ev := range evs {
				ev.ID.Key = "AAAAAAAAAAAAAAAAAAAAAA"
			}
			return err
		}
	}},
	{"holds a lock while a loop works", "SlowReader", func(f *faulty) {
		var mu sync.Mutex
		f.add = func(ctx context.Context, s stream, evs ...*eventlog.Event) error {
			mu.Lock()
			defer mu.Unlock()
			return f.Memory.Append(ctx, s, evs...)
		}
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			return func(yield func(eventlog.Event, error) bool) {
				for ev, err := range f.Memory.After(ctx, s, last, follow) {
					mu.Lock()
					on := yield(ev, err)
					mu.Unlock()
					if !on {
						return
					}
				}
			}
		}
	}},
	{"says that there is more when there is not", "More", func(f *faulty) {
		f.edit(func(_ int, ev eventlog.Event) []eventlog.Event {
			ev.More = true
			return []eventlog.Event{ev}
		})
	}},
	{"drops a stream when it is finished", "Finish", func(f *faulty) {
		f.end = func(ctx context.Context, s stream) error {
			_ = f.Memory.Finish(ctx, s)
			return f.Memory.Drop(ctx, s.Scope)
		}
	}},
	{"does not finish", "Finish", func(f *faulty) {
		f.end = func(ctx context.Context, s stream) error { return ctx.Err() }
	}},
	{"does not linger", "Linger", func(f *faulty) {
		f.create = func(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error {
			lim.Linger = time.Second
			return f.Memory.Create(ctx, s, meta, lim)
		}
	}},
	{"lingers for ever", "Linger", func(f *faulty) {
		f.create = func(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error {
			lim.Linger = -1
			return f.Memory.Create(ctx, s, meta, lim)
		}
	}},
	{"keeps unused streams for ever", "TTL", func(f *faulty) {
		f.create = func(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error {
			lim.TTL = -1
			return f.Memory.Create(ctx, s, meta, lim)
		}
	}},
	{"does not drop", "Drop", func(f *faulty) {
		f.drop = func(ctx context.Context, scope string) error { return nil }
	}},
	{"drops all scopes", "Drop", func(f *faulty) {
		var scopes []string
		f.create = func(ctx context.Context, s stream, meta []byte, lim eventlog.Limits) error {
			scopes = append(scopes, s.Scope)
			return f.Memory.Create(ctx, s, meta, lim)
		}
		f.drop = func(ctx context.Context, _ string) error {
			for _, scope := range scopes {
				_ = f.Memory.Drop(ctx, scope)
			}
			return nil
		}
	}},
	{"follows on when the context has ended", "Cancel", func(f *faulty) {
		f.after = func(ctx context.Context, s stream, last eventID, follow bool) events {
			return f.Memory.After(context.WithoutCancel(ctx), s, last, follow)
		}
	}},
	{"follows on when it was closed", "Close", func(f *faulty) {
		f.stop = func() error { return nil }
	}},
}

// twice yields the last event that was stored once more when it comes to live
// events.
func twice(m *eventlog.Memory, ctx context.Context, s stream, last eventID, follow bool) events {
	return func(yield func(eventlog.Event, error) bool) {
		var held eventlog.Event
		for ev, err := range m.After(ctx, s, last, false) {
			if held = ev; !yield(ev, err) || err != nil {
				return
			}
			last = ev.ID
		}
		if follow && (held.ID.IsZero() || yield(held, nil)) {
			m.After(ctx, s, last, true)(yield)
		}
	}
}

// lossy does not see the first event that comes after what was stored.
func lossy(m *eventlog.Memory, ctx context.Context, s stream, last eventID, follow bool) events {
	return func(yield func(eventlog.Event, error) bool) {
		for ev, err := range m.After(ctx, s, last, false) {
			if !yield(ev, err) || err != nil {
				return
			}
			last = ev.ID
		}
		first := true
		for ev, err := range m.After(ctx, s, last, follow) {
			if err == nil && first {
				first = false
				continue
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}
