package eventlog

import "fmt"

// CheckInvariants recounts what a log counts of itself.
func CheckInvariants(m *Memory) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var total, free int64
	var events, finished, scoped int
	for name, s := range m.streams {
		var size, cost int64
		for pos := s.first; pos <= s.last; pos++ {
			size += int64(len(s.at(pos).data))
			cost += s.at(pos).cost()
		}
		switch {
		case s.gone || s.name != name:
			return fmt.Errorf("stream %v is gone or misplaced", name)
		case size != s.size || cost != s.cost:
			return fmt.Errorf("stream %v: size %d and cost %d, counted %d and %d", name, s.size, s.cost, size, cost)
		case s.count() > 1 && s.over(0, 0):
			return fmt.Errorf("stream %v is over its limits", name)
		case m.expiry[s.index] != s:
			return fmt.Errorf("stream %v is not in the expiry queue", name)
		case s.due > s.deadline():
			return fmt.Errorf("stream %v is due after its deadline", name)
		}
		total += s.charge()
		events += s.count()
		if s.finished {
			free += s.charge()
			finished++
		}
	}
	listed := 0
	for s := m.finished.head; s != nil; s = s.links[ofFinished].next {
		listed++
	}
	for scope, l := range m.scopes {
		for s := l.head; s != nil; s = s.links[ofScope].next {
			if s.name.Scope != scope {
				return fmt.Errorf("stream %v is in scope %q", s.name, scope)
			}
			scoped++
		}
	}
	got := []int64{m.total, m.free, int64(m.tally.events), int64(m.tally.finished), int64(listed), int64(scoped), int64(len(m.expiry))}
	want := []int64{total, free, int64(events), int64(finished), int64(finished), int64(len(m.streams)), int64(len(m.streams))}
	if fmt.Sprint(got) != fmt.Sprint(want) || total > m.max {
		return fmt.Errorf("counts %d, want %d, of at most %d", got, want, m.max)
	}
	return nil
}
