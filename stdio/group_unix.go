//go:build unix

package stdio

import (
	"os/exec"
	"syscall"
)

// prepare gives the child a process group of its own.
func prepare(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return nil
}

// signal sends sig to everybody in the child's group, for as long as its number
// cannot have gone to a stranger.
func (p *process) signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = syscall.Kill(-p.cmd.Process.Pid, sig) // nobody left to get it is what we want
	}
}
