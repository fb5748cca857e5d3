package stdio

import (
	"os/exec"
	"sync"
)

// process is a child as the system sees it.
type process struct {
	cmd  *exec.Cmd
	wait func() error // reaps it, once

	mu     sync.Mutex
	reaped bool // its group must not be signalled any more
}

func newProcess(cmd *exec.Cmd) *process {
	return &process{cmd: cmd, wait: sync.OnceValue(cmd.Wait)}
}

// reap gives its number back.
func (p *process) reap() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reaped = true
	if err := p.wait(); p.cmd.ProcessState == nil {
		return err
	}
	return nil
}
