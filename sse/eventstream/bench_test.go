package eventstream_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/sse/eventstream"
)

// endless is one stream again and again.
type endless struct {
	data string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		c := copy(p[n:], e.data[e.at:])
		n, e.at = n+c, (e.at+c)%len(e.data)
	}
	return n, nil
}

// benchRow is one row of a benchmark; its body handles one event, and a test runs it
// as well.
type benchRow struct {
	name  string
	bytes int // of the event
	body  func() error
}

// benchRows parse and encode events whose data has a number of bytes: a message in
// one line as every server sends it, with an id, with line ends of two bytes; and
// text of many lines.
func benchRows() (rows []benchRow) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"200B", 200}, {"4K", 4 << 10}, {"64K", 64 << 10}} {
		add := func(shape string, bytes int, body func() error) {
			rows = append(rows, benchRow{"shape=" + shape + "/size=" + size.name + "/impl=wirespool", bytes, body})
		}
		const around = `{"jsonrpc":"2.0","method":"x"}`
		message := around[:len(around)-2] + strings.Repeat("x", size.bytes-len(around)) + `"}`
		lines := strings.Repeat(strings.Repeat("x", 49)+"\n", size.bytes/50+1)[:size.bytes-1] + "x"
		id := eventstream.Event{ID: []byte("abcdefghijklmnop.1"), Name: []byte("message"), Data: []byte(message)}
		for _, e := range []struct {
			shape string
			eventstream.Event
			crlf bool
		}{
			{"", eventstream.Event{Name: id.Name, Data: id.Data}, false},
			{"-id", id, false},
			{"-crlf", id, true},
			{"-lines", eventstream.Event{Data: []byte(lines)}, false},
		} {
			text, err := eventstream.AppendEvent(nil, e.Event)
			if err != nil {
				panic(err)
			}
			stream := string(text)
			if e.crlf {
				stream = strings.ReplaceAll(stream, "\n", "\r\n")
			}
			r := eventstream.NewReader(&endless{data: stream}, nil)
			add("parse"+e.shape, len(stream), func() error {
				got, err := r.Next()
				if err == nil && (len(got.Data) != len(e.Data) || len(got.Name) != len(e.Name) || len(got.ID) != len(e.ID)) {
					return fmt.Errorf("%d bytes of data", len(got.Data))
				}
				return err
			})
			if e.crlf {
				continue
			}
			dst := make([]byte, 0, len(text))
			add("encode"+e.shape, len(text), func() error {
				b, err := eventstream.AppendEvent(dst, e.Event)
				if err == nil && len(b) != len(text) {
					return fmt.Errorf("%d bytes", len(b))
				}
				return err
			})
		}
		dst := make([]byte, 0, 2*size.bytes)
		whole, _ := eventstream.AppendEvent(nil, eventstream.Event{Name: id.Name, Data: id.Data})
		add("encode-oneline", len(whole), func() error {
			b, err := eventstream.AppendHead(dst, "", id.Name)
			b = eventstream.AppendTail(append(b, message...))
			if err == nil && len(b) != len(whole) {
				return fmt.Errorf("%d bytes", len(b))
			}
			return err
		})
	}
	return rows
}

// BenchmarkSSE measures one event.
func BenchmarkSSE(b *testing.B) {
	for _, row := range benchRows() {
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(row.bytes))
			b.ReportAllocs()
			for b.Loop() {
				if err := row.body(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestBenchmarkRows keeps the benchmarks from rotting.
func TestBenchmarkRows(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range benchRows() {
		for range 20 {
			if err := row.body(); err != nil {
				t.Fatalf("%s: %v", row.name, err)
			}
		}
		if seen[row.name] || row.bytes == 0 {
			t.Errorf("%s: twice, or empty", row.name)
		}
		seen[row.name] = true
	}
}
