package sse_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/sse"
)

// A server of 2024-11-05 beside whatever else is at its address, and a client.
func ExampleNewHandler() {
	srv := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{Name: "hello", Version: "1", Capabilities: []byte(`{"tools":{}}`)}})
	srv.Handle("tools/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"tools":[]}`...), nil
	})
	handler, err := sse.NewHandler(srv, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/sse", handler) // the stream and, told to each client, where it posts
	web := httptest.NewServer(mux)
	defer web.Close()
	defer func() { _ = handler.Close() }()

	ctx := context.Background()
	client, err := dispatch.Connect(ctx, sse.URL(web.URL+"/sse", nil), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()
	tools, err := client.CallRaw(ctx, "tools/list", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Release()
	fmt.Println(string(tools.Value()))
	// Output: {"tools":[]}
}
