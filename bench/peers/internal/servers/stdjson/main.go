// The command stdjson is limit-stdjson, the simplest server on encoding/json.
package main

import (
	"fmt"
	"os"

	"github.com/wirespool/wirespool/bench/limits"
)

func main() {
	if err := limits.StdJSON(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "stdjson:", err)
		os.Exit(1)
	}
}
