package eventstream_test

import (
	"fmt"
	"io"
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
