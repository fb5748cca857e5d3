package bridge

import (
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/streamhttp"
)

// tools remembers which arguments clients of 2026-07-28 mirror in headers: what
// the answers to tools/list said that have passed.
type tools struct {
	mu    sync.Mutex
	known map[string][]streamhttp.ParamHeader // only tools that mirror any
}

// learn takes a result of tools/list, which it does not keep. A tool whose
// annotations are invalid mirrors nothing: no client uses it (XH-05).
func (t *tools) learn(result codec.Value, most int) {
	_, invalid := streamhttp.FilterTools(result, func(name string, headers []streamhttp.ParamHeader) {
		t.set(name, headers, most)
	})
	for _, tool := range invalid {
		t.set(tool.Name, nil, most)
	}
}

func (t *tools) set(name string, headers []streamhttp.ParamHeader, most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(headers) == 0 {
		delete(t.known, name)
		return
	}
	if t.known == nil {
		t.known = make(map[string][]streamhttp.ParamHeader)
	}
	if _, old := t.known[name]; old || len(t.known) < most {
		t.known[name] = headers
	}
}

// Params is for [streamhttp.Options.Params] of the handler in front: the arguments
// of a tool that are mirrored in headers, as far as its schema has been seen
// (XH-10). The result must not be changed.
func (b *Bridge) Params(tool string) []streamhttp.ParamHeader {
	b.tools.mu.Lock()
	defer b.tools.mu.Unlock()
	return b.tools.known[tool]
}
