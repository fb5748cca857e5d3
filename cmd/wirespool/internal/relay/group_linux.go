package relay

import "syscall"

// sysProcAttr gives the child a process group of its own, so that all of it can be ended, and asks
// the kernel to end the child when we are killed: then nobody could pass anything on any more. The
// kernel does so when the thread that started the child ends, and not only the process.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
