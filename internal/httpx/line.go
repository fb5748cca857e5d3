package httpx

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/protocol"
)

// line is the connection of an HTTP/1.1 response that was taken from net/http: no
// goroutine of a request and no buffers of a server stay behind it.
type line struct {
	net.Conn
	raw  syscall.RawConn // nil where every write may block
	head []byte          // until it is written

	// Of try, whose only user writes: fields, so that it allocates nothing.
	attempt func(fd uintptr) bool
	text    []byte
	n       int
	err     error
}

// TakeStream is NewStream on the connection itself, for a response to a GET that
// goes on for long: whoever queues an event writes it, as long as the connection
// takes it at once, and [Stream.Attend] is on a goroutine that may be any. It
// returns nil, and has done nothing, where the connection cannot be had: in HTTP/2
// and over TLS, and where the writer is not that of net/http. Once it returned a
// Stream, w and r must not be used any more.
func TakeStream(w http.ResponseWriter, r *http.Request, o *StreamOptions, onEnd func(error)) *Stream {
	if r.ProtoMajor != 1 || r.ProtoMinor < 1 || r.TLS != nil || r.ContentLength != 0 {
		return nil
	}
	conn, in, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil
	}
	s := &Stream{o: o, line: newLine(conn), onEnd: onEnd}
	if in.Reader.Buffered() > 0 { // the next request, which nobody will answer
		s.End()
	}
	h := w.Header()
	eventHeaders(h)
	h["Date"] = []string{time.Now().UTC().Format(http.TimeFormat)}
	h["Transfer-Encoding"] = []string{"chunked"}
	h["Connection"] = []string{"close"}
	var head bytes.Buffer
	head.WriteString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(&head) // memory takes everything
	head.WriteString("\r\n")
	s.line.head, s.writing = head.Bytes(), true // until Attend has written it
	return s
}

func newLine(conn net.Conn) *line {
	l := &line{Conn: conn}
	if c, ok := conn.(syscall.Conn); ok {
		l.raw, _ = c.SyscallConn() // nil with an error
	}
	l.attempt = func(fd uintptr) bool {
		l.n, l.err = writeNow(fd, l.text)
		return true
	}
	return l
}

// try writes as much of b as the connection takes at once.
func (l *line) try(b []byte) (n int, err error) {
	if l.raw == nil {
		return 0, nil
	}
	l.text = b
	err = l.raw.Write(l.attempt)
	l.text = nil
	if err == nil {
		err = l.err
	}
	return max(0, l.n), err
}

// chunkHead has room for the length of a chunk, and lastChunk ends a body of them.
const (
	chunkHead = "00000000\r\n"
	lastChunk = "0\r\n\r\n"
)

// chunk completes a chunk that begins with chunkHead.
func chunk(b []byte) []byte {
	const digits = "0123456789abcdef"
	n := len(b) - len(chunkHead)
	for i := len(chunkHead) - 3; n > 0; i-- {
		b[i] = digits[n&15]
		n >>= 4
	}
	return append(b, "\r\n"...)
}

// eventHeaders sets what every event stream carries.
func eventHeaders(h http.Header) {
	h[protocol.HeaderContentType] = typeEventStream
	h["Cache-Control"] = noCache
	h[protocol.HeaderXAccelBuffering] = noBuffering
	h["X-Content-Type-Options"] = noSniff
}

// Direct reports whether the stream has its connection for itself, so that it is
// to be flushed by whoever queues.
func (s *Stream) Direct() bool { return s.line != nil }

// Attend waits until the client leaves or the stream ends, writes what is left,
// and closes the connection. Before that the head of the response goes out, and
// nothing else does until then. It is for a stream of TakeStream, and called once.
// The error is nil after End.
func (s *Stream) Attend() error {
	s.KeepAlive()
	_ = s.Comment() // a failure ends the stream, here as below
	head := s.line.head
	s.line.head = nil
	s.writeOn(bufferRest{Buffer: buf.Buffer{B: head}})
	_, err := s.line.Read(make([]byte, 1)) // nothing may come; End and stop interrupt it
	if err == nil {
		err = errTalks
	}
	s.mu.Lock()
	if s.ended == nil {
		s.stop(fmt.Errorf("%w: %w", net.ErrClosed, err))
	}
	ended := s.ended
	s.mu.Unlock()
	err = s.Finish()
	if err == nil && ended == ErrEnded {
		s.deadline()
		_, err = s.line.Write([]byte(lastChunk))
	} else if err == nil {
		err = ended
	}
	_ = s.line.Close() // all was said
	return err
}

var errTalks = fmt.Errorf("the client sent something on the connection of its stream")

// writeOn writes the rest of b, which the connection did not take at once, and
// what was queued meanwhile.
func (s *Stream) writeOn(b bufferRest) {
	s.mu.Lock()
	if s.failed == nil {
		s.deadline()
	}
	s.mu.Unlock()
	_, err := s.line.Write(b.B[b.from:])
	_ = s.line.SetWriteDeadline(time.Time{}) // the next write tells
	b.Put()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wroteOne(err)
	_ = s.writeQueue() // reported by whoever queues next
}
