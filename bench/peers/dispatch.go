package peers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"
	exp "golang.org/x/exp/jsonrpc2"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/bench/work"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// dispatchGroups measure what a call costs besides its handler: for a server, and
// for a client and a server over net.Pipe; what observers add to it; and arrays whose
// handlers compute.
func dispatchGroups() []work.Group {
	requests := work.RequestGroups([]work.Server{{Impl: "jrpc2", Serve: serveJRPC2}, {Impl: "exp-jsonrpc2", Serve: serveExp}})
	limit := calling("limit-pipe", callPipe)
	limit.Found = nil // it has no handler
	return append(requests, work.Group{
		Op: "Dispatch", Shape: "calls", Size: "1", Messages: work.Dispatched, Bytes: work.Dispatched * len(bench.SmallResult),
		Limit: "limit-pipe", Found: requests[0].Found,
		Entries: []work.Entry{
			calling("wirespool", callWirespool), calling("jrpc2", callJRPC2), calling("exp-jsonrpc2", callExp), limit,
		},
	}, work.ObservedGroup(), work.ComputeGroup())
}

// calling joins both sides by net.Pipe.
func calling(impl string, connect func(near, far net.Conn, c *work.Counter) (func() (int, error), func() error, error)) work.Entry {
	return work.Joined(impl, func(c *work.Counter) (func() (int, error), func() error, error) {
		near, far := net.Pipe()
		return connect(near, far, c)
	})
}

func serveJRPC2(rwc io.ReadWriteCloser, c *work.Counter) error {
	return startJRPC2(rwc, c).Wait()
}

func startJRPC2(rwc io.ReadWriteCloser, c *work.Counter) *jrpc2.Server {
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

func connectExp(rwc io.ReadWriteCloser, c *work.Counter) (*exp.Connection, error) {
	result := json.RawMessage(bench.SmallResult)
	return exp.Dial(context.Background(), expDialer{rwc}, exp.ConnectionOptions{
		Framer: exp.RawFramer(),
		Handler: exp.HandlerFunc(func(context.Context, *exp.Request) (any, error) {
			c.Add(1)
			return result, nil
		}),
	})
}

func serveExp(rwc io.ReadWriteCloser, c *work.Counter) error {
	conn, err := connectExp(rwc, c)
	if err != nil {
		return err
	}
	if err := conn.Wait(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// callParams are the params of a call.
const callParams = `{"name":"echo"}`

func callWirespool(near, far net.Conn, c *work.Counter) (func() (int, error), func() error, error) {
	s := work.NewServer(dispatch.Options{}, c)
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

func callJRPC2(near, far net.Conn, c *work.Counter) (func() (int, error), func() error, error) {
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

func callExp(near, far net.Conn, c *work.Counter) (func() (int, error), func() error, error) {
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
func callPipe(near, far net.Conn, _ *work.Counter) (func() (int, error), func() error, error) {
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
