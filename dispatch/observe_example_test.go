package dispatch_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// A server that counts, and logs what is called with the secrets left out.
func ExampleObservers() {
	metrics := dispatch.NewMetrics(0)
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "duration_ms" {
				return slog.Attr{}
			}
			return a
		},
	}))
	srv := dispatch.NewServer(&dispatch.Options{
		Profile: dispatch.JSONRPC,
		Observer: dispatch.Observers(metrics,
			dispatch.NewLogObserver(log, &dispatch.LogOptions{Params: true, Redact: []string{"password"}})),
	})
	srv.Handle("login", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"ok":true}`...), nil
	})

	ctx := context.Background()
	near, far := transport.Pipe(nil)
	go func() { _ = srv.Serve(ctx, far) }()
	client, err := dispatch.Connect(ctx, to(near), &dispatch.ClientOptions{Options: dispatch.Options{Profile: dispatch.JSONRPC}})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := client.CallRaw(ctx, "login", []byte(`{"user":"ada","password":"hunter2"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	res.Release()
	fmt.Println(metrics.Snapshot().Served["login"].Outcomes)
	_ = srv.Shutdown(ctx)
	_ = client.Close()
	// Output:
	// level=INFO msg="peer opened"
	// level=INFO msg="request served" id=1 method=login outcome=ok bytes_in=86 bytes_out=11 params="{\"user\":\"ada\",\"password\":\"[redacted]\"}"
	// map[ok:1]
	// level=INFO msg="peer closed" outcome=ok
}
