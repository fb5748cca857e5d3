package load_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/peers/internal/load"
)

// webPrograms builds the server and the client.
func webPrograms(t *testing.T) (server, client string) {
	dir := t.TempDir()
	const commands = "github.com/wirespool/wirespool/bench/peers/internal/webservers/..."
	if out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), commands).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ext := ""
	if runtime.GOOS == "windows" {
		ext = ".exe"
	}
	return filepath.Join(dir, "server"+ext), filepath.Join(dir, "client"+ext)
}

// TestWeb drives every server in every way that is measured, for an instant.
func TestWeb(t *testing.T) {
	server, client := webPrograms(t)
	for _, impl := range []string{"wirespool", "wirespool-log", "wirespool-hijack", "limit-nethttp", "limit-nethttp-tuned", "go-sdk", "mcp-go"} {
		t.Run(impl, func(t *testing.T) {
			s := startWeb(t, server, "-impl", impl)
			for _, size := range []int{200, 4 << 10} {
				r, err := s.Web(load.WebShape{
					Era: bench.Session, Accept: "application/json, text/event-stream", Size: size, Conns: 3, Check: impl[0] != 'l',
				}, time.Millisecond)
				if err != nil || r.Calls < 3 || r.Second <= 0 || r.Allocs <= 0 {
					t.Errorf("%d: %+v, %v", size, r, err)
				}
			}
			if impl == "wirespool-log" {
				return // what it says before anybody listens is kept for who comes
			}
			streams, err := startWeb(t, server, "-impl", impl).OpenStreams(3)
			if err != nil {
				t.Fatal(err)
			}
			defer streams.Close()
			for _, burst := range []int{1, 16} {
				if f, err := streams.Fanout(200, burst, time.Millisecond); err != nil || f.Calls < 3*burst {
					t.Errorf("%+v, %v", f, err)
				}
			}
		})
	}
	s := startWeb(t, server, "-legacy")
	for _, impl := range []string{"wirespool", "limit-nethttp", "go-sdk", "mcp-go"} {
		r, err := load.Client(t.Context(), []string{client, "-impl", impl, "-url", "http://" + s.Addr + "/mcp", "-concurrency", "4", "-span", "1ms"}, time.Minute)
		if err != nil || r.Calls < 1 || r.Allocs <= 0 {
			t.Errorf("%s: %+v, %v", impl, r, err)
		}
	}
}

// TestIdle sees that open streams cost memory.
func TestIdle(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	server, _ := webPrograms(t)
	i, err := startWeb(t, server).Idle(50, 10*time.Millisecond)
	if err != nil || i.Kept < 1<<10 || i.Goroutines < 1 {
		t.Errorf("%+v, %v", i, err)
	}
}

func startWeb(t *testing.T, argv ...string) *load.WebServer {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	s, err := load.StartWeb(ctx, argv...)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer cancel()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
