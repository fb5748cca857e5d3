package eventlog

import (
	"bytes"
	"context"
	"iter"
	"sync"
)

// Bus tells all replicas that something changed: at most once, best effort,
// nothing is replayed. Its methods may be called concurrently.
type Bus interface {
	// Publish sends msg, which is copied, to the subscribers that topic has
	// now. It does not wait for them.
	Publish(ctx context.Context, topic string, msg []byte) error

	// Subscribe returns the messages of a topic from now on. The sequence ends
	// when ctx does, which also ends the subscription if nobody ranges over it;
	// it is for one loop at a time. A message is shared with other subscribers:
	// it must not be written to, and may be kept.
	Subscribe(ctx context.Context, topic string) (iter.Seq[[]byte], error)
}

// LocalBusOptions tells a LocalBus its limits. A nil *LocalBusOptions means all
// defaults. It is copied, never changed.
type LocalBusOptions struct {
	// MaxMessages and MaxBytes bound what waits for one subscriber. The oldest
	// messages are dropped for new ones; the newest stays however large it is.
	// 0 means DefaultBusMessages and DefaultBusBytes, negative means no limit.
	MaxMessages int
	MaxBytes    int64
}

// LocalBus is a [Bus] within one process.
type LocalBus struct {
	max LocalBusOptions // assigned once

	mu      sync.Mutex
	topics  map[string]map[*subscriber]struct{}
	dropped uint64
}

var _ Bus = (*LocalBus)(nil)

// subscriber is one subscription, guarded by the lock of its bus.
type subscriber struct {
	queue [][]byte
	size  int64
	ready chan struct{} // tells that the queue is not empty
}

// NewLocalBus returns a bus without subscribers.
func NewLocalBus(o *LocalBusOptions) *LocalBus {
	return &LocalBus{max: o.withDefaults(), topics: map[string]map[*subscriber]struct{}{}}
}

// Publish implements [Bus]. It never blocks.
func (b *LocalBus) Publish(ctx context.Context, topic string, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	msg = bytes.Clone(msg)
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.topics[topic] {
		b.push(s, msg)
	}
	return nil
}

// push puts msg into the queue of s, and what it displaces out of it.
func (b *LocalBus) push(s *subscriber, msg []byte) {
	s.queue = append(s.queue, msg)
	s.size += int64(len(msg))
	for len(s.queue) > 1 && (len(s.queue) > b.max.MaxMessages || s.size > b.max.MaxBytes) {
		s.size -= int64(len(s.queue[0]))
		s.queue[0] = nil
		s.queue = s.queue[1:]
		b.dropped++
	}
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// Subscribe implements [Bus].
func (b *LocalBus) Subscribe(ctx context.Context, topic string) (iter.Seq[[]byte], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &subscriber{ready: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.topics[topic] == nil {
		b.topics[topic] = map[*subscriber]struct{}{}
	}
	b.topics[topic][s] = struct{}{}
	context.AfterFunc(ctx, func() { b.unsubscribe(topic, s) })
	return func(yield func([]byte) bool) {
		for {
			for msg := range b.taken(s) {
				if ctx.Err() != nil || !yield(msg) {
					return
				}
			}
			select {
			case <-s.ready:
			case <-ctx.Done():
				return
			}
		}
	}, nil
}

// taken yields what waits for s, one message after the other, until nothing does.
func (b *LocalBus) taken(s *subscriber) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			b.mu.Lock()
			if len(s.queue) == 0 {
				s.queue = nil
				b.mu.Unlock()
				return
			}
			msg := s.queue[0]
			s.queue[0] = nil
			s.queue = s.queue[1:]
			s.size -= int64(len(msg))
			b.mu.Unlock()
			if !yield(msg) {
				return
			}
		}
	}
}

func (b *LocalBus) unsubscribe(topic string, s *subscriber) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.topics[topic], s)
	if len(b.topics[topic]) == 0 {
		delete(b.topics, topic)
	}
	s.queue, s.size = nil, 0
}

// Dropped is how many messages were dropped because a subscriber was slow.
func (b *LocalBus) Dropped() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dropped
}
