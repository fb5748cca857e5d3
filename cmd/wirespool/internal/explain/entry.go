package explain

import (
	"fmt"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/protocol"
)

// Direction is which way a frame went, where that is known.
type Direction uint8

// The directions.
const (
	Unknown Direction = iota
	ClientToServer
	ServerToClient
)

// How the two forms of a listing spell a direction.
var (
	arrows     = [...]string{ClientToServer: "-->", ServerToClient: "<--"}
	directions = [...]string{ClientToServer: "c2s", ServerToClient: "s2c"}
)

// Entry is one line of a listing: a frame and where it was found, or a stretch of the stream that
// nobody looked at.
type Entry struct {
	N         int           // running number, from 1; 0 for none
	Timed     bool          // Time is known
	Time      time.Duration // since the recording began
	Direction Direction
	Offset    int64   // of the frame's first byte, in the stream of its direction
	Report    *Report // nil for a stretch that was not explained
	Lost      int64   // its bytes
	Raw       []byte  // the frame, where the entry is to carry it

	// Of a trace: which hop of the way, and the HTTP request or response, an
	// object with method, path and status. Without a frame Report is nil.
	Hop  string
	HTTP codec.Value
}

// Refused makes the report on a frame that the framing refused, of which there are no bytes.
func Refused(err *framing.Error) *Report {
	code := int64(protocol.CodeParseError)
	text := err.Reason
	if err.Kind == framing.TooLong {
		code = protocol.CodeInvalidRequest
		text = fmt.Sprintf("%s (limit %d bytes)", err.Reason, err.Limit.Value)
	}
	return &Report{Err: &Fault{Code: code, Offset: -1, Stream: err.Offset, Message: text}}
}

// Bad reports whether the entry is a refused frame, or has a refused element.
func (e *Entry) Bad() bool {
	if e.Report == nil {
		return false
	}
	for i := range e.Report.Elements {
		if e.Report.Elements[i].Err != nil {
			return true
		}
	}
	return e.Report.Err != nil
}
