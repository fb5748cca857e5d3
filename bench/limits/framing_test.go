package limits_test

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wirespool/wirespool/bench/limits"
)

// frames are what both framings are given to carry: some shorter, some longer
// than every buffer, and an empty one.
func frames() []string {
	return []string{"one", "", strings.Repeat("two", 30<<10), "three", strings.Repeat("4", 300<<10), "five"}
}

// all returns every frame that next has and the error at the end.
func all(next func() ([]byte, error)) (got []string, err error) {
	for {
		f, err := next()
		if err != nil {
			return got, err
		}
		got = append(got, string(f))
	}
}

// readers cut a stream into reads of several kinds.
var readers = map[string]func(io.Reader) io.Reader{
	"whole":       func(r io.Reader) io.Reader { return r },
	"half":        iotest.HalfReader,
	"byte":        iotest.OneByteReader,
	"error early": iotest.DataErrReader,
}

func TestLines(t *testing.T) {
	want := frames()
	for _, tail := range []string{"\n", ""} {
		for name, cut := range readers {
			stream := strings.Join(want, "\n") + tail
			l := limits.NewLines(cut(strings.NewReader(stream)))
			if got, err := all(l.Next); err != io.EOF || !slices.Equal(got, want) {
				t.Errorf("%s, tail %q: got %d lines and %v, want %d and EOF", name, tail, len(got), err, len(want))
			}
		}
	}
}

func TestLinesBuffered(t *testing.T) {
	l := limits.NewLines(strings.NewReader("a\nbcd\n"))
	if _, err := l.Next(); err != nil || l.Buffered() != 4 {
		t.Errorf("%d bytes buffered and %v, want 4 and nil", l.Buffered(), err)
	}
}

func TestHeaders(t *testing.T) {
	var b strings.Builder
	want := frames()
	for i, f := range want {
		b.WriteString("Content-Length: " + strconv.Itoa(len(f)) + "\r\n")
		if i == 3 {
			b.WriteString("Content-Type: application/json\r\n")
		}
		b.WriteString("\r\n" + f)
	}
	for name, cut := range readers {
		h := limits.NewHeaders(cut(strings.NewReader(b.String())))
		if got, err := all(h.Next); err != io.EOF || !slices.Equal(got, want) {
			t.Errorf("%s: got %d bodies and %v, want %d and EOF", name, len(got), err, len(want))
		}
	}
}

func TestHeadersRefused(t *testing.T) {
	for stream, want := range map[string]error{
		"Content-Len":                    io.ErrUnexpectedEOF,
		"Content-Length: 3\r\n":          io.ErrUnexpectedEOF,
		"Content-Length: 3\r\n\r\nab":    io.ErrUnexpectedEOF,
		"Content-Length: 3\r\n\r\n":      io.ErrUnexpectedEOF,
		"Content-Length: -3\r\n\r\nabc":  limits.ErrHeader,
		"Content-Length: ten\r\n\r\nabc": limits.ErrHeader,
		"Content-Type: text\r\n\r\nabc":  limits.ErrHeader,
		"":                               io.EOF,
	} {
		if _, err := all(limits.NewHeaders(strings.NewReader(stream)).Next); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", stream, err, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	broken := errors.New("broken")
	reader := func() io.Reader {
		return io.MultiReader(strings.NewReader("Content-Length: 9\r\n"), iotest.ErrReader(broken))
	}
	lines, err := all(limits.NewLines(reader()).Next)
	if len(lines) != 1 || err != broken {
		t.Errorf("Lines: %q and %v", lines, err)
	}
	if _, err := all(limits.NewHeaders(reader()).Next); err != broken {
		t.Errorf("Headers: %v", err)
	}
}

func TestBytes(t *testing.T) {
	text := []byte("héllo")
	dst := make([]byte, 16)
	if n := limits.Copy(dst, text); string(dst[:n]) != "héllo" {
		t.Errorf("copied %q", dst[:n])
	}
	if got := limits.Append([]byte("a"), text); string(got) != "ahéllo" {
		t.Errorf("appended %q", got)
	}
	if !limits.UTF8(text) || limits.UTF8(text[:2]) {
		t.Error("UTF8 misjudges a cut character")
	}
}

func TestEvents(t *testing.T) {
	want := frames()
	var b strings.Builder
	for _, f := range want {
		b.WriteString("event: message\ndata: " + f + "\n\n")
	}
	for name, cut := range readers {
		e := limits.NewEvents(cut(strings.NewReader(b.String()+"data: cut off")), 400<<10)
		if got, err := all(e.Next); err != io.EOF || !slices.Equal(got, want) {
			t.Errorf("%s: got %d events and %v, want %d and EOF", name, len(got), err, len(want))
		}
	}
	if _, err := all(limits.NewEvents(strings.NewReader(b.String()), 100).Next); err != bufio.ErrBufferFull {
		t.Errorf("a line that is too long: %v", err)
	}
}
