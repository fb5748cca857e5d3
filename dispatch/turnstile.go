package dispatch

import "sync"

// turnstile lets one goroutine through at a time, in order of arrival. Unlike a mutex
// it may be held across a write: whoever waits for it blocks on a channel, which
// a synctest bubble understands. It does not allocate unless somebody waits.
type turnstile struct {
	mu      sync.Mutex
	held    bool
	waiting []chan struct{}
}

func (g *turnstile) enter() {
	g.mu.Lock()
	if !g.held {
		g.held = true
		g.mu.Unlock()
		return
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()
	<-turn
}

func (g *turnstile) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.held = false
		return
	}
	close(g.waiting[0])
	g.waiting = g.waiting[1:]
}

// mark sets *done as one who goes through.
func (g *turnstile) mark(done *bool) {
	g.mu.Lock()
	if !g.held {
		*done = true
		g.mu.Unlock()
		return
	}
	g.mu.Unlock()
	g.enter()
	*done = true
	g.leave()
}
