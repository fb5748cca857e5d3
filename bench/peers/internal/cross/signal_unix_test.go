//go:build unix

package cross_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/wirespool/wirespool/bench/peers/internal/cross"
)

// TestForsakenCall: the client has ended its side while a call runs that it will
// never cancel, as mcp-go's does when it is closed right after it gave a call up.
// The signal that such clients send then ends the server in order.
func TestForsakenCall(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{},"_meta":{"progressToken":"t",` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"}}}}` + "\n"
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env, child.Stderr = childEnv(cross.MCPGo), os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, call); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "notifications/progress") {
		t.Fatalf("%q, %v", line, err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}
