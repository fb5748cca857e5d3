//go:build !race && !wirespool_poison

package streamhttp_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/alloctest"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestAllocations: a call of 2026-07-28 costs three objects of ours: the exchange
// and the request, which handlers may keep, and the text of the length.
func TestAllocations(t *testing.T) {
	srv := dispatch.NewServer(&dispatch.Options{Info: everything})
	srv.Handle("tools/call", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"resultType":"complete","content":[]}`...), nil
	})
	h := streamhttp.NewHandler(srv, nil)
	body, headers := modernCall("1", "tools/call", `"name":"x","arguments":{"text":"`+strings.Repeat("y", 200)+`"}`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := post(body, strings.Join(append(headers, "Mcp-Name: x"), "\n")).WithContext(ctx)
	in := strings.NewReader("")
	r.Body = io.NopCloser(in)
	w := &sink{http.Header{}}
	n := alloctest.Least(3, 200, func() {
		in.Reset(body)
		h.ServeHTTP(w, r)
	})
	if n > 3 {
		t.Errorf("%v allocations, at most 3 promised", n)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
