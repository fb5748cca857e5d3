package peers_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/adapter/gosdk"
)

// A row of BenchmarkAdapterGoSDK is a server of an SDK that answers one tools/call after
// the other, on the SDK's own transport and on ours: what a client would add is
// bytes that are there already.
type gosdkRow struct {
	shape, impl string
	serve       func(tb testing.TB, params string) (call func() error)
}

var gosdkRows = []gosdkRow{
	{"stdio", "go-sdk", func(tb testing.TB, params string) func() error {
		return overPipes(tb, params, func(s *mcp.Server, in io.ReadCloser, out io.WriteCloser) error {
			return s.Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: out})
		})
	}},
	{"stdio", "wirespool", func(tb testing.TB, params string) func() error {
		return overPipes(tb, params, func(s *mcp.Server, in io.ReadCloser, out io.WriteCloser) error {
			return gosdk.Run(context.Background(), s, gosdk.IO(in, out, nil))
		})
	}},
	{"stdio", "wirespool-transport", func(tb testing.TB, params string) func() error {
		return overPipes(tb, params, func(s *mcp.Server, in io.ReadCloser, out io.WriteCloser) error {
			return s.Run(context.Background(), gosdk.IO(in, out, nil))
		})
	}},
	{"stdio", "limit-go-sdk", overNothing},
	{"http", "go-sdk", func(tb testing.TB, params string) func() error {
		return overHTTP(tb, params, false, mcp.NewStreamableHTTPHandler(echoServer(), bodies(false)))
	}},
	{"http", "wirespool", func(tb testing.TB, params string) func() error {
		return overHTTP(tb, params, false, gosdk.NewStreamableHTTPHandler(echoServer(), bodies(false)))
	}},
	{"http-2026", "go-sdk", func(tb testing.TB, params string) func() error {
		return overHTTP(tb, params, true, mcp.NewStreamableHTTPHandler(echoServer(), bodies(true)))
	}},
	{"http-2026", "wirespool", func(tb testing.TB, params string) func() error {
		return overHTTP(tb, params, true, gosdk.NewStreamableHTTPHandler(echoServer(), bodies(true)))
	}},
}

var gosdkSizes = []struct {
	name string
	text int
}{{"100B", 60}, {"64K", 64 << 10}, {"1M", 1 << 20}}

func bodies(stateless bool) *mcp.StreamableHTTPOptions {
	return &mcp.StreamableHTTPOptions{Stateless: stateless, JSONResponse: true}
}

// echoServer returns a server whose tool returns what it gets, as it got it.
func echoServer() func(*http.Request) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	tool := &mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}
	s.AddTool(tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := req.Params.Arguments // {"text":"…"} without escapes: what a handler does with it is not measured
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(args[len(textHead) : len(args)-len(`"}`)])}}}, nil
	})
	return func(*http.Request) *mcp.Server { return s }
}

const textHead = `{"text":"`

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
	`"clientInfo":{"name":"bench","version":"1"}}}`

func overPipes(tb testing.TB, params string, run func(*mcp.Server, io.ReadCloser, io.WriteCloser) error) func() error {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(echoServer()(nil), in, out) }()
	tb.Cleanup(func() {
		_ = toServer.Close()
		_ = fromServer.Close()
		if err := <-ended; err != nil {
			tb.Error(err)
		}
	})
	lines := bufio.NewReaderSize(fromServer, 64<<10)
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + params + "}}\n")
	exchange := func(request []byte) (int, error) {
		if _, err := toServer.Write(request); err != nil {
			return 0, err
		}
		return lineLength(lines)
	}
	if _, err := exchange([]byte(hello + "\n")); err != nil {
		tb.Fatal(err)
	}
	if _, err := toServer.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")); err != nil {
		tb.Fatal(err)
	}
	return func() error {
		n, err := exchange(request)
		return errors.Join(err, answered(n, params))
	}
}

