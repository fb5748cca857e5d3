package work

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync/atomic"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// Dispatched is how many requests one Do makes: a server's beginning and end are
// part of it, and must not count.
const Dispatched = 4096

// Server serves a stream until it ends; its handlers count in c.
type Server struct {
	Impl  string
	Serve func(rwc io.ReadWriteCloser, c *Counter) error
}

// Counter counts the requests that handlers saw.
type Counter struct{ atomic.Int64 }

func (c *Counter) found() string { return served(int(c.Load())) }

func served(n int) string { return strconv.Itoa(n) + " served" }

// RequestGroups measure what a request costs a server besides its handler, when
// it is asked one at a time, or 64 at once, by a peer that costs next to nothing.
func RequestGroups(more []Server) (all []Group) {
	for _, n := range []int{1, 64} {
		text := bench.Calls(n, "echo")
		g := Group{
			Op: "Dispatch", Shape: "requests", Size: strconv.Itoa(n), Messages: Dispatched, Bytes: Dispatched / n * len(text),
			Limit: "limit-pipe", Found: served(Dispatched),
		}
		g.Entries = append(g.Entries, Asked(Server{"wirespool", Serve(dispatch.Options{})}, text, n, Dispatched/n))
		for _, s := range more {
			g.Entries = append(g.Entries, Asked(s, text, n, Dispatched/n))
		}
		limit := Asked(Server{"limit-pipe", servePipe}, text, n, Dispatched/n)
		limit.Found = nil // it has no handler
		g.Entries = append(g.Entries, limit)
		all = append(all, g)
	}
	return all
}

// Asked is an entry whose Do starts a server on a feed, asks text of it in so many
// rounds of n answers, and sees it end.
func Asked(s Server, text []byte, n, rounds int) Entry {
	var c Counter
	bytes := 0
	return Entry{Impl: s.Impl, Bytes: func() int { return bytes }, Found: c.found, Do: func() error {
		c.Store(0)
		bytes = 0
		f := bench.NewFeed()
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(f, &c) }()
		for range rounds {
			if err := f.Ask(text, n); err != nil {
				return errors.Join(err, f.Close())
			}
			bytes += len(text)
		}
		return errors.Join(f.Close(), <-ended)
	}}
}

// Joined is an entry whose Do joins a client and a server, calls, and sees both
// end. call is what connect returns, once for each call; it returns the result's
// length.
func Joined(impl string, connect func(c *Counter) (call func() (int, error), end func() error, err error)) Entry {
	var c Counter
	bytes := 0
	return Entry{Impl: impl, Bytes: func() int { return bytes }, Found: c.found, Do: func() error {
		c.Store(0)
		bytes = 0
		call, end, err := connect(&c)
		if err != nil {
			return err
		}
		for range Dispatched {
			n, err := call()
			if err != nil {
				return errors.Join(err, end())
			}
			bytes += n
		}
		return end()
	}}
}

// NewServer returns a server of ours whose method "echo" counts in c.
func NewServer(o dispatch.Options, c *Counter) *dispatch.Server {
	o.Profile = dispatch.JSONRPC
	s := dispatch.NewServer(&o)
	s.Handle("echo", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		c.Add(1)
		return append(dst, bench.SmallResult...), nil
	})
	return s
}

// Serve serves with a server of ours.
func Serve(o dispatch.Options) func(io.ReadWriteCloser, *Counter) error {
	return func(rwc io.ReadWriteCloser, c *Counter) error { return ServeWith(NewServer(o, c), rwc) }
}

// ServeWith serves with s and shuts it down.
func ServeWith(s *dispatch.Server, rwc io.ReadWriteCloser) error {
	err := s.Serve(context.Background(), transport.Stream(rwc, framing.Newline, nil))
	return errors.Join(err, s.Shutdown(context.Background()))
}

// servePipe sends the requests back unread.
func servePipe(rwc io.ReadWriteCloser, _ *Counter) error { return limits.Pipe(rwc, rwc) }
