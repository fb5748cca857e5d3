//go:build unix

package gosdk_test

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
)

// TestDrainSignal: on the streams of the process a signal ends the wait for a call
// that runs when the client has ended its side; elsewhere it does not.
func TestDrainSignal(t *testing.T) {
	caught := make(chan os.Signal, 1) // or it would end the test
	signal.Notify(caught, syscall.SIGTERM)
	defer signal.Stop(caught)
	for _, standard := range []bool{true, false} {
		o := &gosdk.Options{DrainWait: 100 * time.Millisecond}
		if standard {
			o.DrainWait = time.Hour
			o.Standard()
		}
		w := serveWire(t, newServer(nil), o)
		w.open("2025-11-25")
		w.send(toolCall("1", "wait"))
		require.Contains(t, w.line(), "progress")
		began := time.Now()
		require.NoError(t, w.Close())
		ended := make(chan error, 1)
		go func() { ended <- w.ss.Wait() }()
		again := time.NewTicker(time.Millisecond) // the end of the input may not have been seen yet
		defer again.Stop()
		for waits := true; waits; {
			require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
			<-caught // or it might come when nobody catches it any more
			select {
			case err := <-ended:
				require.NoError(t, err)
				waits = false
			case <-again.C:
			}
		}
		if !standard {
			require.GreaterOrEqual(t, time.Since(began), o.DrainWait)
		}
	}
}
