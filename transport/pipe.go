package transport

import (
	"net"

	"github.com/wirespool/wirespool/framing"
)

// Pipe returns two connections that are joined in memory, for tests and for a
// client and a server in one process. Messages travel as newline frames, so
// that both ends run the code a real stream runs; a write waits until the other
// end reads. It works within a synctest bubble. opts may be nil.
func Pipe(opts *StreamOptions) (Conn, Conn) {
	a, b := net.Pipe()
	return Stream(a, framing.Newline, opts), Stream(b, framing.Newline, opts)
}
