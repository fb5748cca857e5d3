package stdio

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// prepare writes the command line of a batch file itself: cmd.exe, which runs
// it, reads quotes by rules of its own (BatBadBut). Every argument is quoted,
// and one that could end the quotes or name a variable is refused.
func prepare(cmd *exec.Cmd) error {
	switch strings.ToLower(filepath.Ext(cmd.Path)) {
	case ".bat", ".cmd":
	default:
		return nil
	}
	quoted := []string{`"` + cmd.Path + `"`}
	for _, arg := range cmd.Args[1:] {
		if strings.ContainsAny(arg, "\"%\r\n") {
			return fmt.Errorf("argument %q cannot be passed to a batch file", arg)
		}
		quoted = append(quoted, `"`+arg+`"`)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: strings.Join(quoted, " ")}
	return nil
}

// signal ends the child: there is no milder way here, and no group.
func (p *process) signal(syscall.Signal) {
	_ = p.cmd.Process.Kill() // gone already is what we want
}
