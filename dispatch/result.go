package dispatch

import (
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/transport"
)

// Result is the answer to a call of ours. It borrows the frame that the answer
// came in until Release; forgetting that costs memory until the collector runs,
// nothing else.
type Result struct {
	answer *answer // nil once released
	life   uint64  // of answer, while it is this Result's
}

// answer is what a Result refers to. It is used again for others after Release,
// which ends one life of it: a copy of the Result that is released too, or asked
// later, has nothing to do with the next.
type answer struct {
	in   transport.Inbound
	life atomic.Uint64
}

var answerPool = sync.Pool{New: func() any { return new(answer) }}

// getAnswer returns what holds the message that was in in.
func getAnswer(in *transport.Inbound) *answer {
	a := answerPool.Get().(*answer)
	in.MoveTo(&a.in)
	return a
}

func (a *answer) result() *Result { return &Result{a, a.life.Load()} }

// held returns the message, nil after Release.
func (r *Result) held() *transport.Inbound {
	if r.answer == nil || r.answer.life.Load() != r.life {
		return nil
	}
	return &r.answer.in
}

// Value returns the raw result: borrowed until Release.
func (r *Result) Value() codec.Value {
	if in := r.held(); in != nil {
		return in.Result
	}
	return nil
}

// Fact returns what the codec noted of the result: borrowed until Release.
func (r *Result) Fact(f codec.Fact) codec.Value {
	if in := r.held(); in != nil {
		return in.Fact(f)
	}
	return nil
}

// Release gives the frame back. A second Release does nothing.
func (r *Result) Release() {
	a := r.answer
	if r.answer = nil; a != nil && a.life.CompareAndSwap(r.life, r.life+1) {
		a.in.Release()
		answerPool.Put(a)
	}
}

// Detach copies the result out of its frame and releases that.
func (r *Result) Detach() {
	if in := r.held(); in != nil {
		in.Detach()
	}
}
