package stdio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/wirespool/wirespool/transport"
)

// Command returns a Dialer whose every Dial starts the command argv[0] with the
// arguments argv[1:], no shell involved, and returns a [*Child]. argv is
// copied; o may be nil. The Dialer has a method Check() error that tells, and
// starts nothing, whether the command and its working directory are there.
func Command(argv []string, o *Options) transport.Dialer {
	return &command{argv: slices.Clone(argv), opts: o.filled()}
}

type command struct {
	argv []string
	opts Options
	past history
}

// Dial implements [transport.Dialer]. ctx bounds the wait that Options.Backoff
// demands; it has no hold on the child.
func (d *command) Dial(ctx context.Context) (transport.Conn, error) {
	if len(d.argv) == 0 {
		return nil, errors.New("stdio: no command")
	}
	err := ctx.Err()
	if err == nil {
		err = d.past.wait(ctx, d.opts.Backoff)
	}
	if err == nil {
		var c *Child
		if c, err = d.start(); err == nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("stdio: start %s: %w", d.argv[0], err)
}

// Check tells whether there is something to start.
func (d *command) Check() error {
	if len(d.argv) == 0 {
		return errors.New("stdio: no command")
	}
	_, err := d.opts.lookPath(d.argv[0])
	if err == nil && d.opts.Dir != "" {
		var dir os.FileInfo
		if dir, err = os.Stat(d.opts.Dir); err == nil && !dir.IsDir() {
			err = &os.PathError{Op: "chdir", Path: d.opts.Dir, Err: syscall.ENOTDIR}
		}
	}
	if err != nil {
		return fmt.Errorf("stdio: start %s: %w", d.argv[0], err)
	}
	return nil
}

// start starts a child.
func (d *command) start() (*Child, error) {
	path, err := d.opts.lookPath(d.argv[0])
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: d.argv, Dir: d.opts.Dir, Env: d.opts.environment()}
	if err := prepare(cmd); err != nil {
		return nil, err
	}
	var ours, theirs [3]*os.File
	failed := true
	defer func() {
		for _, f := range theirs {
			_ = f.Close() // the child has its own now; nil is an error, no harm
		}
		for _, f := range ours {
			if failed {
				_ = f.Close() // the error that led here is the one to report
			}
		}
	}()
	for fd := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		ours[fd], theirs[fd] = r, w
		if fd == 0 {
			ours[fd], theirs[fd] = w, r
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	c := newChild(d, newProcess(cmd), ours)
	if d.opts.ForwardSignals { // from the first moment on
		signal.Notify(c.signals, os.Interrupt, syscall.SIGTERM)
	}
	if err := launch(cmd); err != nil {
		signal.Stop(c.signals)
		return nil, err
	}
	failed = false
	c.started = time.Now()
	go c.stderr.drain()
	go c.supervise()
	if d.opts.ForwardSignals {
		go c.forwardSignals()
	}
	return c, nil
}

// forwardSignals passes on what this process is told, until the child has
// exited.
func (c *Child) forwardSignals() {
	defer signal.Stop(c.signals)
	for {
		select {
		case s := <-c.signals:
			c.process.signal(s.(syscall.Signal))
		case <-c.exited:
			return
		}
	}
}
