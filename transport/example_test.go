package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// Both ends of a connection in memory. Here nothing but the wire is at work: who
// wants calls and handlers gives such a connection to package dispatch.
func ExamplePipe() {
	client, server := transport.Pipe(nil)
	served := make(chan error, 1)
	go func() { served <- pong(server) }()

	ctx := context.Background()
	var call codec.Message
	if err := codec.Decode([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), &call); err != nil {
		fmt.Println(err)
		return
	}
	if err := client.Send(ctx, &call); err != nil {
		fmt.Println(err)
		return
	}
	var in transport.Inbound
	if err := client.Read(&in); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %s %s\n", in.Kind, in.ID, in.Result)
	in.Release()
	_ = client.Close()
	fmt.Println(<-served)
	// Output:
	// response 1 {}
	// <nil>
}

// pong answers every request with an empty result until the peer is gone.
func pong(c transport.Conn) error {
	defer func() { _ = c.Close() }()
	for {
		var in transport.Inbound
		err := c.Read(&in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var out codec.Message
		err = codec.Decode(codec.AppendResponse(nil, in.ID, []byte(`{}`)), &out)
		if err == nil {
			err = in.Via.Send(in.Via.Context(), &out) // the way back of this very message
		}
		in.Release()
		if err != nil {
			return err
		}
	}
}

// Any stream of bytes is a connection, and any function a dialer.
func ExampleStream() {
	dial := transport.DialFunc(func(ctx context.Context) (transport.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, "unix", "/run/example/mcp.sock")
		if err != nil {
			return nil, err
		}
		return transport.Stream(c, framing.Newline, nil), nil
	})
	_ = dial // client, err := dispatch.Connect(ctx, dial, nil)
}
