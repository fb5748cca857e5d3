package stdio

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// launcher starts processes. The kernel sends the signal for the death of a
// parent when the thread ends that started the child; so all are started by one
// thread, which lasts as long as this process.
var launcher = sync.OnceValue(func() chan<- func() {
	todo := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range todo {
			f()
		}
	}()
	return todo
})

// launch starts cmd so that it dies with this process, even if that is killed.
func launch(cmd *exec.Cmd) error {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	result := make(chan error, 1)
	launcher() <- func() { result <- cmd.Start() }
	return <-result
}

// await waits until the process has exited and leaves it to be reaped, so that
// its number, and that of its group, stay its own.
func (p *process) await() {
	const byPid = 1 // P_PID
	pid := uintptr(p.cmd.Process.Pid)
	for {
		_, _, e := syscall.Syscall6(syscall.SYS_WAITID, byPid, pid, 0, syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if e != syscall.EINTR {
			return // an error means that somebody else has reaped it
		}
	}
}
