package dispatch

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/protocol"
)

// OtherMethods is the name under which everything is counted that has no name of
// its own: methods nobody serves, and those beyond the limit.
const OtherMethods = "other"

// Metrics is an [Observer] that counts. One may observe any number of Servers
// and Clients. It is made by [NewMetrics].
type Metrics struct {
	most   int
	tables [eventKinds]methodTable

	opened, closed atomic.Uint64

	mu    sync.Mutex
	peers map[*Peer]struct{}
}

var _ Observer = (*Metrics)(nil)

// methodTable finds the counters of a method. Readers load names, which is never
// changed once it is published.
type methodTable struct {
	mu    sync.Mutex // of writers
	names atomic.Pointer[map[string]*methodCounters]
	other methodCounters
}

type methodCounters struct {
	outcomes          [outcomes]atomic.Uint64
	bytesIn, bytesOut atomic.Uint64
	took              histogram
	waited            histogram
}

// NewMetrics returns an observer that counts at most so many methods by name in
// each direction, [DefaultMaxMethods] if 0. Methods of MCP and those that were
// registered have names; what else a peer may think of has none.
func NewMetrics(maxMethods int) *Metrics {
	const many = 1<<31 - 1
	m := &Metrics{most: maxMethods, peers: make(map[*Peer]struct{})}
	fill(&m.most, DefaultMaxMethods, many)
	for i := range m.tables {
		m.tables[i].names.Store(&map[string]*methodCounters{})
	}
	return m
}

// Observe implements [Observer].
func (m *Metrics) Observe(e *Event) {
	switch e.Kind {
	case EventOpened:
		m.opened.Add(1)
		m.mu.Lock()
		m.peers[e.Peer] = struct{}{}
		m.mu.Unlock()
		return
	case EventClosed:
		m.closed.Add(1)
		m.mu.Lock()
		delete(m.peers, e.Peer)
		m.mu.Unlock()
		return
	}
	c := m.counters(e)
	c.outcomes[e.Outcome].Add(1)
	c.bytesIn.Add(uint64(e.BytesIn))
	c.bytesOut.Add(uint64(e.BytesOut))
	c.took.add(e.Duration)
	if e.Wait > 0 {
		c.waited.add(e.Wait)
	}
}

// counters returns where an event is counted.
func (m *Metrics) counters(e *Event) *methodCounters {
	t := &m.tables[e.Kind]
	if c := (*t.names.Load())[e.Method]; c != nil {
		return c
	}
	name := e.Route
	if info, ok := protocol.LookupMethod(e.Method); ok {
		name = info.Name
	}
	if name == "" {
		return &t.other
	}
	if c := (*t.names.Load())[name]; c != nil {
		return c
	}
	return t.add(name, m.most)
}

// add returns the counters of a name that is new, the common ones if there are
// too many.
func (t *methodTable) add(name string, most int) *methodCounters {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := *t.names.Load()
	if c := old[name]; c != nil {
		return c
	}
	if len(old) >= most {
		return &t.other
	}
	next := maps.Clone(old)
	c := new(methodCounters)
	next[name] = c
	t.names.Store(&next)
	return c
}

// Snapshot is what a Metrics has counted, and how things stand now. As JSON it
// is fit for package expvar.
type Snapshot struct {
	// Peers are the connections that are open; Opened and Closed how many there
	// ever were.
	Peers  int    `json:"peers"`
	Opened uint64 `json:"opened"`
	Closed uint64 `json:"closed"`
	// Running are the handlers of requests that run, those that wait inside the
	// engine left out.
	Running int64 `json:"running"`
	// Queued are requests that wait for a place, with QueuedBytes in their
	// frames.
	Queued      int64 `json:"queued"`
	QueuedBytes int64 `json:"queued_bytes"`
	// Waiting are notifications that wait for the handler of an earlier one;
	// Dropped those that were dropped from there on open connections.
	Waiting int64  `json:"waiting_notifications"`
	Dropped uint64 `json:"dropped_notifications"`
	// Pending are calls of ours that wait for their answer.
	Pending int `json:"pending_calls"`

	// What was counted, by kind of event and by method.
	Served   map[string]MethodMetrics `json:"served"`
	Refused  map[string]MethodMetrics `json:"refused"`
	Notified map[string]MethodMetrics `json:"notified"`
	Called   map[string]MethodMetrics `json:"called"`
	Sent     map[string]MethodMetrics `json:"sent"`
}

// MethodMetrics is what was counted of one method.
type MethodMetrics struct {
	// Count is how many there were, Outcomes how they ended; outcomes that never
	// came are left out.
	Count    uint64            `json:"count"`
	Outcomes map[string]uint64 `json:"outcomes"`
	// BytesIn and BytesOut are sums of those of the events.
	BytesIn  uint64 `json:"bytes_in"`
	BytesOut uint64 `json:"bytes_out"`
	// Duration is how long they took, and Wait how long those waited for a place
	// that did.
	Duration Histogram `json:"duration"`
	Wait     Histogram `json:"wait"`
}

// Snapshot returns everything that was counted until now: copied. What happens
// meanwhile may be in it in part.
func (m *Metrics) Snapshot() Snapshot {
	s := Snapshot{
		Opened: m.opened.Load(), Closed: m.closed.Load(),
		Served:   m.tables[EventServed].snapshot(),
		Refused:  m.tables[EventRefused].snapshot(),
		Notified: m.tables[EventNotified].snapshot(),
		Called:   m.tables[EventCalled].snapshot(),
		Sent:     m.tables[EventSent].snapshot(),
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s.Peers = len(m.peers)
	for p := range m.peers {
		s.Running += max(p.running.Load(), 0)
		s.Queued += p.queued.Load()
		s.QueuedBytes += p.queuedBytes.Load()
		s.Waiting += p.lane.length.Load()
		s.Dropped += p.Dropped()
		s.Pending += p.pendingCalls()
	}
	return s
}

func (p *Peer) pendingCalls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending)
}

func (t *methodTable) snapshot() map[string]MethodMetrics {
	all := make(map[string]MethodMetrics)
	for name, c := range *t.names.Load() {
		all[name] = c.snapshot()
	}
	if s := t.other.snapshot(); s.Count > 0 {
		all[OtherMethods] = s
	}
	return all
}

func (c *methodCounters) snapshot() MethodMetrics {
	s := MethodMetrics{
		Outcomes: make(map[string]uint64),
		BytesIn:  c.bytesIn.Load(),
		BytesOut: c.bytesOut.Load(),
		Duration: c.took.snapshot(),
		Wait:     c.waited.snapshot(),
	}
	for o := range outcomes {
		if n := c.outcomes[o].Load(); n > 0 {
			s.Outcomes[o.String()] = n
			s.Count += n
		}
	}
	return s
}
