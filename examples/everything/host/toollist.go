package host

import (
	"context"
	"encoding/json"
	"sync"
)

// Tool is what a host needs to know of a tool.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// InputSchema is what the server sent, byte by byte.
	InputSchema json.RawMessage `json:"inputSchema"`
}

// ToolList keeps the tools of a server. A notice that they have changed drops
// them and fetches again at once: one fetch at a time, and one more if another
// notice came meanwhile, whose change the running fetch may have missed (ME-03).
type ToolList struct {
	fetch func(context.Context) ([]Tool, error)
	life  context.Context // of the connection: a fetch outlives who asked first

	mu      sync.Mutex
	current *fetched // the last fetch, running or done; nil before the first
	again   bool     // a notice came while it runs
}

// fetched is the outcome of a fetch, and of those that had to follow it.
type fetched struct {
	done  chan struct{} // closed when the other fields are set
	tools []Tool
	err   error
}

// NewToolList returns a list that calls fetch for the tools; life ends with the
// connection.
func NewToolList(life context.Context, fetch func(context.Context) ([]Tool, error)) *ToolList {
	return &ToolList{life: life, fetch: fetch}
}

// Changed is to be called for each notice. It does not block.
func (l *ToolList) Changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil && !l.current.isDone() {
		l.again = true
		return
	}
	l.start()
}

// Get returns the tools, after a fetch if there is none that succeeded.
func (l *ToolList) Get(ctx context.Context) ([]Tool, error) {
	l.mu.Lock()
	if l.current == nil || l.current.isDone() && l.current.err != nil {
		l.start()
	}
	current := l.current
	l.mu.Unlock()
	select {
	case <-current.done:
		return current.tools, current.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// start starts a fetch. Caller holds l.mu.
func (l *ToolList) start() {
	l.current = &fetched{done: make(chan struct{})}
	go l.run(l.current)
}

func (l *ToolList) run(f *fetched) {
	for {
		tools, err := l.fetch(l.life)
		l.mu.Lock()
		if !l.again || l.life.Err() != nil {
			f.tools, f.err = tools, err
			close(f.done)
			l.mu.Unlock()
			return
		}
		l.again = false
		l.mu.Unlock()
	}
}

func (f *fetched) isDone() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}
