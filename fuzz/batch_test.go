package fuzz_test

import (
	"bytes"
	"testing"

	"github.com/wirespool/wirespool/codec"
)

// FuzzBatch makes a batch of the lines that are JSON and decodes each line
// alone: the verdict is the same but for the offset of a refusal.
func FuzzBatch(f *testing.F) {
	all := []byte{}
	for _, tt := range frames {
		if len(tt.frame) < 500 {
			f.Add([]byte(tt.frame), false)
			all = append(append(all, tt.frame...), '\n')
		}
	}
	f.Add(all, false)
	f.Add(all, true)
	f.Add([]byte("1\n[]\n\"a\"\n{}\n{\"id\":1,\"id\":2}"), true)
	f.Fuzz(func(t *testing.T, lines []byte, spaced bool) {
		comma := ","
		if spaced {
			comma = " \r\n,\t"
		}
		var calls, others, mixed [][]byte
		for line := range bytes.SplitSeq(lines, []byte("\n")) {
			if !acceptable(line, 100) || len(mixed) == 100 {
				continue
			}
			mixed = append(mixed, line)
			if call, answer := role(bytes.Trim(line, white)); !call {
				others = append(others, line)
			} else if !answer {
				calls = append(calls, line)
			}
		}
		compareBatch(t, mixed, comma)
		compareBatch(t, calls, comma)
		compareBatch(t, others, comma)
	})
}

// compareBatch decodes the elements together and each alone.
func compareBatch(t *testing.T, elements [][]byte, comma string) {
	t.Helper()
	frame := []byte("[")
	var starts []int
	var calls, answers bool
	for i, element := range elements {
		if i > 0 {
			frame = append(frame, comma...)
		}
		starts = append(starts, len(frame))
		frame = append(frame, element...)
		call, answer := role(bytes.Trim(element, white))
		calls, answers = calls || call, answers || answer
	}
	frame = append(frame, ']')

	var batch codec.Message
	err := codec.Decode(frame, &batch)
	if len(elements) == 0 || calls && answers {
		if code(t, frame, err) != invalidRequest || batch.Len() != 0 {
			t.Fatalf("%q: %d elements, error %v", frame, batch.Len(), err)
		}
		return
	}
	if err != nil || batch.Len() != len(elements) {
		t.Fatalf("%q: %d elements, error %v, want %d", frame, batch.Len(), err, len(elements))
	}
	for i := range elements {
		var together, alone codec.Message
		err := batch.Element(i, &together)
		aloneErr := codec.Decode(elements[i], &alone)
		got, want := observe(t, frame, &together, err), observe(t, elements[i], &alone, aloneErr)
		if at := bytes.IndexByte(elements[i], '['); at >= 0 && len(bytes.Trim(elements[i][:at], white)) == 0 {
			// An array in an array is nothing.
			aloneErr, want = &codec.DecodeError{Code: invalidRequest, Offset: at}, refused(invalidRequest)
		}
		sameVerdict(t, frame, got, want)
		if err != nil {
			if at := err.(*codec.DecodeError).Offset; at != starts[i]+aloneErr.(*codec.DecodeError).Offset {
				t.Fatalf("element %d of %q: %v, alone %v", i, frame, err, aloneErr)
			}
		}
		together.Detach()
		sameVerdict(t, frame, observe(t, nil, &together, err), want)
	}
}
