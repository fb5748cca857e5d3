package gosdk_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
)

// ends are pairs of transports: the SDK's and ours, at either end.
var ends = []struct {
	name   string
	theirs bool // the server's
	pair   func() (server, client mcp.Transport)
}{
	{"ours to ours", false, func() (mcp.Transport, mcp.Transport) { return both(gosdk.Pipe(nil)) }},
	{"their server to our client", true, func() (mcp.Transport, mcp.Transport) {
		a, b, c, d := pipes()
		return &mcp.IOTransport{Reader: a, Writer: d}, gosdk.IO(c, b, nil)
	}},
	{"our server to their client", false, func() (mcp.Transport, mcp.Transport) {
		a, b, c, d := pipes()
		return gosdk.IO(a, d, nil), &mcp.IOTransport{Reader: c, Writer: b}
	}},
}

func both(a, b *gosdk.Transport) (mcp.Transport, mcp.Transport) { return a, b }

// pipes returns two pipes: what is written to b is read from a, to d from c.
func pipes() (a io.ReadCloser, b io.WriteCloser, c io.ReadCloser, d io.WriteCloser) {
	a, b = io.Pipe()
	c, d = io.Pipe()
	return a, b, c, d
}

// TestSessions runs everything a session does over each pair, in both eras.
func TestSessions(t *testing.T) {
	for _, tt := range ends {
		for _, era := range []*mcp.ClientSessionOptions{legacy, modern} {
			t.Run(tt.name+"/"+era.ProtocolVersion, func(t *testing.T) {
				st, ct := tt.pair()
				srv := newServer(nil)
				ss, err := srv.Connect(t.Context(), st, nil)
				require.NoError(t, err)
				client, h := newClient()
				cs, err := client.Connect(t.Context(), ct, era)
				require.NoError(t, err)
				useSession(t, srv, cs, h, era == legacy)
				require.NoError(t, cs.Close())
				if err := ss.Wait(); !tt.theirs {
					require.NoError(t, err)
				}
			})
		}
	}
}

// useSession does what clients do.
func useSession(t *testing.T, srv *mcp.Server, cs *mcp.ClientSession, h *heard, asks bool) {
	t.Helper()
	require.Equal(t, "hi", callTool(t, cs, "echo", echoIn{"hi"}, nil))
	long := strings.Repeat("é\n", 100_000)
	require.Equal(t, long, callTool(t, cs, "echo", echoIn{long}, nil))
	require.Equal(t, "done", callTool(t, cs, "progress", nil, "tok"))
	for i := range 3 {
		require.Equal(t, float64(i+1), (<-h.progress).Progress)
	}
	_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "fail"})
	require.ErrorContains(t, err, "it failed")
	if asks {
		require.NoError(t, cs.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}))
		require.Equal(t, "logged", callTool(t, cs, "log", nil, nil))
		require.Equal(t, "careful", (<-h.logs).Data)
		require.Equal(t, "sampled", callTool(t, cs, "sample", nil, nil))
	}
	read, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "info://it"})
	require.NoError(t, err)
	require.Equal(t, "it is", read.Contents[0].Text)
	_, err = cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "absent"})
	require.Error(t, err)
	srv.AddTool(raw("new"), nothing)
	<-h.tools
	cancelTool(t, cs, h)
	require.Equal(t, "after", callTool(t, cs, "echo", echoIn{"after"}, nil))
}

func nothing(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return text("new"), nil
}
