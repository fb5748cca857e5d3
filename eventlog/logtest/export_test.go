package logtest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// Names returns the names of all checks.
func Names() (names []string) {
	for _, one := range checks {
		names = append(names, one.name)
	}
	return names
}

// Verdict runs one check and returns what it complains of.
func Verdict(t *testing.T, f Factory, name string) (complaints []string) {
	for _, one := range checks {
		if one.name != name {
			continue
		}
		f.in(t, func(t *testing.T) {
			r := &recorder{TB: t}
			var wg sync.WaitGroup
			wg.Go(func() { f.check(r, one.run) })
			wg.Wait()
			complaints = r.complaints
		})
		return complaints
	}
	t.Fatalf("no check has the name %q", name)
	return nil
}

// recorder is a testing.TB that keeps what is said against the log.
type recorder struct {
	testing.TB
	complaints []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.complaints = append(r.complaints, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }
