package typed_test

import (
	"context"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
	"github.com/wirespool/wirespool/typed"
)

// operands are the arguments of both tools.
type operands struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// outcome is the result of a tool. A tool that fails has one too, so that the model
// can read why.
type outcome struct {
	Content []content `json:"content"`
	IsError bool      `json:"isError,omitempty"`
}

func say(isError bool, format string, args ...any) outcome {
	return outcome{[]content{{"text", fmt.Sprintf(format, args...)}}, isError}
}

// callTool is the handler of tools/call. The codec has noted where the name and the
// arguments are; a *typed.Error and a *codec.Error are answered as errors of the
// protocol.
func callTool(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	var in operands
	switch name, _ := r.Fact(codec.FactName).Text(); string(name) {
	case "add":
		if err := typed.Decode(r.Fact(codec.FactArguments), &in); err != nil {
			return dst, err // -32602, and what is wrong with which argument
		}
		return typed.Append(dst, say(false, "%g", in.A+in.B))
	case "divide":
		if err := typed.Decode(r.Fact(codec.FactArguments), &in); err != nil {
			return dst, err
		}
		if in.B == 0 {
			return typed.Append(dst, say(true, "cannot divide %g by zero", in.A))
		}
		return typed.Append(dst, say(false, "%g", in.A/in.B))
	default:
		return dst, &codec.Error{Code: protocol.CodeInvalidParams, Message: fmt.Sprintf("there is no tool %q", name)}
	}
}

// A server of several tools: one handler, which looks at the name first and decodes
// the arguments of that tool. A tool that fails answers with a result.
func Example_tools() {
	srv := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{Name: "sums", Version: "1", Capabilities: []byte(`{"tools":{}}`)}})
	srv.Handle("tools/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		const schema = `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`
		return append(dst, `{"tools":[{"name":"add","inputSchema":`+schema+`},{"name":"divide","inputSchema":`+schema+`}]}`...), nil
	})
	srv.Handle("tools/call", callTool)

	near, far := transport.Pipe(nil)
	ctx := context.Background()
	go func() { _ = srv.Serve(ctx, far) }()
	client, err := dispatch.Connect(ctx, transport.DialFunc(func(context.Context) (transport.Conn, error) { return near, nil }), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()
	for _, call := range []map[string]any{
		{"name": "add", "arguments": operands{40, 2}},
		{"name": "divide", "arguments": operands{1, 0}},
		{"name": "divide", "arguments": map[string]any{"a": "one"}},
		{"name": "add"},
		{"name": "multiply"},
	} {
		out, err := typed.Call[outcome](ctx, client, "tools/call", call)
		fmt.Println(out.Content, out.IsError, err)
	}
	// Output:
	// [{text 42}] false <nil>
	// [{text cannot divide 1 by zero}] true <nil>
	// [] false peer: -32602 (protocol): Invalid params: a: want number, got string
	// [] false peer: -32602 (protocol): Invalid params: want object, got nothing
	// [] false peer: -32602 (protocol): there is no tool "multiply"
}
