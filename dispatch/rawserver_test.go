package dispatch_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// rawServer is a client of ours whose server is nothing but lines of bytes. The
// handshake is done, in 2025-11-25; the client's next id is 2.
func rawServer(t testing.TB, o *dispatch.ClientOptions, handlers func(*dispatch.Mux)) (*wire, *dispatch.Client) {
	return rawServerIn(t, "2025-11-25", o, handlers)
}

func rawServerIn(t testing.TB, revision string, o *dispatch.ClientOptions, handlers func(*dispatch.Mux)) (*wire, *dispatch.Client) {
	t.Helper()
	if o == nil {
		o = &dispatch.ClientOptions{Options: dispatch.Options{Info: everything}}
	}
	o.Era, o.Handlers = dispatch.EraLegacy, handlers
	w, conn := newWire(t, nil)
	shaken := make(chan struct{})
	go func() {
		defer close(shaken)
		w.want(`{"jsonrpc":"2.0","id":1,"method":"initialize",…`)
		w.send(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"` + revision + `","capabilities":{},"serverInfo":{"name":"raw","version":"1"}}}`)
		w.want(opened)
	}()
	c, err := dispatch.Connect(t.Context(), to(conn), o)
	require.NoError(t, err)
	<-shaken
	t.Cleanup(func() { _ = c.Close() })
	return w, c
}

// requestID is the id of a request that a raw server got.
func requestID(t testing.TB, line string) string {
	t.Helper()
	_, rest, ok := strings.Cut(line, `"id":`)
	require.True(t, ok, line)
	id, _, ok := strings.Cut(rest, `,`)
	require.True(t, ok, line)
	return id
}

// dialer makes one connection after the other, each served by the next of its
// scripts.
type dialer struct {
	t       testing.TB
	scripts []func(*wire)
	dials   int
}

func (d *dialer) Dial(context.Context) (transport.Conn, error) {
	if d.dials == len(d.scripts) {
		return nil, errNoMoreScripts
	}
	w, conn := newWire(d.t, nil)
	go d.scripts[d.dials](w)
	d.dials++
	return conn, nil
}

var errNoMoreScripts = errors.New("one dial too many")
