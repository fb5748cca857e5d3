//go:build unix && !linux

package relay

import "syscall"

// sysProcAttr gives the child a process group of its own, so that all of it can be ended. If we are
// killed, the child sees the end of its standard input and nothing else.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
