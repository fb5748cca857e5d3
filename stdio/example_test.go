package stdio_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/stdio"
)

// A server on the standard streams of its process, until its client closes them.
func ExampleClaim() {
	srv := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{Name: "hello", Version: "1", Capabilities: []byte(`{"tools":{}}`)}})
	srv.Handle("tools/call", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"content":[{"type":"text","text":"hello"}]}`...), nil
	})
	conn, err := stdio.Claim(nil) // from here on os.Stdout is standard error: a stray print harms nothing
	if err != nil {
		log.Fatal(err)
	}
	if err := srv.Serve(context.Background(), conn); err != nil {
		log.Fatal(err)
	}
}

// A client that starts its server, and ends it with Close.
func ExampleCommand() {
	server := stdio.Command([]string{"npx", "-y", "@modelcontextprotocol/server-everything"}, &stdio.Options{
		Stderr:  os.Stderr,
		Backoff: &stdio.Backoff{}, // a server that keeps dying is not started in a loop
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := dispatch.Connect(ctx, server, nil)
	if err != nil {
		fmt.Println(err) // with the end of what the server wrote to its standard error
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
}
