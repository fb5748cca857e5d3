package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// clientCalls is how many calls one Do makes on each goroutine where there are
// several: waiting for the last of them must not count.
const clientCalls = 4

// ClientGroups call a tool over sockets of the loopback, one call at a time and 32
// at once. The server is ours for all, of the revisions that they have in common; it
// runs in the same process and is part of every figure.
func ClientGroups(more []WebClient) (all []Group) {
	ours := WebClients()
	rows := slices.Concat(ours[:1], more, ours[1:])
	for _, shape := range []struct {
		name      string
		at, calls int
	}{{"session", 1, 1}, {"session-32", 32, clientCalls}} {
		for _, s := range webSizes {
			n := shape.at * shape.calls
			g := Group{
				Op: "Client", Shape: shape.name, Size: s.name, Messages: n, Bytes: n * s.size,
				Limit: ours[1].Impl, Found: echoed(n, n*s.size),
			}
			for _, c := range rows {
				g.Entries = append(g.Entries, (&calling{client: c, at: shape.at, calls: shape.calls, size: s.size}).entry(c.Impl == g.Limit))
			}
			all = append(all, g)
		}
	}
	return all
}

func echoed(calls, bytes int) string {
	return fmt.Sprintf("%d bytes came back from %d calls", bytes, calls)
}

// calling is a client and its server.
type calling struct {
	client          WebClient
	at, calls, size int

	server *Listener
	caller *WebCaller
	back   []int // bytes that came back to each goroutine
	failed []error
}

func (c *calling) entry(limit bool) Entry {
	sum := func() (n int) {
		for _, b := range c.back {
			n += b
		}
		return n
	}
	e := Entry{
		Impl: c.client.Impl, Open: c.open, Do: c.do, Close: c.close,
		Bytes: sum, Found: func() string { return echoed(c.at*c.calls, sum()) },
	}
	if limit { // it does not look at what came back
		e.Bytes, e.Found = Always(c.at*c.calls*c.size), nil
	}
	return e
}

func (c *calling) open() (err error) {
	if c.server, err = Listen(serveWirespool(WebOptions{Legacy: true}, nil, false)); err != nil {
		return err
	}
	c.back, c.failed = make([]int, c.at), make([]error, c.at)
	c.caller, err = c.client.Connect(context.Background(), "http://"+c.server.Addr+"/mcp", strings.Repeat("x", c.size))
	if err != nil {
		err = errors.Join(err, c.server.Close())
	}
	return err
}

func (c *calling) do() error {
	if c.at == 1 {
		c.run(0)
	} else {
		var wg sync.WaitGroup
		for i := range c.at {
			wg.Go(func() { c.run(i) })
		}
		wg.Wait()
	}
	return errors.Join(c.failed...)
}

func (c *calling) run(i int) {
	c.back[i], c.failed[i] = 0, nil
	for range c.calls {
		n, err := c.caller.Call(context.Background())
		if err != nil {
			c.failed[i] = err
			return
		}
		c.back[i] += n
	}
}

func (c *calling) close() error { return errors.Join(c.caller.Close(), c.server.Close()) }
