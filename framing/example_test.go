package framing_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/wirespool/wirespool/framing"
)

// message is anything that can append itself: the codec's messages can.
type message string

func (m message) AppendText(dst []byte) ([]byte, error) { return append(dst, m...), nil }

// An echo over newline framing: every burst of messages is answered with one
// write, and what is wrong with the stream is reported without ending it.
func Example() {
	in := strings.NewReader("{\"id\":1}\r\n\n{\"id\":2}\nPOST /mcp HTTP/1.1\nHost: localhost\n\n{\"id\":3}")
	r := framing.NewReader(in, framing.Newline, nil)
	w := framing.NewWriterFor(r, os.Stdout, nil)
	for {
		frame, err := r.Next()
		if framing.Recoverable(err) {
			fmt.Println(err)
			continue
		}
		if err != nil {
			fmt.Println("end:", err)
			return
		}
		err = w.Queue(message(frame.Bytes())) // copied, so the frame may go
		frame.Release()
		if err == nil && !r.More() {
			err = w.Flush()
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// framing: offset 20: the peer speaks HTTP, not newline framing
	// {"id":1}
	// {"id":2}
	// {"id":3}
	// end: EOF
}

// Content-Length framing, as language servers have it.
func ExampleNewReader() {
	r := framing.NewReader(strings.NewReader("Content-Length: 8\r\n\r\n{\"id\":1}"), framing.ContentLength, nil)
	for {
		frame, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(frame.Bytes()))
		frame.Release() // its memory is read into again
	}
	// Output: {"id":1}
}
