package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/bench/peers/internal/report"
	"github.com/wirespool/wirespool/bench/peers/internal/servers"
)

// huge is the call whose memory has to come back.
const huge = 64 << 20

// memoryRounds is how many servers are looked at: what is resident differs from one
// to the other by some MiB.
const memoryRounds = 9

// memory is what servers with the raw handler hold before and after a huge call.
type memory struct{ before, after []footprint }

// footprint is what a process holds, in MiB: its heap in use after two garbage
// collections, and what of it is in RAM after debug.FreeOSMemory, 0 where the
// system does not tell.
type footprint struct{ heap, resident float64 }

func heapInUse(f footprint) float64   { return f.heap }
func residentSet(f footprint) float64 { return f.resident }

// growth is how much more there is afterwards, the median over the servers.
func (m *memory) growth(of func(footprint) float64) float64 {
	var all []float64
	for i := range m.after {
		all = append(all, of(m.after[i])-of(m.before[i]))
	}
	return report.Median(all)
}

// measureMemory has one huge call echoed by each of some servers and looks at them
// before and after.
func measureMemory(ctx context.Context, o *options, w io.Writer, built programs) (*memory, error) {
	m := &memory{}
	for range min(memoryRounds, o.rounds) {
		if err := m.add(ctx, built.path("raw")); err != nil {
			return nil, err
		}
	}
	return m, m.write(w)
}

func (m *memory) add(ctx context.Context, path string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	server, err := load.Start(ctx, path, "-max", strconv.Itoa(2*huge))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	small := load.NewCalls(200, 64)
	length, err := server.Check(small)
	if err != nil {
		return err
	}
	if _, err := server.InFlight(small, 64, length, 100*time.Millisecond); err != nil {
		return err
	}
	before, err := footprintOf(server)
	if err != nil {
		return err
	}
	if _, err := server.Check(load.NewCalls(huge, 1)); err != nil {
		return err
	}
	after, err := footprintOf(server)
	m.before, m.after = append(m.before, before), append(m.after, after)
	return err
}

const mebi = 1 << 20

// footprintOf asks a server.
func footprintOf(s *load.Server) (f footprint, err error) {
	answer, err := ask(s, servers.HeapMethod)
	if err != nil {
		return f, err
	}
	var heap struct{ Bytes int64 }
	if err := json.Unmarshal(answer, &heap); err != nil {
		return f, err
	}
	if _, err = ask(s, servers.FreeMethod); err != nil {
		return f, err
	}
	resident, _ := s.Resident()
	return footprint{float64(heap.Bytes) / mebi, float64(resident) / mebi}, nil
}

// ask returns the result of a request without params.
func ask(s *load.Server, method string) ([]byte, error) {
	answer, err := s.Ask([]byte(`{"jsonrpc":"2.0","id":3,"method":"` + method + "\"}\n"))
	if err != nil {
		return nil, err
	}
	result, ok := bytes.CutPrefix(answer, []byte(`{"jsonrpc":"2.0","id":3,"result":`))
	if !ok {
		return nil, fmt.Errorf("%s: %.200q", method, answer)
	}
	return bytes.TrimSuffix(bytes.TrimSpace(result), []byte("}")), nil
}

const memoryMethod = `A server with the raw handler before and after it has echoed a call of 64 MiB: its heap in use after two
garbage collections, and its resident memory after debug.FreeOSMemory. Free pages that Go's runtime holds back for each
processor, and its books about a heap that was larger, are in the second row. Medians over %d servers, in MiB.

`

// write prints the table.
func (m *memory) write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "\n### Memory\n\n"+memoryMethod+"| what | before | after | growth | least | most |\n"+
		"| --- | --: | --: | --: | --: | --: |\n", len(m.before)); err != nil {
		return err
	}
	for _, row := range []struct {
		what string
		of   func(footprint) float64
	}{{"heap in use", heapInUse}, {"resident", residentSet}} {
		var before, after, growth []float64
		for i := range m.before {
			before, after = append(before, row.of(m.before[i])), append(after, row.of(m.after[i]))
			growth = append(growth, after[i]-before[i])
		}
		if _, err := fmt.Fprintf(w, "| %s | %.2f | %.2f | %+.2f | %+.2f | %+.2f |\n", row.what,
			report.Median(before), report.Median(after), report.Median(growth), slices.Min(growth), slices.Max(growth)); err != nil {
			return err
		}
	}
	return nil
}

// verdicts judge how much stays: the bound is in MiB, and less than nothing counts
// as next to nothing.
func (m *memory) verdicts() (all []report.Target) {
	for _, t := range []struct {
		what string
		of   func(footprint) float64
	}{{"Heap in use", heapInUse}, {"Resident memory", residentSet}} {
		if t.of(m.before[0]) > 0 {
			all = append(all, report.Target{
				What: t.what + " after a call of 64 MiB: growth", Bound: 2, Wall: max(m.growth(t.of), 0.01), Unit: " MiB", Clock: "–",
			})
		}
	}
	return all
}
