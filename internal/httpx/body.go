package httpx

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/internal/buf"
)

// Bodies reads request bodies within limits. Zero fields mean the defaults, a
// negative one no limit.
type Bodies struct {
	Max     int           // bytes of one body
	Reading int           // bytes of all bodies that are being read
	Timeout time.Duration // for one body, from its first read

	reading atomic.Int64
}

// Read reads the whole body of r into pooled memory, which is then the caller's.
// It refuses one that is too long with 413, one that takes too long with 408,
// one that breaks off with 400, and one for which there is no room with 503.
func (b *Bodies) Read(w http.ResponseWriter, r *http.Request) (buf.Buffer, *Refusal) {
	limit := Limit(b.Max, DefaultMaxBody, 1<<31-2) // one more is still an int everywhere
	if r.ContentLength > int64(limit) {
		return buf.Buffer{}, b.tooLong(limit, r)
	}
	if timeout := Limit(b.Timeout, DefaultReadTimeout, 0); timeout > 0 {
		rc := http.NewResponseController(w)
		_ = rc.SetReadDeadline(time.Now().Add(timeout)) // an odd writer has none
		if r.ProtoMajor > 1 {                           // HTTP/1 clears it itself when it has seen the end
			defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
		}
	}
	out := buf.Get(buf.Body)
	refusal := b.fill(&out, r, limit)
	if refusal != nil {
		out.Put()
		return buf.Buffer{}, refusal
	}
	return out, nil
}

// fill reads until the end of the body.
func (b *Bodies) fill(out *buf.Buffer, r *http.Request, limit int) *Refusal {
	// One byte more than announced at least, so that the end is seen without
	// growing, and a size that the pool takes back.
	first := 512
	if r.ContentLength > 0 {
		first = 1 << bits.Len(uint(min(r.ContentLength, unseenLength)))
	}
	if cap(out.B) < first {
		out.B = make([]byte, 0, first)
	}
	held := int64(cap(out.B))
	all := b.reading.Add(held)
	defer func() { b.reading.Add(-held) }()
	budget := int64(Limit(b.Reading, DefaultMaxReading, math.MaxInt))
	for {
		if all > budget {
			return Busy(http.StatusServiceUnavailable, fmt.Sprintf("busy: the limit of %d bytes in bodies being read is reached", budget), time.Second).closing(r)
		}
		n, err := r.Body.Read(out.B[len(out.B):cap(out.B)])
		out.B = out.B[:len(out.B)+n]
		switch {
		case len(out.B) > limit:
			return b.tooLong(limit, r)
		case err == io.EOF:
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return Refuse(http.StatusRequestTimeout, "the body took longer than the limit of "+Limit(b.Timeout, DefaultReadTimeout, 0).String()).closing(r)
		case err != nil:
			if _, ok := errors.AsType[*http.MaxBytesError](err); ok { // somebody around us bounds it too
				return b.tooLong(limit, r)
			}
			return Refuse(http.StatusBadRequest, "the body broke off").closing(r)
		}
		if len(out.B) == cap(out.B) {
			more := min(2*cap(out.B), limit+1)
			if announced := r.ContentLength + 1; announced > int64(cap(out.B)) && announced/believed <= int64(cap(out.B)) {
				more = int(min(announced, int64(limit)+1)) // and a body that fits the pool stays fit for it
			}
			grown := append(make([]byte, 0, more), out.B...)
			out.B = grown // the smaller one is left to the collector
			all = b.reading.Add(int64(more) - held)
			held = int64(more)
		}
	}
}

func (b *Bodies) tooLong(limit int, r *http.Request) *Refusal {
	return Refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than the limit of %d bytes", limit)).closing(r)
}

// closing has the connection ended after the refusal, where that concerns no
// other request.
func (r *Refusal) closing(of *http.Request) *Refusal {
	r.Close = of.ProtoMajor == 1
	return r
}
