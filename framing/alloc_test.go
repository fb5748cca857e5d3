//go:build !race

package framing_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/alloctest"
)

// A frame in steady state costs no allocation, read or written. Headers that
// are off the short way must not either.
func TestFramesCostNoAllocation(t *testing.T) {
	chatty := []byte("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: 2\r\n\r\n{}")
	streams := map[string]struct {
		framing framing.Framing
		data    []byte
	}{
		"lines 120":        {framing.Newline, benchStream(framing.Newline, 120)},
		"lines 50000":      {framing.Newline, benchStream(framing.Newline, 50_000)},
		"lines 70000":      {framing.Newline, benchStream(framing.Newline, 70_000)},
		"lines 400000":     {framing.Newline, benchStream(framing.Newline, 400_000)},
		"lines 1050000":    {framing.Newline, benchStream(framing.Newline, 1_050_000)},
		"lines with CR":    {framing.Newline, []byte("{}\r\n\r\n")},
		"counted 120":      {framing.ContentLength, benchStream(framing.ContentLength, 120)},
		"counted 70000":    {framing.ContentLength, benchStream(framing.ContentLength, 70_000)},
		"counted 400000":   {framing.ContentLength, benchStream(framing.ContentLength, 400_000)},
		"counted 1050000":  {framing.ContentLength, benchStream(framing.ContentLength, 1_050_000)},
		"counted, chatty":  {framing.ContentLength, chatty},
		"detected 120":     {framing.Detect, benchStream(framing.ContentLength, 120)},
		"lines, with More": {framing.Newline, benchStream(framing.Newline, 120)},
	}
	for name, s := range streams {
		r := framing.NewReader(&endless{data: s.data}, s.framing, nil)
		var failed error
		allocs := alloctest.Least(0, 100, func() {
			for range 20 {
				f, err := r.Next()
				if err != nil {
					failed = err
				}
				f.Release()
				if name == "lines, with More" {
					r.More()
				}
			}
		})
		if allocs != 0 || failed != nil {
			t.Errorf("%s: %v allocations for 20 frames, %v", name, allocs, failed)
		}
	}
}

func TestWritingCostsNoAllocation(t *testing.T) {
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		for _, size := range []int{120, 5000, 100_000} {
			msg := benchMessage(size)
			for name, write := range writeLoops(f, msg) {
				var failed error
				run := func() {
					for range 32 {
						if err := write(); err != nil {
							failed = err
						}
					}
				}
				run()
				if allocs := alloctest.Least(0, 50, run); allocs != 0 || failed != nil {
					t.Errorf("%s: %v allocations for 32 frames, %v", fmt.Sprint(f, " ", size, " ", name), allocs, failed)
				}
			}
			w := framing.NewWriter(io.Discard, f, nil)
			var failed error
			allocs := alloctest.Least(0, 50, func() {
				if err := w.QueueBytes(msg); err != nil {
					failed = err
				}
				if err := w.Flush(); err != nil {
					failed = err
				}
				if err := w.SendBytes(b0, msg); err != nil {
					failed = err
				}
			})
			if allocs != 0 || failed != nil {
				t.Errorf("%v %d QueueBytes: %v allocations, %v", f, size, allocs, failed)
			}
		}
	}
}
