package limits

import (
	"bufio"
	"errors"
	"io"
)

// Pipe writes every line of r back to w unread, until r ends (limit-pipe). One
// goroutine, 64 KiB of buffer each way; w is written to when r has nothing more
// at hand, so that a peer that waits for its answer gets it. A last line without
// line feed is returned as it is.
func Pipe(r io.Reader, w io.Writer) error {
	in, out := bufio.NewReaderSize(r, bufferSize), bufio.NewWriterSize(w, bufferSize)
	for {
		line, err := in.ReadSlice('\n') // a piece of one where the buffer is too small
		if _, err := out.Write(line); err != nil {
			return err
		}
		if err == io.EOF {
			return out.Flush()
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return errors.Join(err, out.Flush())
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}
