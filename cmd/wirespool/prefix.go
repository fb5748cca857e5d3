package main

import (
	"bytes"
	"io"
	"path/filepath"
	"sync"
)

// prefixer puts a name in front of every line. It is shared by all children, each
// of which writes whole lines as a rule; what they write at once does not mix
// within a Write.
type prefixer struct {
	prefix []byte
	to     io.Writer

	mu   sync.Mutex
	open bool // a line is not ended
	buf  []byte
}

func newPrefixer(command string, to io.Writer) *prefixer {
	return &prefixer{prefix: []byte("[" + filepath.Base(command) + "] "), to: to}
}

// Write implements [io.Writer].
func (p *prefixer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buf = p.buf[:0]
	for line := range bytes.Lines(b) {
		if !p.open {
			p.buf = append(p.buf, p.prefix...)
		}
		p.buf = append(p.buf, line...)
		p.open = line[len(line)-1] != '\n'
	}
	if _, err := p.to.Write(p.buf); err != nil {
		return 0, err
	}
	return len(b), nil
}
