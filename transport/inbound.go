package transport

import (
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/buf"
)

// Inbound is a message that came in, and what belongs to it besides its text.
// It is a value that the reader owns and reuses; its message borrows the frame.
type Inbound struct {
	codec.Message

	// Scope is the name space of the message's id, and of the ids it names.
	Scope Scope
	// Via is the way back; never nil after Read.
	Via Exchange
	// Err says why Kind is Invalid: a *framing.Error or a *codec.DecodeError
	// for input that was refused, any other error when Failed is set.
	Err error
	// Failed marks a message that no peer sent: the request with this ID was
	// taken over by Send and failed later, for the reason in Err.
	Failed bool
	// Bytes is the length of the frame.
	Bytes int

	frame framing.Frame
	held  bool       // frame is not released yet
	body  buf.Buffer // of a message that came as a body of its own
}

// SetFrame hands the frame that the message borrows to the Inbound, which
// releases it in time, and a frame that it held before at once. Nothing but
// Bytes changes otherwise.
func (in *Inbound) SetFrame(f framing.Frame) {
	in.drop()
	in.frame, in.held = f, true
	in.Bytes = len(f.Bytes())
}

// SetBody is SetFrame for a message that came by itself, in pooled memory: b is
// transferred.
func (in *Inbound) SetBody(b buf.Buffer) {
	in.drop()
	in.body = b
	in.Bytes = len(b.B)
}

// Raw returns what the message was read from, also where it is none: borrowed
// until Release or Detach. It is nil where nothing came, and for an element of an
// array.
func (in *Inbound) Raw() []byte {
	if in.held {
		return in.frame.Bytes()
	}
	return in.body.B
}

// Release gives the frame back and clears the message, whose views would
// dangle, and all that came with it. Releasing twice does nothing.
func (in *Inbound) Release() {
	in.drop()
	in.Message.Reset()
	in.Scope, in.Via = 0, nil
	in.Err, in.Failed, in.Bytes = nil, false, 0
}

// Detach copies the message out of its frame and gives the frame back: the
// message is then free to be kept.
func (in *Inbound) Detach() {
	in.Message.Detach()
	in.drop()
}

func (in *Inbound) drop() {
	if in.held {
		in.held = false
		in.frame.Release()
		in.frame = framing.Frame{}
	}
	if in.body.B != nil {
		in.body.Put()
		in.body = buf.Buffer{}
	}
}

// MoveTo hands everything in holds to dst, whose own contents are released
// first. in is empty afterwards.
func (in *Inbound) MoveTo(dst *Inbound) {
	dst.Release()
	*dst = *in
	*in = Inbound{}
}
