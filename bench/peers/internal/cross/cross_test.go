package cross_test

import (
	"cmp"
	"context"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/cross"
)

// What each transport is used with: the oldest revision it has, the newest with a
// handshake, one between them, and what the client chooses.
var versions = map[string][]string{
	"stdio": {"2024-11-05", "2025-06-18", "2025-11-25", ""},
	"sse":   {"2024-11-05", ""}, // HS-12
	"http":  {"2025-03-26", "2025-11-25", ""},
}

const modern = "2026-07-28"

// TestCross puts every client to every server, over every transport, in both eras.
func TestCross(t *testing.T) {
	for _, sdk := range []string{cross.GoSDK, cross.MCPGo} {
		for _, d := range dialers {
			for _, version := range versions[d.way] {
				t.Run(strings.Join([]string{d.name + " to " + sdk, d.way, cmp.Or(version, "any")}, "/"), func(t *testing.T) {
					t.Parallel()
					target := sdk
					if d.way != "stdio" {
						target = serve(t, sdk, d.way)
					}
					use(t, &d, d.open(t, target, version), expected(d.way, version))
				})
			}
		}
	}
}

// expected is the revision that results from the one that is asked for.
func expected(way, version string) string {
	switch {
	case version != "":
		return version
	case way == "sse":
		return "2025-11-25" // the newest of the legacy era
	}
	return modern
}

// serve serves HTTP until the test is over, and returns the URL.
func serve(t *testing.T, sdk, way string) string {
	h, err := cross.NewHandler(sdk)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		s.Close() // returns when no connection is in use
	})
	if way == "sse" {
		return s.URL + "/sse"
	}
	return s.URL + "/mcp"
}

// patience bounds a session, closeLimit its end: go-sdk's client waits for five
// seconds before it ends a server that does not end by itself.
const (
	patience   = 60 * time.Second
	closeLimit = 4 * time.Second
)

// use does everything that a session is for.
func use(t *testing.T, d *dialer, s *session, version string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if s.version != version {
		t.Errorf("revision %q, want %q", s.version, version)
	}
	tools, err := s.tools(ctx)
	slices.Sort(tools)
	if want := []string{"ask", "echo", "released", "round", "steps", "wait"}; err != nil || !slices.Equal(tools, want) {
		t.Errorf("tools/list: %q, %v; want %q", tools, err, want)
	}
	for _, text := range []string{"", "<&>\u2028\x01\"\\\n{}", strings.Repeat("größer 漢\n", 2_000)} {
		if got, err := s.call(ctx, "echo", text); err != nil || got != text {
			t.Errorf("echo of %.20q: %.20q, %v", text, got, err)
		}
	}
	var together sync.WaitGroup
	for i := range 20 {
		together.Go(func() {
			if got, err := s.call(ctx, "echo", strconv.Itoa(i)); err != nil || got != strconv.Itoa(i) {
				t.Errorf("echo of %d: %q, %v", i, got, err)
			}
		})
	}
	together.Wait()
	if got, err := s.call(ctx, "steps", ""); err != nil || got != "done" {
		t.Errorf("steps: %q, %v", got, err)
	}
	for i := range cross.Steps {
		s.hear(t, ctx, float64(i+1))
	}
	questions := "ask"
	if version == modern {
		questions = "round"
	}
	if !d.refusesQuestions {
		if got, err := s.call(ctx, questions, ""); err != nil || got != answer {
			t.Errorf("%s: %q, %v", questions, got, err)
		}
	}
	if !d.keepsCancels || version == modern {
		s.cancels(t, ctx)
	}
	if got, err := s.call(ctx, "echo", "still here"); err != nil || got != "still here" {
		t.Errorf("echo in the end: %q, %v", got, err)
	}
	start := time.Now()
	if err := s.close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if took := time.Since(start); took > closeLimit {
		t.Errorf("close took %v", took)
	}
	if !d.callsWhenClosed || version != modern {
		if _, err := s.call(ctx, "echo", ""); err == nil {
			t.Error("a session that is closed still works")
		}
	}
}

// hear waits for a notification of progress.
func (s *session) hear(t *testing.T, ctx context.Context, want float64) {
	t.Helper()
	select {
	case got := <-s.progress:
		if got != want {
			t.Errorf("progress %v, want %v", got, want)
		}
	case <-ctx.Done():
		t.Fatalf("progress %v did not come", want)
	}
}

// cancels cancels a call while it runs, and sees the server's handler end.
func (s *session) cancels(t *testing.T, ctx context.Context) {
	t.Helper()
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if got, err := s.call(short, "wait", ""); err == nil {
			t.Errorf("wait came to an end: %q", got)
		}
	})
	s.hear(t, ctx, 1)
	cancel()
	waiting.Wait()
	if got, err := s.call(ctx, "released", ""); err != nil || got != "released" {
		t.Errorf("the handler of a cancelled call was not: %q, %v", got, err)
	}
}
