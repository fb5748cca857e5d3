package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/bench/peers/internal/servers"
)

// huge is the call whose memory has to come back.
const huge = 64 << 20

// memory is the heap in use of the server with the raw handler, each time after
// two garbage collections.
type memory struct{ before, after int64 }

func (m *memory) growth() float64 { return float64(m.after-m.before) / (1 << 20) }

// measureMemory has one huge call echoed and compares the heap after it with the
// heap before.
func measureMemory(ctx context.Context, w io.Writer, built programs) (m *memory, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	server, err := load.Start(ctx, built.path("raw"), "-max", strconv.Itoa(2*huge))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	small := load.NewCalls(200, 64)
	length, err := server.Check(small)
	if err != nil {
		return nil, err
	}
	if _, err := server.InFlight(small, 64, length, 100*time.Millisecond); err != nil {
		return nil, err
	}
	m = &memory{}
	if m.before, err = heap(server); err != nil {
		return nil, err
	}
	if _, err := server.Check(load.NewCalls(huge, 1)); err != nil {
		return nil, err
	}
	if m.after, err = heap(server); err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(w, "\nHeap in use of the raw server after two collections: %.2f MiB, after a call of %d MiB %.2f MiB\n",
		float64(m.before)/(1<<20), huge>>20, float64(m.after)/(1<<20))
	return m, err
}

// heap asks the server.
func heap(s *load.Server) (int64, error) {
	answer, err := s.Ask([]byte(`{"jsonrpc":"2.0","id":3,"method":"` + servers.HeapMethod + "\"}\n"))
	if err != nil {
		return 0, err
	}
	var n int64
	if _, err := fmt.Sscanf(string(answer), `{"jsonrpc":"2.0","id":3,"result":%d}`, &n); err != nil {
		return 0, fmt.Errorf("heap: %.200q: %w", answer, err)
	}
	return n, nil
}
