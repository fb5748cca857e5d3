//go:build !unix

package load

import "os"

func pipe() (r, w *os.File, err error) { return os.Pipe() }
