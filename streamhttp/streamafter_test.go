package streamhttp_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestStreamAfter: a call that says nothing becomes a stream when the option says
// so, in every revision; in 2025-11-25 alone it begins with an id, and a client that
// is cut off then gets its answer (SL-10, SL-12). What is answered sooner stays a
// plain answer.
func TestStreamAfter(t *testing.T) {
	for _, version := range legacyRevisions[1:] {
		logging(t, streamhttp.Options{StreamAfter: 5 * time.Millisecond}, func(t *testing.T, r *rig) {
			own := r.session(version)
			quick := r.do("POST", tool("1", "x"), own...)
			require.Equal(t, "application/json", quick.Header.Get("Content-Type"))
			require.Equal(t, result("1"), quick.text())

			begun := time.Now()
			ctx, leave := context.WithCancel(t.Context())
			a := r.doContext(ctx, "POST", tool("2", "sleep:5s"), own...)
			require.Equal(t, 5*time.Millisecond, time.Since(begun))
			require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
			if version != "2025-11-25" {
				require.Equal(t, result("2"), a.data(), "the answer is the first that has an id")
				require.Equal(t, 5*time.Second, time.Since(begun))
				leave()
				return
			}
			id, _, data, err := a.event()
			require.NoError(t, err)
			require.NotEmpty(t, id)
			require.Empty(t, data)
			require.Equal(t, 5*time.Millisecond, time.Since(begun))
			leave()
			b := r.do("GET", "", append(own, "Last-Event-ID: "+id)...)
			require.Equal(t, result("2"), b.data())
			require.Equal(t, 5*time.Second, time.Since(begun))
			b.ends()
		})
	}
}

// TestStreamAtOnce: a negative time makes a stream of every call of a session whose
// events are kept, arrays included, but for those that never take their time.
func TestStreamAtOnce(t *testing.T) {
	for _, version := range legacyRevisions[1:] {
		logging(t, streamhttp.Options{StreamAfter: -1}, func(t *testing.T, r *rig) {
			own := r.session(version)
			calls := map[string]string{"call": tool("1", "x"), "unknown": request("2", "none", "")}
			if version == "2025-03-26" {
				calls["array"] = "[" + tool("3", "x") + "]"
			}
			for name, text := range calls {
				a := r.do("POST", text, own...)
				require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"), name)
				if version == "2025-11-25" {
					id, _, data, err := a.event()
					require.NoError(t, err)
					require.NotEmpty(t, id)
					require.Empty(t, data)
				}
				require.Contains(t, a.data(), `"jsonrpc":"2.0"`, name)
				a.ends()
			}
			a := r.do("POST", request("4", "ping", ""), own...)
			require.Equal(t, "application/json", a.Header.Get("Content-Type"))
			a = r.do("POST", tool("5", "x"), append(own, "Accept: application/json")...)
			require.Equal(t, result("5"), a.text())
			require.Equal(t, "application/json", r.modernTool("1", "x").Header.Get("Content-Type"))
			body, headers := modernCall("1", "none", "")
			require.Equal(t, 404, r.do("POST", body, headers...).StatusCode)

			ctx, leave := context.WithCancel(t.Context())
			a = r.doContext(ctx, "POST", tool("6", "sleep:5s"), own...)
			require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
			if version == "2025-11-25" {
				id, _, _, err := a.event()
				require.NoError(t, err)
				leave()
				require.Equal(t, result("6"), r.do("GET", "", append(own, "Last-Event-ID: "+id)...).data())
			}
			leave()
		})
	}
	synctest.Test(t, func(t *testing.T) {
		memory := eventlog.NewMemory(nil)
		defer func() { _ = memory.Close() }()
		r := open(t, &streamhttp.Options{Log: &brokenLog{Log: memory, create: true}, StreamAfter: -1}, nil)
		defer r.close()
		require.Equal(t, result("1"), r.do("POST", tool("1", "x"), r.session("2025-11-25")...).text(), "the log has failed")
	})
}

// TestCutBeforeTheFirstEvent: without the option nothing can bring a silent call's
// client its answer, though there is a log. The handler works on (SL-14).
func TestCutBeforeTheFirstEvent(t *testing.T) {
	for _, version := range legacyRevisions[1:] {
		synctest.Test(t, func(t *testing.T) {
			log := eventlog.NewMemory(nil)
			defer func() { _ = log.Close() }()
			r := open(t, &streamhttp.Options{Log: log}, nil)
			defer r.close()
			own := r.session(version)
			ctx, leave := context.WithTimeout(t.Context(), 14*time.Second)
			defer leave()
			_, err := r.http.Client().Do(r.prepare(ctx, "POST", tool("1", "sleep:20s"), own))
			require.ErrorIs(t, err, context.DeadlineExceeded, "neither status nor headers were there")
			<-time.After(time.Minute)
			require.Zero(t, log.Stats().Streams)
		})
	}
}

// TestStreamAfterElsewhere: without a log, and in 2026-07-28, the headers go out
// then, with nothing to come back with.
func TestStreamAfterElsewhere(t *testing.T) {
	endpoint(t, &streamhttp.Options{StreamAfter: time.Second}, func(t *testing.T, r *rig) {
		for _, call := range []func(tool string) *reply{
			func(name string) *reply { return r.do("POST", tool("1", name), r.session("2025-11-25")...) },
			func(name string) *reply { return r.modernTool("1", name) },
		} {
			require.Equal(t, "application/json", call("x").Header.Get("Content-Type"))
			begun := time.Now()
			a := call("sleep:5s")
			require.Equal(t, time.Second, time.Since(begun))
			require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
			id, _, data, err := a.event()
			require.NoError(t, err)
			require.Empty(t, id)
			require.Contains(t, data, `"content":[]`)
			require.Equal(t, 5*time.Second, time.Since(begun))
		}
		begun := time.Now()
		a := r.modernTool("1", "sleep:40s", "Accept: application/json")
		require.Equal(t, "application/json", a.Header.Get("Content-Type"), "who takes no stream gets none")
		require.Equal(t, 40*time.Second, time.Since(begun))
	})
}
