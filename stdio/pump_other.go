//go:build darwin || windows

package stdio

import (
	"io"
	"os"
)

// pump reads a file in a goroutine of its own, so that a Read can be ended while
// the file's is stuck in the kernel. The goroutine and the file last until that
// returns.
type pump struct {
	out    *io.PipeReader
	cancel func() // tries to end a read that is stuck; may be nil
}

const pumpBuffer = 64 << 10

func newPump(src *os.File, cancel func()) *pump {
	out, in := io.Pipe()
	go func() {
		defer src.Close()
		buf := make([]byte, pumpBuffer)
		for {
			n, err := src.Read(buf)
			if n > 0 {
				if _, stopped := in.Write(buf[:n]); stopped != nil {
					return
				}
			}
			if err != nil {
				_ = in.CloseWithError(err) // always nil
				return
			}
		}
	}()
	return &pump{out, cancel}
}

func (p *pump) Read(b []byte) (int, error) { return p.out.Read(b) }

// stop ends a Read at once, and every later one.
func (p *pump) stop() {
	_ = p.out.CloseWithError(os.ErrClosed) // always nil
	if p.cancel != nil {
		p.cancel()
	}
}
