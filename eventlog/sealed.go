package eventlog

import (
	"context"
	"math"
	"sync"
	"time"
)

// SealedSessions are [Sessions] without a store: the state is in the session id,
// sealed. Every replica that has the keys can load it.
//
// Because nothing is stored, ttl counts from Save and no use prolongs it, and
// Delete is known to this process alone, which remembers a bounded number of
// deleted sessions until they expire. Where a deleted session must be refused
// everywhere, spread the deletion over a [Bus] or use sessions with a store.
type SealedSessions struct {
	sealer *Sealer // assigned once
	max    int     // assigned once

	mu      sync.Mutex
	deleted map[[xaesNonce]byte]int64 // and when they would have expired
	order   [][xaesNonce]byte         // those deleted first come first
}

var _ Sessions = (*SealedSessions)(nil)

// SealedOptions tells SealedSessions their limits. A nil *SealedOptions means
// all defaults. It is copied, never changed.
type SealedOptions struct {
	// MaxDeleted bounds how many deleted sessions are remembered, about 64 bytes
	// each. 0 means DefaultMaxDeleted, negative means no limit.
	MaxDeleted int
}

// NewSealedSessions returns sessions that s seals, whose audience should be for
// sessions only.
func NewSealedSessions(s *Sealer, o *SealedOptions) *SealedSessions {
	var c SealedOptions
	if o != nil {
		c = *o
	}
	most := limit(c.MaxDeleted, DefaultMaxDeleted, math.MaxInt32)
	return &SealedSessions{sealer: s, max: most, deleted: map[[xaesNonce]byte]int64{}}
}

// Save implements [Sessions]. It returns a text that holds the state in place of
// id, which it has no use for. [ErrTooLarge] if that would be longer than the
// sealer allows.
func (s *SealedSessions) Save(_ context.Context, _, principal string, state []byte, ttl time.Duration) (string, error) {
	return s.sealer.Seal(principal, state, ttl)
}

// Load implements [Sessions].
func (s *SealedSessions) Load(_ context.Context, id, principal string) ([]byte, error) {
	t, err := s.sealer.openFor(principal, id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, gone := s.deleted[t.nonce]; gone {
		return nil, ErrDeleted
	}
	return t.state, nil
}

// Delete implements [Sessions], for this process. What is no session of ours is
// no error: it cannot be loaded either.
func (s *SealedSessions) Delete(_ context.Context, id string) error {
	t, err := s.sealer.open(id)
	if err != nil || t.expires <= time.Now().Unix() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, again := s.deleted[t.nonce]; again {
		return nil
	}
	s.forget()
	s.deleted[t.nonce] = t.expires
	s.order = append(s.order, t.nonce)
	return nil
}

// forget makes room for one more, first of what has expired.
func (s *SealedSessions) forget() {
	now := time.Now().Unix()
	for len(s.order) > 0 && (len(s.order) >= s.max || s.deleted[s.order[0]] <= now) {
		delete(s.deleted, s.order[0])
		s.order = s.order[1:]
	}
}
