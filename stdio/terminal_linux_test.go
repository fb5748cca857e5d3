package stdio_test

import (
	"io"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// terminal returns a pseudo-terminal as a server's stdin and stdout, both of
// one description as a shell has them.
func terminal(t *testing.T) (*os.File, io.WriteCloser, *os.File, io.Reader) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("needs a pseudo-terminal: %v", err)
	}
	closeLater(t, master)
	raw, err := master.SyscallConn()
	require.NoError(t, err)
	var slave uintptr
	var e syscall.Errno
	require.NoError(t, raw.Control(func(fd uintptr) {
		const tiocgptpeer = 0x5441 // takes its flags by value and returns a descriptor
		unlock := new(int32)
		if _, _, e = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCSPTLCK, reflect.ValueOf(unlock).Pointer()); e == 0 {
			slave, _, e = syscall.Syscall(syscall.SYS_IOCTL, fd, tiocgptpeer, syscall.O_RDWR|syscall.O_NOCTTY|syscall.O_CLOEXEC)
		}
	}))
	if e != 0 {
		t.Skipf("needs a pseudo-terminal: %v", e)
	}
	tty := os.NewFile(slave, "terminal")
	closeLater(t, tty)
	return tty, hangUp{master}, tty, master
}

// hangUp ends a terminal's input the way people do, and reads what would keep
// the other side from exiting.
type hangUp struct{ *os.File }

func (h hangUp) Close() error {
	_, err := io.Copy(h.File, strings.NewReader("\x04"))
	return err
}
