package dispatch

import (
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/transport"
)

// worker is the scratch of one goroutine that reads or runs handlers. Nothing
// of it ever reaches a user but views that are borrowed until a handler
// returns.
type worker struct {
	in    transport.Inbound // what the reader reads into
	out   codec.Message     // what is sent next
	note  Notification
	reply buf.Buffer // what a handler appends to, or params with metadata added

	// Of a reader; see role.go.
	reads  bool   // it has, or had, the reader role
	more   bool   // another complete frame is buffered behind in
	placed bool   // it runs a handler, and has a place for that
	role   uint64 // the peer's role word while the role is not offered
	turn   uint64 // the role word that offered it; 0 while it is not

	method []byte   // memory of out.Method
	id     [20]byte // memory of out.ID
	result []byte   // memory of out.Result, if the handler's is not enough
	meta   []byte   // memory of what is added to the _meta of params
}

// outgoing makes w.out a message of ours; params are borrowed until it is sent.
func (w *worker) outgoing(kind codec.Kind, method string, params []byte) *codec.Message {
	w.method = append(w.method[:0], method...)
	w.out.Kind, w.out.Method, w.out.Params = kind, w.method, params
	return &w.out
}

var workers = sync.Pool{New: func() any { return new(worker) }}

func getWorker() *worker {
	w := workers.Get().(*worker)
	w.reply = buf.Get(buf.Reply)
	return w
}

// grow makes room for results as long as the last one. The handler's own slice
// is never taken over: it may be one that the handler still uses.
func (w *worker) grow(n int) {
	switch {
	case n > buf.MaxPooled:
		w.reply.Put()
		w.reply = buf.Get(buf.Reply)
	case n > cap(w.reply.B):
		w.reply.B = make([]byte, 0, min(n+n/4, buf.MaxPooled))
	}
}

func (w *worker) put() {
	w.in.Release()
	w.out = codec.Message{}
	w.note = Notification{}
	w.reads, w.more, w.placed, w.role, w.turn = false, false, false, 0, 0
	w.reply.Put()
	workers.Put(w)
}

// inbounds holds the Inbounds of messages that outlive their reader's next
// Read: queued requests, notifications and batches.
var inbounds = sync.Pool{New: func() any { return new(transport.Inbound) }}

func getInbound() *transport.Inbound { return inbounds.Get().(*transport.Inbound) }

// keep prepares a message for a wait: a small one is copied out of its block,
// which it would otherwise keep from use at many times its own size.
func keep(in *transport.Inbound) {
	if in.Bytes < keepInBlock {
		in.Detach()
	}
}

func putInbound(in *transport.Inbound) {
	in.Release()
	inbounds.Put(in)
}
