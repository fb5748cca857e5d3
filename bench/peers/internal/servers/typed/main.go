// The command typed is a stdio server on wirespool whose handler takes and
// returns Go values.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/wirespool/wirespool/bench/peers/internal/servers"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

func main() {
	if err := servers.Serve(typed.Handler(echo)); err != nil {
		fmt.Fprintln(os.Stderr, "typed:", err)
		os.Exit(1)
	}
}

type params struct {
	Name      string `json:"name"`
	Arguments struct {
		Text string `json:"text"`
	} `json:"arguments"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type result struct {
	Content []content `json:"content"`
}

func echo(_ context.Context, _ *dispatch.Request, in params) (result, error) {
	if in.Name != "echo" {
		return result{}, &codec.Error{Code: protocol.CodeInvalidParams, Message: "no such tool"}
	}
	return result{[]content{{"text", in.Arguments.Text}}}, nil
}
