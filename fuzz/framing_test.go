package fuzz_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
)

// maxFrame is within reach of short inputs.
const maxFrame = 120

// FuzzFraming reads a stream whole and in pieces, in each framing, with frames
// that are held and that are lent: the same frames, refusals and offsets come, the decoder says of each frame what the
// model says, and what it accepts survives the way through a writer.
func FuzzFraming(f *testing.F) {
	lines := []byte("\uFEFF\n")
	for i, tt := range frames {
		if len(tt.frame) > 500 {
			continue
		}
		f.Add([]byte(tt.frame+"\r\n"+tt.frame), []byte{byte(i)}, uint8(framing.Newline))
		f.Add(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s\n", len(tt.frame), tt.frame), []byte{byte(i), 0}, uint8(framing.ContentLength))
		lines = append(append(lines, tt.frame...), '\n')
	}
	for _, mode := range []framing.Framing{framing.Newline, framing.ContentLength, framing.Detect} {
		f.Add(lines, []byte{0, 7, 40}, uint8(mode))
		for _, stream := range []string{
			"", "\n", " \r\n\t\n{}", "{}\r\r\n1", "{}\n{", "\"\u2028\u0085\"\n", "\xEF\xBB", "\uFEFF{}\r",
			"POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n{}\n[1]\n", "Content-Length: 2\r\n\r\n{}\n", "INFO: started\n{}\n",
			"content-length:4\nX: y\n\n[\r\n]Content-Length: 999\r\n\r\n{}", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n{}",
			"{\"a\":\n1}\n" + nested(60) + "\n" + nested(61) + "\r\n" + nested(200) + "\n{}\n",
		} {
			f.Add([]byte(stream), []byte{0}, uint8(mode))
			f.Add([]byte(stream), []byte{2, 255}, uint8(mode))
		}
	}
	f.Fuzz(func(t *testing.T, stream, cuts []byte, mode uint8) {
		kind := framing.Framing(mode % 3)
		whole := read(t, bytes.NewReader(stream), kind)
		if lent := lend(t, &pieces{rest: stream, cuts: cuts}, kind); !slices.Equal(whole, lent) {
			t.Fatalf("%s %q, cut %v:\n lent %+v\nwhole %+v", kind, stream, cuts, lent, whole)
		}
		pieces := read(t, &pieces{rest: stream, cuts: cuts}, kind)
		if !slices.Equal(whole, pieces) {
			t.Fatalf("%s %q, cut %v:\nin pieces %+v\n    whole %+v", kind, stream, cuts, pieces, whole)
		}
		if kind == framing.Newline {
			compareLines(t, stream, whole)
		}
		throughWriter(t, whole, kind)
	})
}

// event is what came of one call of Next.
type event struct {
	frame   string
	refusal framing.Error // Kind is 0 for a frame
	at      int64
}

// read reads all frames and holds the decoder to the model for each.
func read(t *testing.T, src io.Reader, kind framing.Framing) (events []event) {
	t.Helper()
	r := framing.NewReader(src, kind, &framing.Options{MaxFrame: maxFrame, MaxHeader: 100})
	decoder := codec.NewDecoder(nil)
	var m codec.Message
	for {
		frame, err := r.Next()
		refusal, refused := errors.AsType[*framing.Error](err)
		switch {
		case refused:
			events = append(events, event{refusal: *refusal, at: refusal.Offset})
		case err == io.EOF:
			return events
		case err != nil:
			t.Fatalf("the stream ended with %v", err)
		default:
			text := frame.Bytes()
			events = append(events, event{frame: string(text), at: frame.Offset()})
			err := decoder.Decode(text, &m)
			sameVerdict(t, text, observe(t, text, &m, err), model{defaults}.decode(text))
			frame.Release()
		}
		if len(events) > 10000 {
			t.Fatal("the stream has no end")
		}
	}
}

// lend is read for frames that are lent.
func lend(t *testing.T, src io.Reader, kind framing.Framing) (events []event) {
	t.Helper()
	r := framing.NewReader(src, kind, &framing.Options{MaxFrame: maxFrame, MaxHeader: 100})
	for {
		text, offset, err := r.Lend()
		refusal, refused := errors.AsType[*framing.Error](err)
		switch {
		case refused:
			events = append(events, event{refusal: *refusal, at: refusal.Offset})
		case err == io.EOF:
			return events
		case err != nil:
			t.Fatalf("the stream ended with %v", err)
		default:
			events = append(events, event{frame: string(text), at: offset})
		}
	}
}

// pieces is a reader that gives as many bytes at a time as cuts say, and the
// last of them together with the end.
type pieces struct{ rest, cuts []byte }

func (p *pieces) Read(to []byte) (int, error) {
	n := 1
	if len(p.cuts) > 0 {
		n += int(p.cuts[0])
		p.cuts = append(p.cuts[1:len(p.cuts):len(p.cuts)], p.cuts[0])
	}
	n = copy(to[:min(n, len(to))], p.rest)
	p.rest = p.rest[n:]
	if len(p.rest) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// compareLines wants every line that is JSON to be a frame, at its place in
// the stream and in order.
func compareLines(t *testing.T, stream []byte, events []event) {
	t.Helper()
	at := len(stream)
	stream = bytes.TrimPrefix(stream, []byte("\uFEFF"))
	at -= len(stream)
	var want []event
	for line := range bytes.SplitSeq(stream, []byte("\n")) {
		text := bytes.TrimSuffix(line, []byte("\r"))
		if len(text) <= maxFrame && acceptable(text, 512) {
			want = append(want, event{frame: string(text), at: int64(at)})
		}
		at += len(line) + 1
	}
	got := slices.DeleteFunc(slices.Clone(events), func(e event) bool {
		return e.refusal.Kind != 0 || !acceptable([]byte(e.frame), 512)
	})
	if !slices.Equal(got, want) {
		t.Fatalf("%q:\n got %+v\nwant %+v", stream, got, want)
	}
}

// throughWriter sends the messages among the frames and reads them back.
func throughWriter(t *testing.T, events []event, kind framing.Framing) {
	t.Helper()
	var out bytes.Buffer
	w := framing.NewWriter(&out, kind, nil)
	var want []string
	for _, e := range events {
		var m codec.Message
		if e.frame == "" || codec.Decode([]byte(e.frame), &m) != nil {
			continue
		}
		text, err := m.AppendText(nil)
		if err != nil {
			t.Fatalf("%q: %v", e.frame, err)
		}
		want = append(want, string(text))
		if err := w.Queue(&m); err != nil {
			t.Fatalf("%q: %v", e.frame, err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	r := framing.NewReader(&out, kind, nil)
	for _, text := range want {
		frame, err := r.Next()
		if err != nil || string(frame.Bytes()) != text {
			t.Fatalf("%s: read back %q, %v, want %q", kind, frame.Bytes(), err, text)
		}
		frame.Release()
	}
	if _, err := r.Next(); err != io.EOF {
		t.Fatalf("%s: behind the last frame: %v", kind, err)
	}
}
