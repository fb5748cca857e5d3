package linger_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/linger"
)

// TestWatch: each one is handed out once, within the time.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		got := map[int]time.Time{}
		w := linger.New(time.Second, func(n *int) {
			mu.Lock()
			defer mu.Unlock()
			require.Zero(t, got[*n])
			got[*n] = time.Now()
		})
		added := map[int]time.Time{}
		for n := range 3000 {
			added[n] = time.Now()
			w.Add(&n)
			if n%7 == 0 {
				<-time.After(time.Millisecond)
			}
		}
		<-time.After(time.Minute)
		w.Add(new(3000))
		added[3000] = time.Now()
		<-time.After(time.Second)
		synctest.Wait()
		require.Len(t, got, len(added))
		for n, at := range got {
			require.LessOrEqual(t, at.Sub(added[n]), time.Second)
		}
		place := w.Add(new(3001))
		w.Stop()
		w.Forget(place)
		w.Forget(w.Add(new(3002)))
		<-time.After(time.Minute)
		require.Len(t, got, len(added))
		linger.New(time.Second, func(*int) {}).Stop()
	})
}

// TestWatchForgets: what was forgotten is not handed out, in whatever order that
// comes, and nothing else is forgotten with it, not even what took its place.
func TestWatchForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		w := linger.New(time.Second, func(s *string) { got = append(got, *s) })
		w.Forget(linger.Place{})
		a, b, c := w.Add(new("a")), w.Add(new("b")), w.Add(new("c"))
		w.Forget(b)
		w.Forget(c)
		require.Equal(t, b, w.Add(new("d")), "the room of the last ones is used again")
		e := w.Add(new("e"))
		<-time.After(2 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{"a", "d", "e"}, got)
		got = nil
		w.Add(new("f"))
		w.Add(new("g"))
		w.Forget(a) // too late: others have these places now
		w.Forget(e)
		<-time.After(2 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{"f", "g"}, got)
		w.Forget(w.Add(new("h")))
		<-time.After(2 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{"f", "g"}, got)
	})
}

// TestWatchConcurrent adds from many goroutines, and forgets every other one.
func TestWatchConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		w := linger.New(time.Millisecond, func(*int) { n++ }) // one after the other
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 1000 {
					w.Add(new(1))
					w.Forget(w.Add(new(2)))
				}
			})
		}
		all.Wait()
		<-time.After(time.Second)
		synctest.Wait()
		require.Equal(t, 8000, n)
	})
}
