package dispatch_test

import (
	"encoding/json"
	"expvar"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// TestMetrics: what is counted of a conversation, and how things stand in it.
func TestMetrics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m, o := dispatch.NewMetrics(0), plain()
		o.Observer = m
		o.Limits.MaxHandlersPerPeer = 1
		srv, w := serve(t, o, observedHandlers)
		w.send(call("1", "ns/a"), call("2", "ns/b"), call("3", "refuses"), call("4", "ping"), call("5", "nope"), call("6", "resources/list"), "junk")
		synctest.Wait()
		w.send(call("7", "slow"))
		<-time.After(2 * time.Millisecond)
		w.send(call("8", "slow"), call("9", "slow"))
		synctest.Wait()

		for p := range srv.Peers {
			require.True(t, p.Serving())
		}
		s := m.Snapshot()
		require.Equal(t, 1, s.Peers)
		require.Equal(t, int64(1), s.Running)
		require.Equal(t, int64(2), s.Queued)
		require.Equal(t, int64(2*len(call("8", "slow"))), s.QueuedBytes)
		<-time.After(time.Second)
		_ = w.conn.Close()
		synctest.Wait()

		s = m.Snapshot()
		require.Equal(t, []uint64{1, 1}, []uint64{s.Opened, s.Closed})
		require.Zero(t, s.Peers)
		require.Zero(t, s.Queued+s.QueuedBytes+s.Running)
		require.Equal(t, map[string]uint64{"ok": 2}, s.Served["ns/*"].Outcomes)
		require.Equal(t, map[string]uint64{"application": 1}, s.Served["refuses"].Outcomes)
		require.Equal(t, uint64(1), s.Served["ping"].Count)
		require.Equal(t, uint64(len(call("1", "ns/a"))+len(call("2", "ns/b"))), s.Served["ns/*"].BytesIn)
		require.Equal(t, uint64(len("{}{}")), s.Served["ns/*"].BytesOut)
		require.Equal(t, map[string]uint64{"protocol": 2}, s.Refused[dispatch.OtherMethods].Outcomes, "nope, junk")
		require.Equal(t, uint64(1), s.Refused["resources/list"].Count, "a method of MCP has a name")
		slow := s.Served["slow"]
		require.Equal(t, uint64(3), slow.Duration.Count)
		require.Equal(t, 15*time.Millisecond, slow.Duration.Sum)
		require.Equal(t, 5*time.Millisecond, slow.Duration.Max)
		require.Len(t, slow.Duration.Buckets, 1)
		require.Equal(t, uint64(2), slow.Wait.Count)
		require.Equal(t, (3+8)*time.Millisecond, slow.Wait.Sum)

		text := expvar.Func(func() any { return m.Snapshot() }).String()
		var back dispatch.Snapshot
		require.NoError(t, json.Unmarshal([]byte(text), &back))
		require.Equal(t, s, back, "nothing is lost in JSON")
	})
}

// TestMetricsAmong: counters count beside other observers, and beside others of
// their kind.
func TestMetricsAmong(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a, b, s := dispatch.NewMetrics(0), dispatch.NewMetrics(0), new(starter)
		o := plain()
		o.Observer = dispatch.Observers(s, a, b)
		_, w := serve(t, o, observedHandlers)
		w.send(call("1", "echo"))
		require.Len(t, s.take(), 2)
		require.Equal(t, uint64(1), a.Snapshot().Served["echo"].Count)
		require.Equal(t, a.Snapshot(), b.Snapshot())
		require.Equal(t, 1, s.ended)
	})
}

// TestMetricsOfCalls counts what goes out.
func TestMetricsOfCalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := dispatch.NewMetrics(0)
		w, c := rawServer(t, &dispatch.ClientOptions{Options: dispatch.Options{Observer: m}}, nil)
		go func() {
			for range 2 {
				w.next()
			}
			require.Equal(t, 1, m.Snapshot().Pending)
			w.send(empty("2"))
		}()
		require.False(t, c.Peer().Serving())
		require.NoError(t, c.Notify(t.Context(), "n", []byte(`{}`)))
		res, err := c.CallRaw(t.Context(), "x", []byte(`{"a":1}`))
		require.NoError(t, err)
		res.Release()
		s := m.Snapshot()
		require.Zero(t, s.Pending)
		require.Equal(t, uint64(1), s.Called["x"].Outcomes["ok"])
		require.Equal(t, uint64(7), s.Called["x"].BytesOut)
		require.Equal(t, uint64(len(empty("2"))), s.Called["x"].BytesIn)
		require.Equal(t, uint64(2), s.Sent["n"].BytesOut)
	})
}

