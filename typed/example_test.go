package typed_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
	"github.com/wirespool/wirespool/typed"
)

// call is the params of tools/call for a tool that adds.
type call struct {
	Name      string `json:"name"`
	Arguments struct {
		A int `json:"a"`
		B int `json:"b"`
	} `json:"arguments"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type result struct {
	Content []content `json:"content"`
}

// A tool with typed arguments, and a client that calls it.
func ExampleHandler() {
	srv := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{Name: "sums", Version: "1", Capabilities: []byte(`{"tools":{}}`)}})
	srv.Handle("tools/call", typed.Handler(func(_ context.Context, _ *dispatch.Request, in call) (result, error) {
		sum := in.Arguments.A + in.Arguments.B
		return result{Content: []content{{"text", fmt.Sprint(in.Name, " gives ", sum)}}}, nil
	}))

	near, far := transport.Pipe(nil)
	ctx := context.Background()
	go func() { _ = srv.Serve(ctx, far) }()
	client, err := dispatch.Connect(ctx, transport.DialFunc(func(context.Context) (transport.Conn, error) { return near, nil }), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()

	sum := call{Name: "add"}
	sum.Arguments.A, sum.Arguments.B = 40, 2
	out, err := typed.Call[result](ctx, client, "tools/call", sum)
	fmt.Println(out.Content, err)

	_, err = typed.Call[result](ctx, client, "tools/call", map[string]any{"name": "add", "arguments": "40 and 2"})
	fmt.Println(err)
	// Output:
	// [{text add gives 42}] <nil>
	// peer: -32602 (protocol): Invalid params: arguments: want object, got string
}

func ExampleDecode() {
	var in struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}
	err := typed.Decode(codec.Value(`{"name":"ship","Name":"sink","arguments":{"order":1915883588174806058}}`), &in)
	fmt.Println(in.Arguments["order"], err)

	err = typed.Decode(codec.Value(`{"name":"ship","arguments":[]}`), &in)
	if bad, ok := errors.AsType[*typed.Error](err); ok {
		fmt.Println(bad.Path, "must be", bad.Want)
	}
	// Output:
	// 1915883588174806058 <nil>
	// arguments must be object
}

func ExampleAppend() {
	frame := []byte(`{"result":`)
	frame, err := typed.Append(frame, map[string]any{"text": "a < b\n", "list": []int{1, 2}})
	fmt.Println(string(frame)+"}", err)
	// Output:
	// {"result":{"list":[1,2],"text":"a < b\n"}} <nil>
}
