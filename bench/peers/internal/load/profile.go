package load

import (
	"errors"
	"os"
	"runtime/pprof"
)

// StartProfile writes a CPU profile of this process to a file, from now on until
// stop is called; without a name it does nothing.
func StartProfile(name string) (stop func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}
