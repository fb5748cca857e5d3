package load_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/bridging"
	"github.com/wirespool/wirespool/bench/peers/internal/load"
)

// TestServers drives every server that is measured, for an instant, with calls
// that fit into a pipe and with calls that do not.
func TestServers(t *testing.T) {
	dir := t.TempDir()
	const commands = "github.com/wirespool/wirespool/bench/peers/internal/servers/..."
	if out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), commands).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".exe")
		names = append(names, name)
		for _, size := range []int{200, 40 << 10} {
			drive(t, filepath.Join(dir, e.Name()), name, size)
		}
	}
	if want := []string{"gosdk", "mcpgo", "pipe", "raw", "stdjson", "typed"}; !slices.Equal(names, want) {
		t.Errorf("servers %q, want %q", names, want)
	}
}

func drive(t *testing.T, path, name string, size int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := load.Start(ctx, path)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	measure(t, s, name, size)
}

// measure drives a server, and ends it.
func measure(t *testing.T, s *load.Server, name string, size int) {
	t.Helper()
	defer func() {
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}()
	const window = 8
	calls := load.NewCalls(size, window)
	length, err := s.Check(calls)
	if err != nil || length < size/2 {
		t.Fatalf("%s: answer of %d bytes, %v", name, length, err)
	}
	one, err := s.OneAtATime(calls, length, time.Millisecond)
	if err != nil || one.Calls == 0 || one.P50 <= 0 || one.P99 < one.P50 {
		t.Errorf("%s: %+v, %v", name, one, err)
	}
	many, err := s.InFlight(calls, window, length, time.Millisecond)
	if err != nil || many.Calls < window || many.Second <= 0 {
		t.Errorf("%s: %+v, %v", name, many, err)
	}
	if cpu, ok := s.CPU(); runtime.GOOS == "linux" && (!ok || cpu <= 0) {
		t.Errorf("%s: CPU time %v, %t", name, cpu, ok)
	}
	if size, ok := s.Resident(); runtime.GOOS == "linux" && (!ok || size < 1<<20 || size > 1<<30) {
		t.Errorf("%s: %d bytes in RAM, %t", name, size, ok)
	}
	if _, err := s.InFlight(calls, window, length+1, time.Millisecond); err == nil {
		t.Errorf("%s: answers of another length are taken", name)
	}
}

// TestSockets drives what stands between a socket and a server on pipes.
func TestSockets(t *testing.T) {
	dir := t.TempDir()
	const commands = "github.com/wirespool/wirespool/bench/peers/internal/"
	if out, err := exec.Command("go", "build", "-o", dir+string(filepath.Separator), commands+"servers/raw", commands+"webservers/bridge").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	bridge, back := filepath.Join(dir, "bridge"+exe), filepath.Join(dir, "raw"+exe)
	for _, impl := range []string{bridging.Wirespool, bridging.Relay} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		s, err := load.StartSocket(ctx, bridge, "-impl", impl, "-back", back)
		if err != nil {
			t.Fatalf("%s: %v", impl, err)
		}
		measure(t, s, impl, 4<<10)
		cancel()
	}
	if _, err := load.StartSocket(t.Context(), bridge, "-impl", "none", "-back", back); err == nil {
		t.Error("no implementation, and it has started")
	}
}

func TestStartFails(t *testing.T) {
	if _, err := load.Start(t.Context(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a program that is not there starts")
	}
}
