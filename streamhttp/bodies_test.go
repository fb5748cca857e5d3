package streamhttp_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestBodiesApart: many calls of all sizes at the same time, each with its own
// body in pooled memory, each answered with what it asked. The poison build
// overwrites what was given back.
func TestBodiesApart(t *testing.T) {
	misuses := buf.Misuses()
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				for n := range 5 {
					text := strings.Repeat(fmt.Sprintf("%d.%d ", i, n), 1+(i*37+n*911)%4000)
					params := fmt.Sprintf(`{"name":"x","arguments":{"text":%q}}`, text)
					id := fmt.Sprint(i*100 + n)
					a := r.do("POST", request(id, "prompts/get", params), own...)
					if got := a.text(); got != `{"jsonrpc":"2.0","id":`+id+`,"result":{"params":`+params+`}}` {
						t.Errorf("call %s: another answer of %d bytes", id, len(got))
					}
					body, headers := modernCall(id, "prompts/get", fmt.Sprintf(`"name":"x","arguments":{"text":%q}`, text))
					if got := r.do("POST", body, append(headers, "Mcp-Name: x")...).text(); !strings.Contains(got, fmt.Sprintf("%q", text)) {
						t.Errorf("call %s of 2026-07-28: another answer of %d bytes", id, len(got))
					}
				}
			})
		}
		all.Wait()
	})
	require.Equal(t, misuses, buf.Misuses())
}
