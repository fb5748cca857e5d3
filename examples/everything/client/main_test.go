package main

import (
	"bufio"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// late is the argument of a test binary that is to be a server which asks for roots
// when its client is about to leave, and fails for want of an answer.
const late = "asks-late"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == late {
		os.Exit(askLate())
	}
	os.Exit(m.Run())
}

func askLate() int {
	lines := bufio.NewScanner(os.Stdin)
	for _, answer := range []string{
		`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"late","version":"1"}}}`,
		"", // notifications/initialized
		`{"jsonrpc":"2.0","id":%d,"result":{"tools":[]}}`,
	} {
		lines.Scan()
		if id := idOf(lines.Text()); id > 0 {
			fmt.Printf(answer+"\n", id)
		}
	}
	fmt.Println(`{"jsonrpc":"2.0","id":0,"method":"roots/list"}`)
	for lines.Scan() {
	}
	return 3
}

func idOf(line string) (id int) {
	_, _ = fmt.Sscanf(line, `{"jsonrpc":"2.0","id":%d,`, &id)
	return id
}

func TestRun(t *testing.T) {
	for name, era := range eras {
		require.NoError(t, run(t.Context(), era, nil), name)
	}
	require.ErrorContains(t, run(t.Context(), eras["auto"], []string{"/no/such/command"}), "/no/such/command")
}

// TestAskedAtTheEnd: a server that is still waiting for us when we close, and ends
// badly for it, is no failure of the client.
func TestAskedAtTheEnd(t *testing.T) {
	require.NoError(t, run(t.Context(), eras["legacy"], []string{os.Args[0], late}))
}
