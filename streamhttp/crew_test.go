package streamhttp_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestCrewRests: goroutines that handled messages wait for more of them, and end
// when none come.
func TestCrewRests(t *testing.T) {
	endpoint(t, &streamhttp.Options{Log: eventlog.NewMemory(nil)}, func(t *testing.T, r *rig) {
		headers := r.session("2025-11-25")
		for range 3 {
			a := r.do("POST", request("1", "tools/list", "{}"), headers...)
			require.Equal(t, 200, a.StatusCode)
		}
		synctest.Wait()
		require.NotZero(t, crewSize())
		<-time.After(time.Minute)
		require.Zero(t, crewSize())
	})
}

// crewSize counts the goroutines of crews.
func crewSize() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), "streamhttp.(*crew).run(")
}
