package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

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
	client, err := dispatch.Connect(context.Background(), dialConn{near}, &dispatch.ClientOptions{Options: dispatch.Options{Profile: dispatch.JSONRPC}})
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
