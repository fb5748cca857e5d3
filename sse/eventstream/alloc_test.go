//go:build !race

package eventstream_test

import (
	"strings"
	"testing"
	"time"

	"github.com/wirespool/wirespool/internal/alloctest"
	"github.com/wirespool/wirespool/sse/eventstream"
)

// An event in steady state costs no allocation, whatever it is made of.
func TestEventsCostNoAllocation(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, stream := range map[string]string{
		"small":       "event: message\ndata: {}\n\n",
		"with id":     "id: abcdefghijklmnop.1\ndata: {}\n\nid: abcdefghijklmnop.2\ndata: {}\n\n",
		"CRLF":        "event: message\r\ndata: {}\r\n\r\n",
		"several":     "data: {\ndata: }\n\n",
		"comments":    ": keepalive\n\ndata: {}\n\n",
		"priming":     "id: 1\nretry: 3000\ndata:\n\n",
		"4 KiB":       "data: " + long(4<<10) + "\n\n",
		"64 KiB":      "data: " + long(64<<10) + "\n\n",
		"400 KiB":     "data: " + long(400<<10) + "\n\n",
		"ignored":     "unknown: " + long(100<<10) + "\ndata: {}\n\n",
		"large/small": "data: " + long(100<<10) + "\n\ndata: {}\n\ndata: {}\n\ndata: {}\n\n",
	} {
		r := eventstream.NewReader(&endless{data: stream}, &eventstream.Options{Comment: func([]byte) {}})
		var failed error
		allocs := alloctest.Least(0, 100, func() {
			for range 20 {
				if _, err := r.Next(); err != nil {
					failed = err
				}
			}
		})
		if allocs != 0 || failed != nil {
			t.Errorf("%s: %v allocations for 20 events, %v", name, allocs, failed)
		}
		r.Close()
	}
}

func TestEncodingCostsNoAllocation(t *testing.T) {
	e := eventstream.Event{ID: []byte("k.1"), Name: []byte("message"), Data: []byte("{\n}"), Retry: time.Second}
	dst := make([]byte, 0, 1<<10)
	var failed error
	allocs := alloctest.Least(0, 100, func() {
		b, err := eventstream.AppendEvent(dst, e)
		if err != nil {
			failed = err
		}
		if b, err = eventstream.AppendHead(b, "k.2", e.Name); err != nil {
			failed = err
		}
		b = eventstream.AppendTail(append(b, "{}"...))
		if b, err = eventstream.AppendPrime(b, e.ID, time.Second); err != nil {
			failed = err
		}
		eventstream.AppendComment(eventstream.AppendRetry(b, time.Second), "ping")
	})
	if allocs != 0 || failed != nil {
		t.Errorf("%v allocations, %v", allocs, failed)
	}
}
