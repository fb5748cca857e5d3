package logtest_test

import (
	"testing"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/eventlog/logtest"
)

func memory(testing.TB) eventlog.Log { return eventlog.NewMemory(nil) }

// replica is another replica's view of a log, which lives on when it closes.
type replica struct{ eventlog.Log }

func (replica) Close() error { return nil }

func TestMemory(t *testing.T) {
	t.Run("clock=real", func(t *testing.T) { logtest.Run(t, logtest.Factory{Open: memory}) })
	t.Run("clock=synctest", func(t *testing.T) { logtest.Run(t, logtest.Factory{Open: memory, Bubble: true}) })
	t.Run("replicas", func(t *testing.T) {
		logtest.Run(t, logtest.Factory{
			Open:      memory,
			Peer:      func(_ testing.TB, log eventlog.Log) eventlog.Log { return replica{log} },
			MaxEvents: eventlog.DefaultMaxEvents,
			Patience:  logtest.DefaultPatience,
			Seed:      7,
		})
	})
}
