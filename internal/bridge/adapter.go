package bridge

import (
	"sync/atomic"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// adapter stands between two eras. Its methods are called as messages pass, in
// their order on each side; those that return false have dealt with the message
// themselves.
type adapter interface {
	// about returns what is to be kept of a call that is in no table yet.
	about(c *call, in *transport.Inbound) *between
	// request makes a request of the front one for the back. The call is in the
	// table. in.ID is the link's to set.
	request(c *call, in *transport.Inbound) bool
	// notification does so for a notification.
	notification(in *transport.Inbound) bool
	// cancelled reports whether the back has to be told that the front cancelled
	// a call, which is in the table no more.
	cancelled(c *call) bool

	// answer makes the answer to a call one for the front. The call is in the
	// table no more. in.ID is the link's to set.
	answer(c *call, in *transport.Inbound) bool
	// asked takes a request of the back, which is in no table yet.
	asked(a *ask, in *transport.Inbound) bool
	// withdrawn reports whether the front has to be told that the back no longer
	// wants an answer, which the table does not expect any more.
	withdrawn(a *ask) bool
	// told takes a notification of the back; of is the subscription that it is
	// for, if it says so.
	told(in *transport.Inbound, of *call) bool

	// lost is called when the back is.
	lost()
}

// between is what adapters keep of a call.
type between struct {
	// Of a client that initialized.
	rounds int                   // how often the server has asked for more
	asking atomic.Pointer[round] // the round that waits for the client

	// Of a client of 2026-07-28.
	level        protocol.LogLevel // of messages that it wants; 0 for none
	capabilities codec.Value
	who          string      // its principal
	digest       [32]byte    // of what it asked for
	suspension   *suspension // it has to come back; guarded by downward.mu
}
