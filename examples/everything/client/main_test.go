package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
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

// TestWithoutNotices: a server that cannot tell of a change, or does not, is not
// waited for in silence.
func TestWithoutNotices(t *testing.T) {
	p, n := patience, noSession
	defer func() { patience, noSession = p, n }()
	patience, noSession = 50*time.Millisecond, 50*time.Millisecond

	engine := everything.New(nil)
	web := httptest.NewServer(streamhttp.NewHandler(engine, &streamhttp.Options{Stateless: true, JSON: true}))
	defer web.Close()
	said := output(t, func() { require.NoError(t, run(t.Context(), eras["legacy"], []string{web.URL})) })
	require.Contains(t, said, "skipped: no notice of the change came")
	require.Contains(t, said, "slow, given up", "the rest is shown")

	mute := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{Capabilities: codec.Value(`{"tools":{}}`)}})
	mute.Handle("tools/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"tools":[{"name":"add_tool"}]}`...), nil
	})
	mute.Handle("tools/call", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"content":[]}`...), nil
	})
	h, err := host.Connect(t.Context(), transport.DialFunc(func(context.Context) (transport.Conn, error) {
		near, far := transport.Pipe(nil)
		go func() { _ = mute.Serve(context.Background(), far) }() // it ends with the client
		return near, nil
	}), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, h.Close()) }()
	require.EqualError(t, change(t.Context(), h), "no notifications/tools/list_changed within 50ms after add_tool")
}

// output returns what f writes on standard output.
func output(t *testing.T, f func()) string {
	t.Helper()
	old := os.Stdout
	defer func() { os.Stdout = old }()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	os.Stdout = w
	said := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(r) // it ends when w is closed
		said <- string(text)
	}()
	f()
	require.NoError(t, w.Close())
	return <-said
}
