package streamhttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
)

// One handler serves every revision on one endpoint.
func ExampleNewHandler() {
	srv := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{Name: "echo", Version: "1", Capabilities: []byte(`{"tools":{}}`)}})
	srv.Handle("tools/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"tools":[]}`...), nil
	})
	log := eventlog.NewMemory(nil) // clients of sessions can resume
	defer func() { _ = log.Close() }()
	h := streamhttp.NewHandler(srv, &streamhttp.Options{Log: log})

	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.Handle("/healthz", h.Health())
	web := httptest.NewServer(mux)
	defer web.Close()
	defer func() { _ = h.Shutdown(context.Background()) }()

	resp, err := http.Post(web.URL+"/mcp", "application/json", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.Status, len(resp.Header.Get("Mcp-Session-Id")) > 0)
	fmt.Println(string(body))
	// Output:
	// 200 OK true
	// {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}}
}
