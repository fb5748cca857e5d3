package streamhttp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
)

// statuses are those of both eras that a POST can have
// here.
var statuses = map[int]bool{200: true, 202: true, 400: true, 404: true, 406: true, 413: true, 415: true}

// quick answers at once.
func quick() *dispatch.Server {
	s := dispatch.NewServer(&dispatch.Options{Info: everything})
	s.Handle("*", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, "{}"...), nil
	})
	return s
}

// FuzzPost: any body with any headers is answered by a row of the status table:
// never 500, never a panic, and a body that is JSON or events.
func FuzzPost(f *testing.F) {
	add := func(body string, headers ...string) {
		var lines []string
		for _, h := range headers {
			if !strings.HasPrefix(h, "Mcp-Session-Id") {
				lines = append(lines, h)
			}
		}
		f.Add(body, strings.Join(lines, "\n"), uint8(0))
		f.Add(body, strings.Join(lines, "\n"), uint8(1))
		f.Add(body, strings.Join(lines, "\n"), uint8(2))
	}
	for _, c := range modernCases() {
		add(c.body, c.headers...)
	}
	for _, version := range legacyRevisions {
		add(initialize(version))
		add(tool("1", "x"), "MCP-Protocol-Version: "+version)
		add("["+tool("1", "x")+","+initialized+"]", "MCP-Protocol-Version: "+version)
	}
	srv := quick()
	log := eventlog.NewMemory(nil)
	plain := streamhttp.NewHandler(srv, &streamhttp.Options{Log: log, Limits: streamhttp.Limits{MaxBody: 100_000}})
	stateless := streamhttp.NewHandler(srv, &streamhttp.Options{Stateless: true, Limits: streamhttp.Limits{MaxBody: 100_000}})
	f.Cleanup(func() {
		_ = plain.Close()
		_ = stateless.Close()
		_ = log.Close()
		_ = srv.Shutdown(context.Background())
	})
	session := func(version string) string {
		w := httptest.NewRecorder()
		plain.ServeHTTP(w, post(initialize(version), ""))
		return w.Header().Get("Mcp-Session-Id")
	}
	ids := []string{session("2025-03-26"), session("2025-11-25")}
	f.Fuzz(func(t *testing.T, body, headers string, mode uint8) {
		r := post(body, headers)
		h := plain
		switch mode % 4 {
		case 1, 2:
			r.Header.Set("Mcp-Session-Id", ids[mode%4-1])
		case 3:
			h = stateless
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if r.Header.Get("Mcp-Session-Id") == "" && w.Header().Get("Mcp-Session-Id") != "" { // sessions are not what is tested here
			d := httptest.NewRequest("DELETE", "/mcp", nil)
			d.Header.Set("Mcp-Session-Id", w.Header().Get("Mcp-Session-Id"))
			h.ServeHTTP(httptest.NewRecorder(), d)
		}
		if !statuses[w.Code] {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		text := w.Body.String()
		switch kind := w.Header().Get("Content-Type"); {
		case w.Code == 202:
			if text != "" || kind != "" {
				t.Fatalf("202 with a body: %q %q", kind, text)
			}
		case kind == "text/event-stream" && w.Code == 200:
			if text != "" && !strings.HasSuffix(text, "\n\n") {
				t.Fatalf("an event that does not end: %q", text)
			}
		case kind == "application/json" && json.Valid(w.Body.Bytes()):
			if w.Code != 200 && !strings.Contains(text, `"error"`) {
				t.Fatalf("status %d without an error: %s", w.Code, text)
			}
		default:
			t.Fatalf("status %d, type %q, body %q", w.Code, kind, text)
		}
	})
}

// post makes a POST with the given header lines on top of what every client sends.
func post(body, headers string) *http.Request {
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for line := range strings.Lines(headers) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		name, value = http.CanonicalHeaderKey(name), strings.TrimPrefix(value, " ")
		switch name {
		case "Host", "Origin":
		case "Accept", "Content-Type":
			r.Header.Set(name, value)
		default:
			r.Header.Add(name, value)
		}
	}
	return r
}

// FuzzResume: no event id opens what is not the session's, and none is answered
// with 404 or worse.
func FuzzResume(f *testing.F) {
	for _, id := range []string{"", "7", ".", "AAAAAAAAAAAAAAAAAAAAAA.1", eventlog.NewKey() + ".0", strings.Repeat("x", 10_000), "a\x00b"} {
		f.Add(id)
	}
	srv := quick()
	log := eventlog.NewMemory(nil)
	h := streamhttp.NewHandler(srv, &streamhttp.Options{Log: log})
	f.Cleanup(func() {
		_ = h.Close()
		_ = log.Close()
		_ = srv.Shutdown(context.Background())
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, post(initialize("2025-11-25"), ""))
	session := w.Header().Get("Mcp-Session-Id")
	f.Fuzz(func(t *testing.T, id string) {
		if id == "" {
			return
		}
		r := httptest.NewRequest("GET", "/mcp", nil)
		r.Header.Set("Accept", "text/event-stream")
		r.Header["Mcp-Session-Id"] = []string{session}
		r.Header["Last-Event-Id"] = []string{id}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 400 {
			t.Fatalf("event id %q: status %d", id, w.Code)
		}
	})
}
