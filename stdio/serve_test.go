package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/stdio"
)

// serve is the role of a server that has claimed its streams.
func serve() error {
	conn, err := stdio.Claim(&stdio.Options{Framing: ownFraming()})
	if err != nil {
		return err
	}
	return server(dispatch.JSONRPC).Serve(context.Background(), conn)
}

func init() {
	roles["serve mcp"] = func() error {
		conn, err := stdio.Claim(nil)
		if err != nil {
			return err
		}
		return server(dispatch.MCP).Serve(context.Background(), conn)
	}
}

// server returns a server with everything the tests call.
func server(p dispatch.Profile) *dispatch.Server {
	s := dispatch.NewServer(&dispatch.Options{
		Profile: p,
		Info:    dispatch.Info{Name: "test", Version: "1", Capabilities: codec.Value(`{"tools":{}}`)},
	})
	s.Handle("echo", echo)
	s.Handle("tools/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"tools":[]}`...), nil
	})
	s.Handle("stray", stray)
	s.Handle("inherit", inherit)
	s.Handle("claim", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		_, err := stdio.Claim(nil)
		return codec.AppendString(dst, fmt.Sprint(err)), nil
	})
	s.Handle("blob", blob)
	s.Handle("die", die)
	s.Handle("noisy", noisy)
	release := make(chan struct{})
	s.Handle("slow", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		select {
		case <-release:
			return append(dst, `"slow"`...), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})
	s.HandleNotification("release", func(context.Context, *dispatch.Notification) { close(release) })
	return s
}

func echo(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	return append(dst, r.Params()...), nil
}

// stray prints in every way there is.
func stray(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
	fmt.Println("stray fmt.Println")
	_, err := os.Stdout.WriteString("stray os.Stdout\n")
	println("stray println")
	return append(dst, "true"...), err
}

// inherit runs a process that prints, and that reads all of standard input
// (N16).
func inherit(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), roleVar+"=swallow")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return append(dst, "true"...), cmd.Run()
}

// blob answers with as many bytes as it is asked for.
func blob(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	n, err := codec.Find(r.Params(), "n")
	if err != nil {
		return nil, err
	}
	size, err := strconv.Atoi(string(n))
	return codec.AppendString(dst, strings.Repeat("x", size)), err
}

// die ends the process in the middle of the call.
func die(context.Context, *dispatch.Request, []byte) ([]byte, error) {
	fmt.Fprintln(os.Stderr, "last words")
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		return nil, err
	}
	if err := p.Kill(); err != nil {
		return nil, err
	}
	<-time.After(patience)
	return nil, errors.New("survived")
}

// noisy notifies from another goroutine while it answers.
func noisy(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	params := append([]byte(nil), r.Params()...)
	peer, done := r.Peer(), make(chan error, 1)
	go func() { done <- peer.Notify(ctx, "noise", params) }()
	return append(dst, params...), <-done
}
