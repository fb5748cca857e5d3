// Package relay stands between a client and a server that talk over standard input and output: it
// starts the server, passes every byte on unchanged in both directions, and shows copies of them to
// a [Watcher].
//
// It behaves as if it were not there: the client sees the server's standard output end when the
// server ends it, backpressure works through, and the exit status is the server's.
package relay

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
)

// Relay is what to run and between which files. The files are closed when the other side closes
// its end.
type Relay struct {
	Command []string // with its arguments; no shell looks at it
	Stdin   *os.File // from the client
	Stdout  *os.File // to the client
	Stderr  *os.File // handed to the command, and for what the relay itself has to say
	Watcher *Watcher

	// How long to wait; zero means the default.
	Grace time.Duration // for the command to end after SIGTERM, SIGHUP, or when the client is gone
	Drain time.Duration // for output that somebody holds open after the command has ended
}

const (
	defaultGrace = 10 * time.Second
	defaultDrain = time.Second

	// drainFactor bounds the draining as a whole, in units of Drain: a descendant that writes for
	// ever must not keep us.
	drainFactor = 10

	statusClientGone = 1
)

// Run starts the command, relays until it has ended, and returns its exit status, 128 and the
// signal if one ended it. A *[StartError] says that it could not be started. When Run returns,
// nothing of the command's process group is left; the two exceptions are processes that left that
// group, and Windows.
func (r *Relay) Run() (status int, err error) {
	runtime.LockOSThread() // see sysProcAttr
	defer runtime.UnlockOSThread()
	signals := catchSignals()
	c, err := start(r.Command, r.Stderr)
	if err != nil {
		return 0, err
	}
	up := &pump{direction: explain.ClientToServer, from: r.Stdin, to: c.in, watcher: r.Watcher}
	down := &pump{direction: explain.ServerToClient, from: c.out, to: r.Stdout, watcher: r.Watcher}
	go func() {
		if err := up.run(); err != nil {
			// The child reads no more, and so do we: the client's next write fails.
			r.Stdin.Close()
		}
		c.in.Close()
	}()
	gone, drained := make(chan error, 1), make(chan struct{})
	go func() {
		if err := down.run(); err != nil {
			gone <- err
		}
		// The child may live on, but the client must see that nothing will come.
		r.Stdout.Close()
		c.out.Close()
		close(drained)
	}()

	status = r.supervise(c, signals, gone)
	r.drain(c, down, drained, signals)
	return status, nil
}

// supervise waits for the child to end and meanwhile does what must be done. It returns the exit
// status.
func (r *Relay) supervise(c *child, signals <-chan os.Signal, gone <-chan error) int {
	var overdue <-chan time.Time
	clientGone := false
	for {
		select {
		case s := <-signals:
			_ = c.signal(s)
			if asksToEnd(s) && overdue == nil {
				overdue = time.After(cmp.Or(r.Grace, defaultGrace))
			}
		case err := <-gone:
			fmt.Fprintf(r.Stderr, "wirespool tap: the client takes no more output, ending the command: %v\n", err)
			clientGone = true
			c.in.Close()
			_ = c.terminate()
			if overdue == nil {
				overdue = time.After(cmp.Or(r.Grace, defaultGrace))
			}
		case <-overdue:
			_ = c.kill()
		case <-c.exited:
			if clientGone {
				return statusClientGone
			}
			return c.status
		}
	}
}

// drain passes on what the child left in its pipe, and then ends what is left of its group. Where a
// descendant holds the pipe open, or writes for ever, that takes bounded time.
func (r *Relay) drain(c *child, down *pump, drained <-chan struct{}, signals <-chan os.Signal) {
	patience := cmp.Or(r.Drain, defaultDrain)
	down.wait(drained, patience, signals)
	c.endGroup(patience)
	down.wait(drained, patience, signals)
}

// wait waits for the end of the pump: for patience while nothing comes, for a multiple of it while
// something does, and without bound while it is the client who does not read, for that is what he
// would find without a relay too. A signal ends it.
func (p *pump) wait(done <-chan struct{}, patience time.Duration, signals <-chan os.Signal) {
	tick := time.NewTicker(patience)
	defer tick.Stop()
	before := p.passed.Load()
	for ticks := 1; ; ticks++ {
		select {
		case <-done:
			return
		case <-signals:
			return
		case <-tick.C:
		}
		now := p.passed.Load()
		stands := now == before
		before = now
		if stands && p.writing.Load() {
			continue
		}
		if stands || ticks >= drainFactor {
			return
		}
	}
}
