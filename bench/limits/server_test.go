package limits_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wirespool/wirespool/bench/limits"
)

func TestPipe(t *testing.T) {
	stream := strings.Join(frames(), "\n") // the last line lacks its line feed
	for name, cut := range readers {
		var out bytes.Buffer
		if err := limits.Pipe(cut(strings.NewReader(stream)), &out); err != nil || out.String() != stream {
			t.Errorf("%s: %d bytes came back and %v, want %d and nil", name, out.Len(), err, len(stream))
		}
	}
}

// serve runs a server on pipes and returns a function that has one line
// answered, while the input stays open, and one that ends the server.
func serve(t *testing.T, server func(io.Reader, io.Writer) error) (ask func(string) string, end func() error) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := server(in, out)
		out.CloseWithError(err)
		done <- err
	}()
	lines := bufio.NewReader(fromServer)
	ask = func(line string) string {
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			t.Fatal(err)
		}
		reply, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(reply, "\n")
	}
	end = func() error {
		if err := toServer.Close(); err != nil {
			t.Fatal(err)
		}
		return <-done
	}
	return ask, end
}

func TestPipeAnswersAtOnce(t *testing.T) {
	ask, end := serve(t, limits.Pipe)
	for _, line := range []string{"one", "two"} {
		if got := ask(line); got != line {
			t.Errorf("%q came back as %q", line, got)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestStdJSON(t *testing.T) {
	ask, end := serve(t, limits.StdJSON)
	for _, c := range []struct{ call, want string }{
		{
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}`,
			`{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{}},"protocolVersion":"2025-06-18",` +
				`"serverInfo":{"name":"limit-stdjson","version":"1"}}}`,
		},
		{`{"jsonrpc":"2.0","id":"p","method":"ping"}`, `{"jsonrpc":"2.0","id":"p","result":{}}`},
		{
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a\nb"}}}`,
			`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a\nb"}]}}`,
		},
		{
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"other"}}`,
			`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"invalid params"}}`,
		},
		{
			`{"jsonrpc":"2.0","id":4,"method":"initialize","params":[]}`,
			`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"invalid params"}}`,
		},
		{
			`{"jsonrpc":"2.0","id":5,"method":"x"}`,
			`{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"method not found"}}`,
		},
		{`{`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`},
		{
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":6,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":6,"result":{}}`,
		},
	} {
		if got := ask(c.call); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.call, got, c.want)
		}
	}
	var list struct {
		Result struct {
			Tools []struct{ Name string }
		}
	}
	err := json.Unmarshal([]byte(ask(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`)), &list)
	if err != nil || len(list.Result.Tools) != 1 || list.Result.Tools[0].Name != "echo" {
		t.Errorf("tools/list: %+v, %v", list, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// failing is a writer that is closed.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestServerErrors(t *testing.T) {
	broken := errors.New("broken")
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	for name, server := range map[string]func(io.Reader, io.Writer) error{
		"Pipe": limits.Pipe, "StdJSON": limits.StdJSON,
	} {
		for size, input := range map[string]string{"short": ping, "long": strings.Repeat(ping, 1<<13)} {
			if err := server(strings.NewReader(input), failing{broken}); !errors.Is(err, broken) {
				t.Errorf("%s, %s input, closed output: %v", name, size, err)
			}
		}
		var out bytes.Buffer
		err := server(io.MultiReader(strings.NewReader(ping), iotest.ErrReader(broken)), &out)
		if !errors.Is(err, broken) || out.Len() == 0 {
			t.Errorf("%s, broken input: %v, %d bytes of answers", name, err, out.Len())
		}
	}
}
