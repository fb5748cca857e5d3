package peers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strconv"
	"sync/atomic"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
	exp "golang.org/x/exp/jsonrpc2"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// dispatched is how many requests one Do makes: a server's beginning and end are
// part of it, and must not count.
const dispatched = 4096

// dispatchGroups measure what a call costs besides its handler: for a server that
// is asked one request at a time, or 64 at once, by a peer that costs next to
// nothing, and for a client and a server over net.Pipe.
func dispatchGroups() (all []Group) {
	for _, n := range []int{1, 64} {
		text := bench.Calls(n, "echo")
		all = append(all, Group{
			Op: "Dispatch", Shape: "requests", Size: strconv.Itoa(n), Messages: dispatched, Bytes: dispatched / n * len(text),
			Limit: "limit-pipe", found: strconv.Itoa(dispatched) + " served",
			Entries: []Entry{
				asked("wirespool", text, n, serveWirespool), asked("jrpc2", text, n, serveJRPC2),
				asked("exp-jsonrpc2", text, n, serveExp), asked("limit-pipe", text, n, servePipe),
			},
		})
	}
	return append(all, Group{
		Op: "Dispatch", Shape: "calls", Size: "1", Messages: dispatched, Bytes: dispatched * len(bench.SmallResult),
		Limit: "limit-pipe", found: strconv.Itoa(dispatched) + " served",
		Entries: []Entry{
			calling("wirespool", callWirespool), calling("jrpc2", callJRPC2),
			calling("exp-jsonrpc2", callExp), calling("limit-pipe", callPipe),
		},
	})
}

// counter counts the requests that handlers saw.
type counter struct{ atomic.Int64 }

func (c *counter) found() string { return strconv.FormatInt(c.Load(), 10) + " served" }

// asked is an entry whose Do starts a server on a feed, asks text of it as often
// as it takes, and sees it end.
func asked(impl string, text []byte, n int, serve func(rwc io.ReadWriteCloser, c *counter) error) Entry {
	var c counter
	bytes := 0
	e := Entry{Impl: impl, bytes: func() int { return bytes }, found: c.found, Do: func() error {
		c.Store(0)
		bytes = 0
		f := bench.NewFeed()
		ended := make(chan error, 1)
		go func() { ended <- serve(f, &c) }()
		for range dispatched / n {
			if err := f.Ask(text, n); err != nil {
				return errors.Join(err, f.Close())
			}
			bytes += len(text)
		}
		return errors.Join(f.Close(), <-ended)
	}}
	if impl == "limit-pipe" {
		e.found = nil
	}
	return e
}

// calling is an entry whose Do joins a client and a server, calls, and sees both
// end. call is what connect returns, once for each call; it returns the result's
// length.
func calling(impl string, connect func(near, far net.Conn, c *counter) (call func() (int, error), end func() error, err error)) Entry {
	var c counter
	bytes := 0
	e := Entry{Impl: impl, bytes: func() int { return bytes }, found: c.found, Do: func() error {
		c.Store(0)
		bytes = 0
		near, far := net.Pipe()
		call, end, err := connect(near, far, &c)
		if err != nil {
			return err
		}
		for range dispatched {
			n, err := call()
			if err != nil {
				return errors.Join(err, end())
			}
			bytes += n
		}
		return end()
	}}
	if impl == "limit-pipe" {
		e.found = nil
	}
	return e
}

func newServer(c *counter) *dispatch.Server {
	s := dispatch.NewServer(&dispatch.Options{Profile: dispatch.JSONRPC})
	s.Handle("echo", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		c.Add(1)
		return append(dst, bench.SmallResult...), nil
	})
	return s
}

func serveWirespool(rwc io.ReadWriteCloser, c *counter) error {
	s := newServer(c)
	err := s.Serve(context.Background(), transport.Stream(rwc, framing.Newline, nil))
	return errors.Join(err, s.Shutdown(context.Background()))
}

func serveJRPC2(rwc io.ReadWriteCloser, c *counter) error {
	return startJRPC2(rwc, c).Wait()
}

