package bench

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"
)

// WebConn is an HTTP/1.1 connection of a client that costs next to nothing: it
// writes requests that were prepared, and of an answer it looks for the end alone.
// It is for one goroutine.
type WebConn struct {
	conn net.Conn
	buf  []byte
	rest []byte // within buf: what came behind the last event
}

// webTimeout bounds the wait for one answer.
const webTimeout = 30 * time.Second

// DialWeb connects to a server.
func DialWeb(addr string) (*WebConn, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &WebConn{conn: conn, buf: make([]byte, 16<<10)}, nil
}

// Close closes the connection.
func (c *WebConn) Close() error { return c.conn.Close() }

// Do writes a request and returns the whole answer: borrowed until the next call.
func (c *WebConn) Do(request []byte) (WebResponse, error) {
	if _, err := c.conn.Write(request); err != nil {
		return nil, err
	}
	n, end := 0, -1
	for {
		if n == len(c.buf) {
			c.buf = append(c.buf, make([]byte, len(c.buf))...)
		}
		more, err := c.conn.Read(c.buf[n:])
		if err != nil {
			return nil, fmt.Errorf("bench: answer: %w", err)
		}
		n += more
		if end < 0 {
			if end, err = endOf(c.buf[:n]); err != nil {
				return nil, err
			}
		}
		if n == end || end == 0 && bytes.HasSuffix(c.buf[:n], lastChunk) {
			return c.buf[:n], nil
		}
	}
}

var (
	lastChunk     = []byte("\r\n0\r\n\r\n")
	blankLine     = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")
	chunked       = []byte("\r\nTransfer-Encoding: chunked")

	errForm = errors.New("bench: an answer has neither a length nor chunks")
)

// endOf returns where an answer ends: -1 when that is not known yet, 0 when the
// last chunk will tell.
func endOf(b []byte) (int, error) {
	head := bytes.Index(b, blankLine)
	if head < 0 {
		return -1, nil
	}
	if at := bytes.Index(b[:head], contentLength); at >= 0 {
		field, _, _ := bytes.Cut(b[at+len(contentLength):head+1], []byte("\r"))
		length, err := strconv.Atoi(string(field))
		return head + len(blankLine) + length, err
	}
	if bytes.Contains(b[:head], chunked) {
		return 0, nil
	}
	return -1, errForm
}

// WebResponse is an answer as it came.
type WebResponse []byte

// Status returns the status.
func (r WebResponse) Status() int {
	status, _ := strconv.Atoi(string(r[len("HTTP/1.1 "):][:3])) // endOf has seen a head
	return status
}

// Header returns the value of a header, as a server of Go spells its name.
func (r WebResponse) Header(name string) string {
	_, rest, _ := bytes.Cut(r, []byte("\r\n"+name+": "))
	value, _, _ := bytes.Cut(rest, []byte("\r\n"))
	return string(value)
}

// JSON returns the message in an answer, be it the body or the data of the last
// event in it. Chunks must not end within it.
func (r WebResponse) JSON() []byte {
	_, body, _ := bytes.Cut(r, blankLine)
	if at := bytes.LastIndex(body, []byte("data: {")); at >= 0 {
		body = body[at+len("data: "):]
	} else if at := bytes.IndexByte(body, '{'); at >= 0 {
		body = body[at:]
	}
	line, _, _ := bytes.Cut(body, []byte("\n"))
	return bytes.TrimRight(line, "\r")
}

// Open writes a request whose answer is an event stream, and returns when its
// headers are there.
func (c *WebConn) Open(request []byte) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	if err := c.conn.SetReadDeadline(time.Now().Add(webTimeout)); err != nil {
		return err
	}
	n, err := c.conn.Read(c.buf)
	if err != nil {
		return err
	}
	if r := WebResponse(c.buf[:n]); !bytes.HasPrefix(r, []byte("HTTP/1.1 200")) {
		return fmt.Errorf("bench: stream refused: %.200q", r)
	}
	return nil
}

// Await reads a stream until it has brought so many more events.
func (c *WebConn) Await(events int) error {
	if err := c.conn.SetReadDeadline(time.Now().Add(webTimeout)); err != nil {
		return err
	}
	// An event is known by its first bytes, which no chunk divides.
	data := eventData
	kept := 0
	for events > 0 {
		n, err := c.conn.Read(c.buf[kept:])
		if err != nil {
			return fmt.Errorf("bench: %d events have not come: %w", events, err)
		}
		seen := c.buf[:kept+n]
		events -= bytes.Count(seen, data)
		// What may be the begin of another is looked at again, with what follows.
		last := max(bytes.LastIndex(seen, data)+1, len(seen)-len(data)+1, 0)
		kept = copy(c.buf, seen[last:])
	}
	return nil
}

// Event reads a stream up to the end of its next event, and returns the message in
// it: borrowed until the next call. It is not for a stream that is read by Await.
func (c *WebConn) Event() ([]byte, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(webTimeout)); err != nil {
		return nil, err
	}
	n := copy(c.buf, c.rest)
	c.rest = nil
	for {
		// No chunk divides the data of an event.
		if at := bytes.Index(c.buf[:n], eventData); at >= 0 {
			data := c.buf[at+len(eventData)-1 : n]
			if message, rest, whole := bytes.Cut(data, eventEnd); whole {
				c.rest = rest
				message, _, _ = bytes.Cut(message, eventEnd[:1]) // fields may follow
				return message, nil
			}
		}
		if n == len(c.buf) {
			c.buf = append(c.buf, make([]byte, len(c.buf))...)
		}
		more, err := c.conn.Read(c.buf[n:])
		if err != nil {
			return nil, fmt.Errorf("bench: no event has come: %w", err)
		}
		n += more
	}
}

// An event with a message is known by these.
var (
	eventData = []byte("data: {")
	eventEnd  = []byte("\n\n")
)
