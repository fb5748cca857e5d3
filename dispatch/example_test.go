package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// to is a dialer of a connection that is there already.
func to(c transport.Conn) transport.Dialer {
	return transport.DialFunc(func(context.Context) (transport.Conn, error) { return c, nil })
}

// A client that calls a tool, hears how far it is, and waits no longer than a
// second without news and a minute in all.
func ExampleConnect() {
	srv := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{Name: "copier", Version: "1", Capabilities: []byte(`{"tools":{}}`)}})
	srv.Handle("tools/call", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		for done := range 2 {
			if err := r.Progress(ctx, float64(done+1), 2, "copied a file"); err != nil {
				return dst, err
			}
		}
		return append(dst, `{"content":[]}`...), nil
	})
	near, far := transport.Pipe(nil) // or stdio.Command, streamhttp.URL, sse.URL
	ctx := context.Background()
	go func() { _ = srv.Serve(ctx, far) }()

	client, err := dispatch.Connect(ctx, to(near), nil) // finds out what the server speaks
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()
	res, err := client.CallRaw(ctx, "tools/call", []byte(`{"name":"copy","arguments":{}}`),
		dispatch.WithTimeout(time.Second, time.Minute),
		dispatch.WithProgress(func(p dispatch.Progress) { fmt.Println(p.Message, p.Progress, "of", p.Total) }))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Release()
	content, err := codec.Find(res.Value(), "content")
	fmt.Println(client.Peer().Revision(), string(content), err)
	// Output:
	// copied a file 1 of 2
	// copied a file 2 of 2
	// 2026-07-28 [] <nil>
}

// required stands for a JSON Schema validator: any function of params will do.
func required(names ...string) func(params codec.Value) error {
	return func(params codec.Value) error {
		for _, name := range names {
			if v, err := codec.Find(params, name); v == nil || err != nil {
				return fmt.Errorf("%q is required, once", name)
			}
		}
		return nil
	}
}

// A request passes the shape of its params, then the rules of the business, each
// with codes of its own layer, and then reaches its handler.
func ExampleMux_Validate() {
	server := dispatch.NewServer(&dispatch.Options{Profile: dispatch.JSONRPC})
	server.Handle("queryStock", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"left":3}`...), nil
	})
	server.Mux().Validate("queryStock", dispatch.Rule{
		MaxParams: 4 << 10,
		Schema:    required("product"),
		Check: func(_ context.Context, r *dispatch.Request) error {
			product, _ := codec.Find(r.Params(), "product")
			if text, _ := product.Text(); !strings.HasPrefix(string(text), "P") {
				return errors.New("there is no such product")
			}
			return nil
		},
	})

	near, far := transport.Pipe(nil)
	go func() { _ = server.Serve(context.Background(), far) }()
	client, err := dispatch.Connect(context.Background(), to(near), &dispatch.ClientOptions{Options: dispatch.Options{Profile: dispatch.JSONRPC}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()
	for _, params := range []string{`{"product":"P1"}`, `{"item":"P1"}`, `{"product":"Q1"}`} {
		res, err := client.CallRaw(context.Background(), "queryStock", []byte(params))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(string(res.Value()))
		res.Release()
	}
	// Output:
	// {"left":3}
	// peer: -32602 (protocol): Invalid params: "product" is required, once
	// peer: 1000 (application): there is no such product
}
