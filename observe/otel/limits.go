package otel

import "sync"

const (
	// MaxNames bounds the methods, the tools and prompts, and the codes of errors
	// that metrics tell apart, each by itself: a client can ask for tools that
	// nobody has, and each new name would be a new time series.
	MaxNames = 256
	// MaxAttribute bounds the bytes of a span attribute whose text a peer chose.
	MaxAttribute = 1 << 10
)

// other stands for names that are not told apart.
const other = "_OTHER"

// names is a set that stops growing.
type names struct {
	mu    sync.RWMutex
	known map[string]struct{}
}

// limit returns name, or other where it is one too many.
func (n *names) limit(name string) string {
	n.mu.RLock()
	_, ok := n.known[name]
	n.mu.RUnlock()
	if ok {
		return name
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.known[name]; ok {
		return name
	}
	if len(name) > MaxAttribute || len(n.known) >= MaxNames {
		return other
	}
	if n.known == nil {
		n.known = make(map[string]struct{})
	}
	n.known[name] = struct{}{}
	return name
}
