package eventlog

// tally is what a Memory counts of itself, under its lock.
type tally struct {
	finished, events         int
	purged, evicted, expired uint64
}

// Stats is a snapshot of a [Memory].
type Stats struct {
	Streams  int   // streams kept
	Finished int   // how many of them are finished
	Events   int   // events kept
	Bytes    int64 // what the streams are charged with, of MaxTotal

	// What happened since the log was made.
	Purged  uint64 // oldest events given up for newer ones
	Evicted uint64 // finished streams given up for want of room
	Expired uint64 // streams removed because nobody used them
}

// Stats returns how full the log is and what it had to give up.
func (m *Memory) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Stats{
		Streams:  len(m.streams),
		Finished: m.tally.finished,
		Events:   m.tally.events,
		Bytes:    m.total,
		Purged:   m.tally.purged,
		Evicted:  m.tally.evicted,
		Expired:  m.tally.expired,
	}
}
