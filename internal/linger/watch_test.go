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
		w := linger.New(time.Second, func(n int) {
			mu.Lock()
			defer mu.Unlock()
			require.Zero(t, got[n])
			got[n] = time.Now()
		})
		added := map[int]time.Time{}
		for n := range 3000 {
			added[n] = time.Now()
			w.Add(n)
			if n%7 == 0 {
				<-time.After(time.Millisecond)
			}
		}
		<-time.After(time.Minute)
		w.Add(3000)
		added[3000] = time.Now()
		<-time.After(time.Second)
		synctest.Wait()
		require.Len(t, got, len(added))
		for n, at := range got {
			require.LessOrEqual(t, at.Sub(added[n]), time.Second)
		}
		w.Add(3001)
		w.Stop()
		w.Add(3002)
		<-time.After(time.Minute)
		require.Len(t, got, len(added))
		linger.New(time.Second, func(int) {}).Stop()
	})
}

// TestWatchConcurrent adds from many goroutines.
func TestWatchConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		w := linger.New(time.Millisecond, func(int) { n++ }) // one after the other
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 1000 {
					w.Add(1)
				}
			})
		}
		all.Wait()
		<-time.After(time.Second)
		synctest.Wait()
		require.Equal(t, 8000, n)
	})
}
