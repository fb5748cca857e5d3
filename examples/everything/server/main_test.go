package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/stdio"
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
		{[]string{"-transport", "http"}, `transport "http" is not supported`},
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
