//go:build unix

package mcpgo_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// On the streams of the process the session is called "stdio", and a signal ends it
// without an error, a call that runs included.
func TestServeStdio(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			exe, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), helperChild+"=signalled", "GORACE=atexit_sleep_ms=0")
			cmd.Stderr = os.Stderr
			in, err := cmd.StdinPipe() // which stays open
			require.NoError(t, err)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			defer func() { _ = cmd.Process.Kill() }()
			lines := bufio.NewScanner(out)
			ask := func(line string) string {
				_, err := io.WriteString(in, line+"\n")
				require.NoError(t, err)
				require.True(t, lines.Scan())
				return lines.Text()
			}
			require.Contains(t, ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+legacy+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`), legacy)
			_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+toolCall("1", "wait", `{}`)+"\n")
			require.NoError(t, err)
			require.Contains(t, ask(toolCall("2", "session", `{}`)), `"text":"stdio"`)
			require.NoError(t, cmd.Process.Signal(sig))
			for lines.Scan() {
			}
			require.NoError(t, cmd.Wait())
		})
	}
}
