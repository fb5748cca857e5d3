// The command pipe is limit-pipe: it returns every line unread.
package main

import (
	"fmt"
	"os"

	"github.com/wirespool/wirespool/bench/limits"
)

func main() {
	if err := limits.Pipe(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pipe:", err)
		os.Exit(1)
	}
}
