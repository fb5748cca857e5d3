package logtest_test

import (
	"testing"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/eventlog/logtest"
)

func memory(testing.TB) eventlog.Log { return eventlog.NewMemory(nil) }

func TestMemory(t *testing.T) {
	t.Run("clock=real", func(t *testing.T) { logtest.Run(t, logtest.Factory{Open: memory}) })
	t.Run("clock=synctest", func(t *testing.T) { logtest.Run(t, logtest.Factory{Open: memory, Bubble: true}) })
}
