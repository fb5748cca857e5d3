package bench

import (
	"net"
	"testing"
)

// TestEvent reads events as servers write them, each chunk in bytes that come one by
// one, and all at once.
func TestEvent(t *testing.T) {
	const stream = "4\r\n: \n\n\r\n" + // a comment
		"1c\r\nevent: message\ndata: {\"n\":1}\n\n\r\n" +
		"13\r\ndata: {\"n\":2}\nid: 7\n\n\r\n" + "e\r\ndata: {\"n\":3}\n\n\r\n"
	for name, size := range map[string]int{"byte by byte": 1, "at once": len(stream)} {
		t.Run(name, func(t *testing.T) {
			near, far := net.Pipe()
			c := &WebConn{conn: near, buf: make([]byte, 8)}
			go func() {
				for at := 0; at < len(stream); at += size {
					_, _ = far.Write([]byte(stream[at:min(at+size, len(stream))]))
				}
			}()
			for _, want := range []string{`{"n":1}`, `{"n":2}`, `{"n":3}`} {
				if got, err := c.Event(); err != nil || string(got) != want {
					t.Errorf("%q, %v, want %q", got, err, want)
				}
			}
			_ = far.Close() // not before: no deadline can be set on a pipe that is closed at the other end
			if got, err := c.Event(); err == nil {
				t.Errorf("behind the end: %q", got)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
