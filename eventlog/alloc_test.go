//go:build !race

package eventlog_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/alloctest"
)

// An event costs two allocations to store, the copy of its data and the text of
// its position, and none to read.
func TestAllocations(t *testing.T) {
	log := eventlog.NewMemory(nil)
	s := eventlog.Stream{Scope: "session", Key: eventlog.NewKey()}
	if err := log.Create(t.Context(), s, nil, eventlog.Limits{}); err != nil {
		t.Fatal(err)
	}
	ev := &eventlog.Event{Data: bytes.Repeat([]byte("x"), 300)}
	add := func() {
		if err := log.Append(t.Context(), s, ev); err != nil {
			t.Fatal(err)
		}
	}
	for range 2000 { // the ring is as large as it gets
		add()
	}
	if n := alloctest.Least(2, 1000, add); n > 2 {
		t.Errorf("Append: %v allocations, want 2", n)
	}
	early := ev.ID
	for range 950 {
		add()
	}
	for _, follow := range []bool{false, true} {
		events := 0
		n := alloctest.Least(8, 10, func() {
			events = 0
			for ev, err := range log.After(t.Context(), s, early, follow) {
				if err != nil {
					t.Fatal(err)
				}
				if events++; !ev.More {
					break
				}
			}
		})
		if n > 8 || events < 900 {
			t.Errorf("After: %v allocations for %d events, want 8 or fewer for all", n, events)
		}
	}
}

// What a stream and an event are charged with is not less than what they
// occupy, so that MaxTotal bounds real memory.
func TestChargesAreHonest(t *testing.T) {
	stream, err := idleStream(2000)
	if most := float64(eventlog.StreamCost); err != nil || stream > most {
		t.Errorf("a stream occupies %.0f bytes (%v) and costs %.0f", stream, err, most)
	}
	event, err := loggedEvent(5)
	if most := float64(eventlog.EventCost + 20); err != nil || event > most { // 300 bytes take a block of 320
		t.Errorf("an event occupies %.0f bytes besides its data (%v) and costs %.0f", event, err, most)
	}
}

// A follower that waits does not hold what it was given and what was purged
// since.
func TestWaitingHoldsNothing(t *testing.T) {
	log := eventlog.NewMemory(nil)
	s := eventlog.Stream{Key: eventlog.NewKey()}
	if err := log.Create(t.Context(), s, nil, eventlog.Limits{MaxEvents: 4, MaxBytes: -1}); err != nil {
		t.Fatal(err)
	}
	add := func(size int) {
		if err := log.Append(t.Context(), s, &eventlog.Event{Data: make([]byte, size)}); err != nil {
			t.Fatal(err)
		}
	}
	got := make(chan int)
	go func() {
		for ev := range log.After(t.Context(), s, eventlog.EventID{}, true) {
			got <- len(ev.Data)
		}
		close(got)
	}()
	held, err := heap(func() (any, error) {
		big := func() *eventlog.Event { return &eventlog.Event{Data: make([]byte, 16<<10)} }
		if err := log.Append(t.Context(), s, big(), big(), big(), big()); err != nil {
			return nil, err
		}
		for range 4 {
			<-got
		}
		for range 4 {
			add(1)
			<-got
		}
		return log, nil
	})
	if held > 24<<10 || err != nil {
		t.Errorf("%.0f bytes are held (%v)", held, err)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	<-got // the error
	<-got
}

// What was purged is not held by the slot that it was in.
func TestPurgedIsFree(t *testing.T) {
	log := eventlog.NewMemory(nil)
	defer log.Close()
	held, err := heap(func() (any, error) {
		s := eventlog.Stream{Key: eventlog.NewKey()}
		if err := log.Create(t.Context(), s, nil, eventlog.Limits{MaxBytes: 1}); err != nil {
			return nil, err
		}
		var batch []*eventlog.Event
		for range 8 {
			batch = append(batch, &eventlog.Event{Data: make([]byte, 1<<20)})
		}
		return log, log.Append(t.Context(), s, batch...)
	})
	if held > 3<<19 || err != nil {
		t.Errorf("%.0f bytes are held (%v)", held, err)
	}
}

// A closed log is garbage: no timer holds it.
func TestClosedIsFree(t *testing.T) {
	log := eventlog.NewMemory(nil)
	if err := log.Create(t.Context(), eventlog.Stream{Key: eventlog.NewKey()}, nil, eventlog.Limits{}); err != nil {
		t.Fatal(err)
	}
	collected := make(chan struct{})
	runtime.AddCleanup(log, func(c chan struct{}) { close(c) }, collected)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	log = nil
	for range 100 { // the machine may be busy
		runtime.GC()
		select {
		case <-collected:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Error("a closed log was not collected")
}