// overNothing has a server answer over a transport that costs nothing, and neither
// reads nor writes JSON: what the SDK itself takes for a call that it decodes.
func overNothing(tb testing.TB, params string) func() error {
	n := nothing{make(chan jsonrpc.Message), make(chan int)}
	if _, err := echoServer()(nil).Connect(context.Background(), n, nil); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { close(n.in) })
	id, _ := jsonrpc.MakeID(1.0)
	var initialize struct{ Params json.RawMessage }
	if err := json.Unmarshal([]byte(hello), &initialize); err != nil {
		tb.Fatal(err)
	}
	n.in <- &jsonrpc.Request{ID: id, Method: "initialize", Params: initialize.Params}
	<-n.out
	call := &jsonrpc.Request{ID: id, Method: "tools/call", Params: json.RawMessage("{" + params + "}")}
	return func() error {
		n.in <- call
		return answered(<-n.out, params)
	}
}

// nothing is a transport and its connection.
type nothing struct {
	in  chan jsonrpc.Message
	out chan int // the length of a result
}

func (n nothing) Connect(context.Context) (mcp.Connection, error) { return n, nil }

func (n nothing) Read(context.Context) (jsonrpc.Message, error) {
	if m, ok := <-n.in; ok {
		return m, nil
	}
	return nil, io.EOF
}

func (n nothing) Write(_ context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		n.out <- len(r.Result)
	}
	return nil
}

func (nothing) Close() error      { return nil }
func (nothing) SessionID() string { return "" }

// lineLength reads a line and drops it.
func lineLength(r *bufio.Reader) (n int, err error) {
	for {
		part, err := r.ReadSlice('\n')
		n += len(part)
		if err != bufio.ErrBufferFull {
			return n, err
		}
	}
}

var errShort = errors.New("the answer is too short to be one")

// answered reports an answer that lacks what was echoed.
func answered(n int, params string) error {
	if n < len(params)-len(modernMeta) {
		return errShort
	}
	return nil
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}},`

func overHTTP(tb testing.TB, params string, modern bool, h http.Handler) func() error {
	if c, ok := h.(io.Closer); ok {
		tb.Cleanup(func() { _ = c.Close() })
	}
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	post := func(body string) *sink {
		r, _ := http.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
		r.Header = header
		w := &sink{header: make(http.Header)}
		h.ServeHTTP(w, r)
		return w
	}
	if modern {
		header["Mcp-Protocol-Version"] = []string{"2026-07-28"}
		header["Mcp-Method"] = []string{"tools/call"}
		header["Mcp-Name"] = []string{"echo"}
		params = modernMeta + params
	} else {
		header["Mcp-Session-Id"] = post(hello).header["Mcp-Session-Id"]
		header["Mcp-Protocol-Version"] = []string{"2025-11-25"}
		post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	request := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + params + `}}`
	return func() error {
		w := post(request)
		if w.status != http.StatusOK {
			return errors.New(http.StatusText(w.status) + ": " + string(w.start))
		}
		return answered(w.n, params)
	}
}

// sink is a response that is thrown away.
type sink struct {
	header http.Header
	status int
	n      int
	start  []byte
}

func (s *sink) Header() http.Header    { return s.header }
func (s *sink) WriteHeader(status int) { s.status = status }
func (s *sink) Flush()                 {}

func (s *sink) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	if s.status != http.StatusOK {
		s.start = bytes.Clone(p[:min(len(p), 200)])
	}
	s.n += len(p)
	return len(p), nil
}

// gosdkCalls runs f for each row and size.
func gosdkCalls(f func(name string, row gosdkRow, params string)) {
	for _, size := range gosdkSizes {
		params := `"name":"echo","arguments":` + textHead + strings.Repeat("x", size.text) + `"}`
		for _, row := range gosdkRows {
			f("shape="+row.shape+"/size="+size.name+"/impl="+row.impl, row, params)
		}
	}
}

func BenchmarkAdapterGoSDK(b *testing.B) {
	gosdkCalls(func(name string, row gosdkRow, params string) {
		b.Run(name, func(b *testing.B) {
			call := row.serve(b, params)
			b.SetBytes(int64(len(params)))
			b.ReportAllocs()
			for b.Loop() {
				if err := call(); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// TestGoSDKBodies runs each body of BenchmarkAdapterGoSDK twice.
func TestGoSDKBodies(t *testing.T) {
	gosdkCalls(func(name string, row gosdkRow, params string) {
		t.Run(name, func(t *testing.T) {
			call := row.serve(t, params)
			for range 2 {
				if err := call(); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}