func startJRPC2(rwc io.ReadWriteCloser, c *counter) *jrpc2.Server {
	result := json.RawMessage(bench.SmallResult)
	s := jrpc2.NewServer(handler.Map{"echo": func(context.Context, *jrpc2.Request) (any, error) {
		c.Add(1)
		return result, nil
	}}, nil)
	return s.Start(channel.Line(rwc, rwc))
}

// expDialer hands one stream to package exp, whose connections are alike on both
// sides.
type expDialer struct{ rwc io.ReadWriteCloser }

func (d expDialer) Dial(context.Context) (io.ReadWriteCloser, error) { return d.rwc, nil }

func connectExp(rwc io.ReadWriteCloser, c *counter) (*exp.Connection, error) {
	result := json.RawMessage(bench.SmallResult)
	return exp.Dial(context.Background(), expDialer{rwc}, exp.ConnectionOptions{
		Framer: exp.RawFramer(),
		Handler: exp.HandlerFunc(func(context.Context, *exp.Request) (any, error) {
			c.Add(1)
			return result, nil
		}),
	})
}

func serveExp(rwc io.ReadWriteCloser, c *counter) error {
	conn, err := connectExp(rwc, c)
	if err != nil {
		return err
	}
	if err := conn.Wait(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func servePipe(rwc io.ReadWriteCloser, _ *counter) error { return limits.Pipe(rwc, rwc) }

// callParams are the params of a call.
const callParams = `{"name":"echo"}`

func callWirespool(near, far net.Conn, c *counter) (func() (int, error), func() error, error) {
	s := newServer(c)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background(), transport.Stream(far, framing.Newline, nil)) }()
	ctx, params := context.Background(), []byte(callParams)
	cl, err := dispatch.Connect(ctx, streamDialer{near}, &dispatch.ClientOptions{Options: dispatch.Options{Profile: dispatch.JSONRPC}})
	if err != nil {
		return nil, nil, err
	}
	call := func() (int, error) {
		res, err := cl.CallRaw(ctx, "echo", params)
		if err != nil {
			return 0, err
		}
		n := len(res.Value())
		res.Release()
		return n, nil
	}
	return call, func() error { return errors.Join(cl.Close(), <-ended, s.Shutdown(ctx)) }, nil
}

type streamDialer struct{ conn net.Conn }

func (d streamDialer) Dial(context.Context) (transport.Conn, error) {
	return transport.Stream(d.conn, framing.Newline, nil), nil
}

func callJRPC2(near, far net.Conn, c *counter) (func() (int, error), func() error, error) {
	s := startJRPC2(far, c)
	cl := jrpc2.NewClient(channel.Line(near, near), nil)
	ctx, params := context.Background(), json.RawMessage(callParams)
	call := func() (int, error) {
		res, err := cl.Call(ctx, "echo", params)
		if err != nil {
			return 0, err
		}
		return len(res.ResultString()), nil
	}
	return call, func() error { return errors.Join(cl.Close(), s.Wait()) }, nil
}

func callExp(near, far net.Conn, c *counter) (func() (int, error), func() error, error) {
	s, err := connectExp(far, c)
	if err != nil {
		return nil, nil, err
	}
	cl, err := connectExp(near, c)
	if err != nil {
		return nil, nil, err
	}
	ctx, params := context.Background(), json.RawMessage(callParams)
	call := func() (int, error) {
		var result json.RawMessage
		err := cl.Call(ctx, "echo", params).Await(ctx, &result)
		return len(result), err
	}
	return call, func() error {
		_ = cl.Close() // it says that it was closed
		_ = s.Close()
		return nil
	}, nil
}

// callPipe writes a line and reads back the line that a loop returns unread.
func callPipe(near, far net.Conn, _ *counter) (func() (int, error), func() error, error) {
	ended := make(chan error, 1)
	go func() { ended <- limits.Pipe(far, far) }()
	text := append([]byte(bench.SmallResult), '\n')
	back := make([]byte, len(text))
	call := func() (int, error) {
		if _, err := near.Write(text); err != nil {
			return 0, err
		}
		n, err := io.ReadFull(near, back)
		return n - 1, err
	}
	return call, func() error { return errors.Join(near.Close(), <-ended) }, nil
}
