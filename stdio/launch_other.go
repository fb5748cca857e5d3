//go:build !linux

package stdio

import "os/exec"

// launch starts cmd.
func launch(cmd *exec.Cmd) error { return cmd.Start() }

// await waits until the process has exited. It is reaped at once, so that there
// is a moment in which its group's number is nobody's.
func (p *process) await() { _ = p.wait() }