// TestMetricsBounded: names that a peer thinks of cost no memory.
func TestMetricsBounded(t *testing.T) {
	m := dispatch.NewMetrics(10)
	for i := range 1000 {
		m.Observe(&dispatch.Event{Kind: dispatch.EventRefused, Method: fmt.Sprint("wild/", i)})
		m.Observe(&dispatch.Event{Kind: dispatch.EventServed, Method: fmt.Sprint("any/", i), Route: "*"})
		name := fmt.Sprint("passed on/", i)
		m.Observe(&dispatch.Event{Kind: dispatch.EventCalled, Method: name, Route: name})
	}
	s := m.Snapshot()
	require.Len(t, s.Refused, 1)
	require.Equal(t, uint64(1000), s.Refused[dispatch.OtherMethods].Count)
	require.Len(t, s.Served, 1)
	require.Equal(t, uint64(1000), s.Served["*"].Count)
	require.Len(t, s.Called, 11)
	require.Equal(t, uint64(990), s.Called[dispatch.OtherMethods].Count)
}

// TestMetricsConcurrent: nothing is lost when many count at once.
func TestMetricsConcurrent(t *testing.T) {
	m := dispatch.NewMetrics(4)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				name := fmt.Sprint("m", (g+i)%6)
				m.Observe(&dispatch.Event{Kind: dispatch.EventServed, Method: name, Route: name, BytesIn: 1, Duration: time.Duration(i) * time.Microsecond})
				if i%100 == 0 {
					m.Snapshot()
				}
			}
		})
	}
	wg.Wait()
	var count, bytes, timed uint64
	for _, x := range m.Snapshot().Served {
		count, bytes, timed = count+x.Count, bytes+x.BytesIn, timed+x.Duration.Count
	}
	require.Equal(t, []uint64{4000, 4000, 4000}, []uint64{count, bytes, timed})
}

// TestHistogram: each duration is in the bucket whose bounds hold it, right to a
// quarter, and quantiles follow.
func TestHistogram(t *testing.T) {
	of := func(all ...time.Duration) dispatch.Histogram {
		m := dispatch.NewMetrics(0)
		for _, d := range all {
			m.Observe(&dispatch.Event{Method: "x", Route: "x", Duration: d})
		}
		return m.Snapshot().Served["x"].Duration
	}
	for d := time.Duration(1); d < time.Minute; d = d*9/8 + 1 {
		b := of(d).Buckets
		require.Len(t, b, 1)
		require.Greater(t, b[0].Below, d)
		if d >= 1024 {
			require.LessOrEqual(t, b[0].Below, d+d/4+1, d)
		} else {
			require.Equal(t, time.Duration(1024), b[0].Below)
		}
		// The bounds touch: what is as long as a bucket's end is in the next one.
		require.Greater(t, of(b[0].Below).Buckets[0].Below, b[0].Below)
	}
	require.Equal(t, []dispatch.Bucket{{Below: 0, Count: 3}}, of(time.Hour, 1<<36, math.MaxInt64).Buckets)
	require.NotZero(t, of(1<<36 - 1).Buckets[0].Below, "68.7 s is the last that is told from longer ones")
	require.Equal(t, uint64(1), of(0).Buckets[0].Count)

	var h dispatch.Histogram
	require.Zero(t, h.Quantile(0.5))
	var all []time.Duration
	for i := range 1000 {
		all = append(all, time.Duration(i)*time.Millisecond)
	}
	h = of(all...)
	for _, q := range []float64{0.1, 0.5, 0.9, 0.99} {
		want := time.Duration(q * float64(time.Second))
		require.InDelta(t, float64(want), float64(h.Quantile(q)), float64(want)/4, q)
	}
	require.Equal(t, h.Max, h.Quantile(1))
	require.Equal(t, 2*time.Hour, of(2*time.Hour).Quantile(0.5))
}

// metricsEvent is a usual event, for measuring.
func metricsEvent() *dispatch.Event {
	return &dispatch.Event{
		Kind: dispatch.EventServed, Method: "tools/call", Route: "tools/call", ID: codec.ID("7"),
		Params: codec.Value(`{"name":"echo"}`), Result: codec.Value(`{"content":[]}`), BytesIn: 120, BytesOut: 14, Duration: 3 * time.Microsecond,
	}
}

func BenchmarkMetrics(b *testing.B) {
	b.Run("shape=one/impl=wirespool", func(b *testing.B) {
		m, e := dispatch.NewMetrics(0), metricsEvent()
		b.ReportAllocs()
		for b.Loop() {
			m.Observe(e)
		}
	})
	b.Run("shape=parallel/impl=wirespool", func(b *testing.B) {
		m := dispatch.NewMetrics(0)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for e := metricsEvent(); pb.Next(); {
				m.Observe(e)
			}
		})
	})
}
