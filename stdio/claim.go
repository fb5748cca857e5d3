package stdio

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/transport"
)

// ErrClaimed is returned by [Claim] while an earlier claim is held: the
// streams of a process can be one connection only.
var ErrClaimed = errors.New("stdio: standard input and output are claimed already")

// claimed guards what a process has one of.
var claimed atomic.Bool

// Claim makes the standard input and output of this process a connection. Until
// its Close they are out of reach of everybody else: descriptor 0 is the null
// device and descriptor 1 is standard error. SIGPIPE on descriptors 1 and 2 does
// not end the process meanwhile. Close restores all of that; it waits until
// frames that are being written have been, within FlushWait.
//
// Call it first thing in main: what was read from os.Stdin before, or a read of
// it that is under way, takes bytes of the protocol. Likewise what was read
// ahead is gone after Close. Descriptor 2 is left alone: if the parent has made
// it the same pipe as descriptor 1, prints to it are in the protocol. o may be
// nil.
func Claim(o *Options) (transport.Conn, error) {
	opts := o.filled()
	if !claimed.CompareAndSwap(false, true) {
		return nil, ErrClaimed
	}
	std, err := takeStd()
	if err != nil {
		claimed.Store(false)
		return nil, err
	}
	c := &server{std: std, flushWait: opts.FlushWait}
	c.init(opts.stream(std), func(err error) error { return err })
	return c, nil
}

// server is the connection of a process to whoever started it.
type server struct {
	conn
	std       *std
	flushWait time.Duration

	closing atomic.Bool
	once    sync.Once
	err     error // what Close returns; read after once
}

// Read implements [transport.Conn].
func (c *server) Read(in *transport.Inbound) error {
	err := c.stream.Read(in)
	in.Via = c
	if err != nil && c.closing.Load() {
		return net.ErrClosed
	}
	return err
}

// Close implements [transport.Conn].
func (c *server) Close() error {
	c.once.Do(func() {
		c.closing.Store(true)
		c.std.stopReading()
		c.stopSending(c.flushWait, nil)
		c.err = c.stream.Close()
		claimed.Store(false)
	})
	return c.err
}
