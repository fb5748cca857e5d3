//go:build unix

package main

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// handshake is what a client says first.
const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// TestServeStderr: what a child says when it dies is in the log of serve alone, unless
// somebody wants it otherwise.
func TestServeStderr(t *testing.T) {
	for name, tt := range map[string]struct {
		flags          []string
		told, recorded bool
	}{
		"by default": {nil, false, true},
		"raw":        {[]string{"--stderr", "raw"}, false, true},
		"none":       {[]string{"--stderr", "none", "-v"}, false, false},
		"to clients": {[]string{"--stderr-to-clients"}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServe(t, tt.flags, os.Args[0], "server", "confess")
			resp, err := http.Post(s.url+"/mcp", "application/json", strings.NewReader(handshake))
			require.NoError(t, err)
			text, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Contains(t, string(text), "exit status 9")
			require.Contains(t, string(text), `"io.github.wirespool/exitStatus":9`)
			require.Equal(t, tt.told, strings.Contains(string(text), `"io.github.wirespool/stderr":"my password is hunter2"`), string(text))
			require.Equal(t, tt.told, strings.Contains(string(text), "hunter2"), string(text))
			log := s.end(exitChild)
			require.Equal(t, tt.recorded, strings.Contains(log, "hunter2"), log)
		})
	}
	status, _, stderr := command("", "serve", "--stderr", "none", "--stderr-to-clients", "--", "x")
	require.Equal(t, exitUsage, status)
	require.Contains(t, stderr, "--stderr-to-clients has nothing to tell with --stderr none")
}
