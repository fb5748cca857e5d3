package browsertest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/sse/eventstream"
)

// patience is how long a browser may take to start and read everything.
const patience = time.Minute

// page reads events and reports what it got.
const page = `<!doctype html><title>events</title><script>
const got = [];
const source = new EventSource("/events");
source.onmessage = e => got.push({id: e.lastEventId, data: e.data});
source.addEventListener("end", () => {
  source.close();
  fetch("/report", {method: "POST", body: JSON.stringify(got)});
});
</script>`

// received is what the browser says it got.
type received struct{ ID, Data string }

// TestEventSource lets a browser lose its connection over and over: it comes
// back with the last id, and every event is there once and in order (RS-05).
func TestEventSource(t *testing.T) {
	browser := os.Getenv("WIRESPOOL_BROWSER")
	if browser == "" {
		t.Skip("WIRESPOOL_BROWSER names no browser: run make browser")
	}
	const total, drops = 400, 20
	log := eventlog.NewMemory(nil)
	defer log.Close()
	stream := eventlog.Stream{Scope: "browser", Key: eventlog.NewKey()}
	require.NoError(t, log.Create(t.Context(), stream, nil, eventlog.Limits{}))

	rng := rand.New(rand.NewPCG(1, 2))
	cuts := make(chan int, drops) // after how many events each of the first connections is cut
	for range drops {
		cuts <- 1 + rng.IntN(total/drops)
	}
	close(cuts)
	var connections atomic.Int64
	reports := make(chan []received, 1)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page) })
	mux.HandleFunc("POST /report", func(_ http.ResponseWriter, r *http.Request) {
		var got []received
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Errorf("the browser's report: %v", err)
		}
		reports <- got
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		connections.Add(1)
		cut, limited := <-cuts
		if err := serve(w, r, log, stream, cut, limited); err != nil {
			panic(http.ErrAbortHandler) // the connection breaks off in the middle
		}
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()

	go fill(t, log, stream, total)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", srv.URL)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = patience // for its processes, which write to the folder until they end
	require.NoError(t, cmd.Start())
	defer func() {
		cancel()
		_ = cmd.Wait() // it was killed
	}()
	var got []received
	select {
	case got = <-reports:
	case <-ctx.Done():
		t.Fatalf("no report within %s; the browser says:\n%s", patience, said.String())
	}
	require.Len(t, got, total)
	for i, e := range got {
		require.Equal(t, fmt.Sprintf("event %d\nof %d", i, total), e.Data)
		require.True(t, strings.HasPrefix(e.ID, stream.Key+"."), "id %q", e.ID)
	}
	require.GreaterOrEqual(t, connections.Load(), int64(drops), "the connection was not dropped as often")
}

// fill appends the events while the browser reads, some at a time.
func fill(t *testing.T, log eventlog.Log, stream eventlog.Stream, total int) {
	for i := range total {
		ev := &eventlog.Event{Data: fmt.Appendf(nil, "event %d\nof %d", i, total)}
		if err := log.Append(context.WithoutCancel(t.Context()), stream, ev); err != nil {
			t.Errorf("append: %v", err)
			return
		}
	}
	if err := log.Finish(context.WithoutCancel(t.Context()), stream); err != nil {
		t.Errorf("finish: %v", err)
	}
}

// serve writes the stream from where the browser wants it. With a limit it stops
// short after that many events, in the middle of the next.
func serve(w http.ResponseWriter, r *http.Request, log eventlog.Log, stream eventlog.Stream, limit int, limited bool) error {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	send := func(e eventstream.Event, cut bool) error {
		text, err := eventstream.AppendEvent(nil, e)
		if err != nil {
			return err
		}
		if cut {
			text = text[:len(text)/2]
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		return out.Flush()
	}
	last := eventlog.EventID{}
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		var err error
		if last, err = eventlog.ParseEventID(id); err != nil {
			return err
		}
	}
	if _, err := w.Write(eventstream.AppendRetry(nil, 10*time.Millisecond)); err != nil {
		return err
	}
	sent := 0
	for e, err := range log.After(r.Context(), stream, last, true) {
		if err != nil {
			return err
		}
		cut := limited && sent == limit
		if err := send(eventstream.Event{ID: []byte(e.ID.String()), Data: e.Data}, cut); err != nil {
			return err
		}
		if cut {
			return io.ErrUnexpectedEOF
		}
		sent++
	}
	return send(eventstream.Event{Name: []byte("end"), Data: []byte("that was all")}, false)
}
