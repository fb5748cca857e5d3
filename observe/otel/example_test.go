package otel_test

import (
	"context"
	"fmt"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/observe/otel"
	"github.com/wirespool/wirespool/transport"
)

// A server whose spans go to an exporter.
func Example() {
	spans := tracetest.NewInMemoryExporter()
	o, err := otel.New(&otel.Options{
		TracerProvider: sdk.NewTracerProvider(sdk.WithSyncer(spans)),
		Transport:      "pipe",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	srv := dispatch.NewServer(&dispatch.Options{Observer: o, Profile: dispatch.JSONRPC})
	srv.Handle("tools/call", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"content":[]}`...), nil
	})

	ctx := context.Background()
	near, far := transport.Pipe(nil)
	go func() { _ = srv.Serve(ctx, far) }()
	client, err := dispatch.Connect(ctx, pipeDialer{near}, &dispatch.ClientOptions{Options: dispatch.Options{Profile: dispatch.JSONRPC}})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := client.CallRaw(ctx, "tools/call", []byte(`{"name":"echo"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(res.Value()))
	res.Release()
	for _, s := range spans.GetSpans() {
		fmt.Println(s.SpanKind, s.Name)
	}
	_ = client.Close()
	_ = srv.Shutdown(ctx)
	// Output:
	// {"content":[]}
	// server tools/call echo
}
