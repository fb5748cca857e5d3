//go:build !unix && !windows

package stdio

import (
	"os/exec"
	"syscall"
)

func prepare(*exec.Cmd) error { return nil }

func (p *process) signal(syscall.Signal) { _ = p.cmd.Process.Kill() }
