package stdio

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wirespool/wirespool/internal/backoff"
)

// Backoff slows down the restart of a child that dies again and again soon
// after its start. The first restart is immediate: a server may die of the very
// question which era it speaks, and serve the next connection.
type Backoff struct {
	// First is how long Dial waits after the second rapid exit in a row, 1 s by
	// default; it doubles with each one that follows, up to Max, 30 s by default.
	First, Max time.Duration
	// Stable is how long a child must have lived for its exit not to be rapid,
	// 10 s by default. A child that was closed does not count.
	Stable time.Duration
	// Budget is how many rapid exits in a row are accepted before Dial refuses
	// with ErrRapidExits; 0 means any number.
	Budget int
}

// ErrRapidExits is in the tree of Dial's error when the command died too often
// soon after its start.
var ErrRapidExits = errors.New("the command keeps exiting")

// history is what became of a command's earlier children.
type history struct {
	mu    sync.Mutex
	rapid int // exits in a row
	last  *ExitError
}

// rapidError is why a command that keeps exiting is not started: after so many
// exits, the last of which is known as a rule.
type rapidError struct {
	times int
	last  *ExitError
	why   string // the next one was not made
	cause error
}

func (e *rapidError) Error() string {
	last := ""
	if e.last != nil && e.last.State != nil {
		last = ", last with " + e.last.State.String()
	}
	return fmt.Sprintf("it ended %d times at once%s; %s", e.times, last, e.why)
}

func (e *rapidError) Unwrap() []error {
	if e.last == nil {
		return []error{e.cause}
	}
	return []error{e.cause, e.last}
}

// note keeps how a child that died has ended.
func (h *history) note(e *ExitError) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = e
}

// exited notes that a child died after it had lived for so long.
func (h *history) exited(b *Backoff, lived time.Duration) {
	if b == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if lived >= orDefault(b.Stable, 10*time.Second) {
		h.rapid = 0
	} else {
		h.rapid++
	}
}

// wait waits as long as the next start has to.
func (h *history) wait(ctx context.Context, b *Backoff) error {
	if b == nil {
		return nil
	}
	h.mu.Lock()
	rapid, last := h.rapid, h.last
	h.mu.Unlock()
	if b.Budget > 0 && rapid > b.Budget {
		return &rapidError{rapid, last, fmt.Sprintf("no more than %d are accepted (Budget)", b.Budget), ErrRapidExits}
	}
	if rapid < 2 {
		return nil
	}
	delay := backoff.Ceiling(orDefault(b.First, time.Second), orDefault(b.Max, 30*time.Second), rapid-2)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return &rapidError{rapid, last, fmt.Sprintf("the next start, after %s, was not waited for", delay), context.Cause(ctx)}
	}
}
