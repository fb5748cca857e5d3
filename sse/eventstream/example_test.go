package eventstream_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/wirespool/wirespool/sse/eventstream"
)

// A stream is primed, so that it can be resumed from the beginning on, and then
// carries a message.
func Example() {
	out, err := eventstream.AppendPrime(nil, "k.0", 3*time.Second)
	if err != nil {
		panic(err)
	}
	out = eventstream.AppendComment(out, "keep-alive")
	if out, err = eventstream.AppendEvent(out, eventstream.Event{ID: []byte("k.1"), Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)}); err != nil {
		panic(err)
	}
	fmt.Printf("%s", out)

	r := eventstream.NewReader(strings.NewReader(string(out)), nil)
	defer r.Close()
	for {
		e, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s %v %q\n", e.ID, e.Is("message"), e.Data)
	}
	// Output:
	// id: k.0
	// retry: 3000
	// data:
	//
	// : keep-alive
	//
	// id: k.1
	// data: {"jsonrpc":"2.0","id":1,"result":{}}
	//
	// k.0 true ""
	// k.1 true "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"
}

// A source connects again when its stream breaks, from the last event it had.
func ExampleNewSource() {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", eventstream.ContentType)
		switch r.Header.Get("Last-Event-ID") {
		case "":
			_, _ = io.WriteString(w, "retry: 1\n\nid: 1\ndata: one\n\nid: 2\nda") // breaks in the middle of an event
		case "1":
			_, _ = io.WriteString(w, "id: 2\ndata: two\n\n")
		default:
			w.WriteHeader(http.StatusNoContent) // there is no more
		}
	}))
	defer web.Close()
	open := eventstream.Requests(web.Client(), func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, web.URL, nil)
	})
	s := eventstream.NewSource(context.Background(), open, nil)
	defer s.Close()
	for {
		e, err := s.Next()
		if err != nil {
			return
		}
		fmt.Printf("%s %s\n", e.ID, e.Data)
	}
	// Output:
	// 1 one
	// 2 two
}
