package gosdk_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/stdio"
)

// asServer makes this test binary a server on its standard streams.
const asServer = "WIRESPOOL_GOSDK_TEST_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(asServer) {
	case "":
		os.Exit(m.Run())
	case "ours":
		serveStdio(gosdk.Stdio(nil))
	case "theirs":
		serveStdio(&mcp.StdioTransport{})
	}
}

func serveStdio(transport mcp.Transport) {
	srv := newServer(nil)
	srv.AddTool(raw("print"), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fmt.Println("printed to standard output")
		return text("printed"), nil
	})
	srv.AddTool(raw("exit"), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "the disk is full")
		os.Exit(3)
		return nil, nil
	})
	if err := srv.Run(context.Background(), transport); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// processes are the SDK's and ours at both ends of a real process.
var processes = []struct{ name, server, client string }{
	{"ours to ours", "ours", "ours"}, {"their server", "theirs", "ours"}, {"their client", "ours", "theirs"},
}

func command(t testing.TB, server, client string) mcp.Transport {
	self, err := os.Executable()
	require.NoError(t, err)
	env := asServer + "=" + server
	if client == "ours" {
		return gosdk.Command([]string{self}, &stdio.Options{Env: []string{env}})
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), env)
	return &mcp.CommandTransport{Command: cmd}
}

// TestProcesses runs a session with a child process, and what handlers print is no
// part of the protocol where the server is ours.
func TestProcesses(t *testing.T) {
	for _, tt := range processes {
		t.Run(tt.name, func(t *testing.T) {
			client, h := newClient()
			cs, err := client.Connect(t.Context(), command(t, tt.server, tt.client), nil)
			require.NoError(t, err)
			require.Equal(t, "2026-07-28", cs.InitializeResult().ProtocolVersion)
			require.Equal(t, "done", callTool(t, cs, "progress", nil, "tok"))
			for range 3 {
				<-h.progress
			}
			if tt.server == "ours" {
				require.Equal(t, "printed", callTool(t, cs, "print", nil, nil))
			}
			cancelTool(t, cs, h)
			require.Equal(t, "after", callTool(t, cs, "echo", echoIn{"after"}, nil))
			require.NoError(t, cs.Close())
		})
	}
}

// TestChildDies: a call that its server did not survive says how it ended.
func TestChildDies(t *testing.T) {
	client, _ := newClient()
	transport := command(t, "ours", "ours").(*gosdk.Transport)
	cs, err := client.Connect(t.Context(), transport, legacy)
	require.NoError(t, err)
	_, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "exit"})
	require.ErrorContains(t, err, "exit status 3")
	require.ErrorContains(t, err, "the disk is full")
	require.ErrorIs(t, err, mcp.ErrConnectionClosed)
	require.Contains(t, transport.Conn().(*stdio.Child).Stderr(), "the disk is full")
	_ = cs.Close() // it has failed already
}
