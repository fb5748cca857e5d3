// The command raw is a stdio server on wirespool whose handler copies the text
// as it stands in the request, a view of raw JSON.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/wirespool/wirespool/bench/peers/internal/servers"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

func main() {
	if err := servers.Serve(echo); err != nil {
		fmt.Fprintln(os.Stderr, "raw:", err)
		os.Exit(1)
	}
}

func echo(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	text, err := codec.Find(r.Fact(codec.FactArguments), "text")
	if err != nil || string(r.Fact(codec.FactName)) != `"echo"` || text.Kind() != codec.String {
		return dst, &codec.Error{Code: protocol.CodeInvalidParams, Message: "no text to echo"}
	}
	dst = append(dst, `{"content":[{"type":"text","text":`...)
	dst = append(dst, text...)
	return append(dst, `}]}`...), nil
}
