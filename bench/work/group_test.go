package work

import (
	"errors"
	"math"
	"runtime"
	"testing"
)

// TestDuring: Close follows each Open that succeeded, whatever comes between.
func TestDuring(t *testing.T) {
	opening, doing, closing := errors.New("open"), errors.New("do"), errors.New("close")
	for _, c := range []struct {
		open, do, close error
		steps           string
	}{
		{nil, nil, nil, "open do close"}, {opening, nil, nil, "open"}, {nil, doing, closing, "open do close"},
	} {
		var steps string
		step := func(name string, err error) func() error {
			return func() error {
				steps += name
				return err
			}
		}
		e := Entry{Open: step("open", c.open), Close: step(" close", c.close)}
		err := e.During(step(" do", c.do))
		for _, want := range []error{c.open, c.do, c.close} {
			if want != nil && !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
		if steps != c.steps || err != nil && errors.Join(c.open, c.do, c.close) == nil {
			t.Errorf("%q and %v, want %q", steps, err, c.steps)
		}
	}
	if err := (Entry{}).During(func() error { return doing }); err != doing {
		t.Errorf("without: %v", err)
	}
}

func TestRoom(t *testing.T) {
	if err := roomFor(0); err != nil {
		t.Error(err)
	}
	if err := roomFor(math.MaxInt32); runtime.GOOS == "linux" && !errors.Is(err, ErrRoom) {
		t.Errorf("%v", err)
	}
}

// TestServers asks every server of ours for its answer, and ends it.
func TestServers(t *testing.T) {
	for _, w := range WebServers() {
		t.Run(w.Impl, func(t *testing.T) {
			before := runtime.NumGoroutine()
			l, err := Listen(w.New(WebOptions{Legacy: true, Size: 200}))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range WebClients() {
				if c.Impl == "wirespool" && w.Impl != "wirespool" && w.Impl != "wirespool-log" && w.Impl != "wirespool-hijack" {
					continue // a limit makes no handshake
				}
				caller, err := c.Connect(t.Context(), "http://"+l.Addr+"/mcp", "text")
				if err != nil {
					t.Fatal(err)
				}
				if n, err := caller.Call(t.Context()); err != nil || n != 0 && n != len("text") {
					t.Errorf("%s: %d, %v", c.Impl, n, err)
				}
				if err := caller.Close(); err != nil {
					t.Error(err)
				}
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			await(t, w.Impl, before)
		})
	}
}
