// Package servers holds what the two servers on wirespool share. The commands
// below it are the servers that are measured as processes, each with the tool
// echo.
package servers

import (
	"context"
	"errors"
	"flag"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/stdio"
)

const (
	// HeapMethod is a request that is answered with the bytes of heap in use after
	// two garbage collections, as the member "bytes" of an object.
	HeapMethod = "wirebench/heap"

	// FreeMethod is a request that gives unused memory back to the system.
	FreeMethod = "wirebench/free"
)

const tools = `{"tools":[{"name":"echo","inputSchema":` +
	`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}`

// Serve serves the client that started this process until it ends. Its flags are
// -max, the largest message, and -cpuprofile.
func Serve(echo dispatch.Handler) (err error) {
	largest := flag.Int("max", 0, "largest message in bytes; 0 leaves the default")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	stop, err := load.StartProfile(*profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	server := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{
		Name: "echo", Version: "1", Capabilities: codec.Value(`{"tools":{}}`),
	}})
	server.Handle("tools/call", echo)
	server.Handle("tools/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, tools...), nil
	})
	server.Handle(HeapMethod, heap)
	server.Handle(FreeMethod, free)
	conn, err := stdio.Claim(&stdio.Options{
		Frames: framing.Options{MaxFrame: *largest}, Limits: codec.Limits{MaxBytes: *largest},
	})
	if err != nil {
		return err
	}
	return server.Serve(context.Background(), conn)
}

func heap(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return append(strconv.AppendUint(append(dst, `{"bytes":`...), m.HeapInuse, 10), '}'), nil
}

func free(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
	debug.FreeOSMemory()
	return append(dst, "{}"...), nil
}
