package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// asServer makes the test binary be the command.
const asServer = "WIRESPOOL_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-transport", "http2"}, `transport "http2" is not supported`},
		{[]string{"-transport", "sse", "-json"}, "belong to transport http"},
		{[]string{"-transport="}, `transport "" is not supported`},
		{[]string{"stdio"}, `unexpected argument "stdio"`},
		{[]string{"-x"}, "flag provided but not defined"},
	} {
		var stderr bytes.Buffer
		require.Equal(t, 2, run(tt.args, &stderr))
		require.Contains(t, stderr.String(), tt.want)
	}
}

func TestOverStdio(t *testing.T) {
	for _, era := range []dispatch.EraChoice{dispatch.EraLegacy, dispatch.EraModern} {
		h, err := host.Connect(t.Context(), stdio.Command([]string{os.Args[0]}, &stdio.Options{Env: []string{asServer + "=1"}}), &host.Options{Era: era})
		require.NoError(t, err)
		require.Equal(t, era == dispatch.EraModern, h.Client().Peer().Revision() == protocol.NewestModern)
		result, err := h.Call(t.Context(), "echo", map[string]string{"message": "through a pipe\n漢"})
		require.NoError(t, err)
		require.Equal(t, "Echo: through a pipe\n漢", result.Text())
		require.NoError(t, h.Close())
	}
}

func overSSE(url string) transport.Dialer { return sse.URL(url, nil) }

func overHTTP(url string) transport.Dialer { return streamhttp.URL(url, nil) }

// TestOverHTTP starts the command, uses it, and asks it to end.
func TestOverHTTP(t *testing.T) {
	for _, tt := range []struct {
		transport string
		flags     []string
		dial      func(url string) transport.Dialer
		era       dispatch.EraChoice
	}{
		{"sse", nil, overSSE, dispatch.EraLegacy},
		{"http", nil, overHTTP, dispatch.EraLegacy},
		{"http", nil, overHTTP, dispatch.EraModern},
		{"http", nil, func(url string) transport.Dialer {
			return overSSE(strings.TrimSuffix(url, "/mcp") + "/sse")
		}, dispatch.EraLegacy},
		{"http", []string{"-stateless", "-json"}, overHTTP, dispatch.EraLegacy},
		{"http", []string{"-streams"}, overHTTP, dispatch.EraLegacy},
	} {
		t.Run(strings.Join(append(tt.flags, tt.transport), " "), func(t *testing.T) {
			cmd := exec.Command(os.Args[0], append(tt.flags, "-transport", tt.transport, "-addr", "127.0.0.1:0")...)
			cmd.Env = append(os.Environ(), asServer+"=1")
			stderr, err := cmd.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			lines := bufio.NewReader(stderr)
			line, err := lines.ReadString('\n')
			require.NoError(t, err)
			url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
			require.True(t, ok, line)

			h, err := host.Connect(t.Context(), tt.dial(url), &host.Options{Era: tt.era})
			require.NoError(t, err)
			result, err := h.Call(t.Context(), "echo", map[string]string{"message": "over HTTP\n漢"})
			require.NoError(t, err)
			require.Equal(t, "Echo: over HTTP\n漢", result.Text())
			require.NoError(t, h.Close())

			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			rest, err := io.ReadAll(lines)
			require.NoError(t, err)
			require.NoError(t, cmd.Wait(), "%s", rest)
		})
	}
}
