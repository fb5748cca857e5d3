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

const (
	modern = "2026-07-28"
	legacy = "2025-11-25" // the newest of that era
)

// target is a server, on transports of some ways; all, if none are named.
type target struct {
	name   string
	o      cross.Options
	ways   string
	newest string // what results where the client chooses; modern, if empty
	alone  bool   // it speaks no other
	// What an SDK's own transport does not do: to ask the client, to hear before
	// 2026-07-28 that a call is cancelled, and to send progress on one stream.
	mute, deaf, loose bool
}

var targets = []target{
	{name: "gosdk", o: cross.Options{SDK: cross.GoSDK}},
	{name: "mcpgo", o: cross.Options{SDK: cross.MCPGo}},
	{name: "stock gosdk", o: cross.Options{SDK: cross.GoSDK, Stock: true}, ways: "stdio sse"},
	{name: "stock gosdk", o: cross.Options{SDK: cross.GoSDK, Stock: true}, ways: "http", newest: legacy},
	{name: "stock gosdk stateless", o: cross.Options{SDK: cross.GoSDK, Stock: true, Stateless: true}, ways: "http", mute: true, deaf: true},
	{name: "stock gosdk of 2026-07-28", o: cross.Options{SDK: cross.GoSDK, Stock: true, Stateless: true, Modern: true}, ways: "http", alone: true},
	{name: "stock mcpgo", o: cross.Options{SDK: cross.MCPGo, Stock: true}, ways: "stdio"},
	{name: "stock mcpgo", o: cross.Options{SDK: cross.MCPGo, Stock: true}, ways: "sse", mute: true},
	{name: "stock mcpgo", o: cross.Options{SDK: cross.MCPGo, Stock: true}, ways: "http", loose: true},
	{name: "stock mcpgo stateless", o: cross.Options{SDK: cross.MCPGo, Stock: true, Stateless: true}, ways: "http", mute: true, deaf: true},
}

// TestCross puts every client to every server, over every transport, in both eras.
// Clients and servers that are both on their SDK's own transports are left to these.
func TestCross(t *testing.T) {
	for _, to := range targets {
		for _, d := range dialers {
			if !strings.Contains(to.ways, d.way) && to.ways != "" || to.o.Stock && !d.ours {
				continue
			}
			for _, version := range versions[d.way] {
				if to.alone && version != "" || to.o.Stock && version != "" && version != newestOf(d.way) {
					continue
				}
				if version == "" && to.o.Stock && d.name != engineName && to.expected(d.way, "") != modern {
					continue // SDKs whose client and server have no choice in common
				}
				t.Run(strings.Join([]string{d.name + " to " + to.name, d.way, cmp.Or(version, "any")}, "/"), func(t *testing.T) {
					t.Parallel()
					address := to.o.SDK
					if to.o.Stock {
						address += onItsOwn
					}
					if d.way != "stdio" {
						address = serve(t, to.o, d.way)
					}
					use(t, &d, &to, d.open(t, address, version), to.expected(d.way, version))
				})
			}
		}
	}
}

// newestOf is the newest revision with a handshake that a transport is used with.
func newestOf(way string) string { return versions[way][len(versions[way])-2] }

// expected is the revision that results from the one that is asked for.
func (to *target) expected(way, version string) string {
	switch {
	case version != "":
		return version
	case way == "sse":
		return legacy
	}
	return cmp.Or(to.newest, modern)
}

// serve serves HTTP until the test is over, and returns the URL.
func serve(t *testing.T, o cross.Options, way string) string {
	h, err := cross.NewHandler(o)
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
func use(t *testing.T, d *dialer, to *target, s *session, version string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	t.Cleanup(func() { _ = s.close() }) // whatever fails: a server waits for its clients
	if s.version != version {
		t.Errorf("revision %q, want %q", s.version, version)
	}
	tools, err := s.tools(ctx)
	slices.Sort(tools)
	if want := toolsOf(to.o.SDK); err != nil || !slices.Equal(tools, want) {
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
	s.hearSteps(t, ctx, to.loose && version != modern)
	if _, err := s.call(ctx, "fail", ""); err == nil || err.Error() != cross.Failure {
		t.Errorf("fail: %v", err)
	}
	if _, err := s.call(ctx, "none", ""); err == nil {
		t.Error("a tool that there is not has an answer")
	}
	if questions := questionsIn(version); !d.refusesQuestions && (!to.mute || version == modern) {
		if got, err := s.call(ctx, questions, ""); err != nil || got != answer {
			t.Errorf("%s: %q, %v", questions, got, err)
		}
		if to.o.SDK == cross.GoSDK && version != modern {
			if got, err := s.call(ctx, "ping", ""); err != nil || got != "pong" {
				t.Errorf("ping: %q, %v", got, err)
			}
		}
	}
	if !d.keepsCancels && !to.deaf || version == modern {
		s.cancels(t, ctx, to.loose && version != modern)
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

func toolsOf(sdk string) []string {
	if sdk == cross.GoSDK {
		return []string{"ask", "echo", "fail", "ping", "released", "round", "steps", "wait"}
	}
	return []string{"ask", "echo", "fail", "released", "round", "steps", "wait"}
}

// questionsIn is the tool that asks the client's model.
func questionsIn(version string) string {
	if version == modern {
		return "round"
	}
	return "ask"
}

// hearSteps waits for the progress of steps. Loose, it comes by two ways, in any order,
// and what the answer has overtaken may come later or, where the call is over then, not
// at all: it is not waited for.
func (s *session) hearSteps(t *testing.T, ctx context.Context, loose bool) {
	t.Helper()
	if !loose {
		for i := range cross.Steps {
			s.hear(t, ctx, float64(i+1))
		}
		return
	}
	heard := make(map[float64]bool)
	for {
		select {
		case n := <-s.progress:
			if n < 1 || n > cross.Steps || heard[n] {
				t.Errorf("progress %v, after %v", n, heard)
			}
			heard[n] = true
			continue
		default:
		}
		return
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

// hearWait waits for the progress of wait, behind what is still to come of steps.
func (s *session) hearWait(t *testing.T, ctx context.Context, loose bool) {
	t.Helper()
	if !loose {
		s.hear(t, ctx, 1)
		return
	}
	for {
		select {
		case n := <-s.progress:
			if n == 1 {
				return
			}
		case <-ctx.Done():
			t.Fatal("progress of wait did not come")
		}
	}
}

// cancels cancels a call while it runs, and sees the server's handler end.
func (s *session) cancels(t *testing.T, ctx context.Context, loose bool) {
	t.Helper()
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if got, err := s.call(short, "wait", ""); err == nil {
			t.Errorf("wait came to an end: %q", got)
		}
	})
	s.hearWait(t, ctx, loose)
	cancel()
	waiting.Wait()
	if got, err := s.call(ctx, "released", ""); err != nil || got != "released" {
		t.Errorf("the handler of a cancelled call was not: %q, %v", got, err)
	}
}
