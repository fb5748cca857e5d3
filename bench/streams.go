package bench

import "strconv"

// Lines returns a stream of n tools/call requests of size bytes each, one per
// line.
func Lines(n, size int) []byte {
	b := make([]byte, 0, n*(size+1))
	for i := range n {
		b = append(b, Call(strconv.Itoa(1000+i), size)...)
		b = append(b, '\n')
	}
	return b
}

// Headed returns the same requests, each behind a Content-Length header block.
func Headed(n, size int) []byte {
	header := "Content-Length: " + strconv.Itoa(size) + "\r\n\r\n"
	b := make([]byte, 0, n*(size+len(header)))
	for i := range n {
		b = append(b, header...)
		b = append(b, Call(strconv.Itoa(1000+i), size)...)
	}
	return b
}

// Events returns a stream of n server-sent events with such requests as their
// data.
func Events(n, size int) []byte {
	b := make([]byte, 0, n*(size+len(EventHead)+2))
	for i := range n {
		b = append(b, EventHead...)
		b = append(b, Call(strconv.Itoa(1000+i), size)...)
		b = append(b, "\n\n"...)
	}
	return b
}

// EventHead begins each event of [Events].
const EventHead = "event: message\ndata: "
