package streamhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
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

// Only who shows a token gets in, and a session belongs to who opened it. The
// token here is checked by a lookup; in production verify what the authorization
// server signed.
func ExampleNewHandler_authenticate() {
	users := map[string]string{"Bearer t0ken": "ada"}
	srv := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{Name: "whoami", Version: "1", Capabilities: []byte(`{"tools":{}}`)}})
	srv.Handle("tools/call", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		who := "nobody"
		if p, ok := r.Exchange().(transport.Principal); ok {
			who = p.Principal()
		}
		return fmt.Appendf(dst, `{"content":[{"type":"text","text":%q}]}`, who), nil
	})
	h := streamhttp.NewHandler(srv, &streamhttp.Options{
		Authenticate: func(r *http.Request) (string, error) {
			user, ok := users[r.Header.Get("Authorization")]
			if !ok {
				return "", &streamhttp.AuthError{Status: http.StatusUnauthorized}
			}
			return user, nil
		},
	})
	web := httptest.NewServer(h)
	defer web.Close()
	defer func() { _ = h.Shutdown(context.Background()) }()

	ctx := context.Background()
	_, err := dispatch.Connect(ctx, streamhttp.URL(web.URL, nil), nil)
	refused, ok := errors.AsType[*streamhttp.StatusError](err)
	fmt.Println(ok && refused.Status == http.StatusUnauthorized)

	ada := streamhttp.URL(web.URL, &streamhttp.ClientOptions{
		Token: func(context.Context) (string, error) { return "t0ken", nil },
	})
	client, err := dispatch.Connect(ctx, ada, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()
	res, err := client.CallRaw(ctx, "tools/call", []byte(`{"name":"whoami"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Release()
	content, _ := codec.Find(res.Value(), "content")
	fmt.Println(string(content))
	// Output:
	// true
	// [{"type":"text","text":"ada"}]
}
