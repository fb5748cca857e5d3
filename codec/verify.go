package codec

import (
	"github.com/wirespool/wirespool/internal/scan"
	"github.com/wirespool/wirespool/protocol"
)

// Check returns nil if text is exactly one JSON value as [Decoder.Decode] wants
// it, white space around it allowed; else a [*DecodeError] with the offset. Who
// puts raw JSON of others into a message asks it first: what is no value could
// end the member it stands in, and begin another. text is borrowed until it
// returns; there is no limit on nesting.
func Check(text []byte) error {
	s := walkers.Get().(*scan.Scanner)
	defer walkers.Put(s)
	i, f := s.Value(text, s.Space(text, 0), 0)
	if f == scan.OK {
		if i = s.Space(text, i); i == len(text) {
			return nil
		}
		return &DecodeError{Code: protocol.CodeParseError, Offset: i, Reason: "more than one JSON value"}
	}
	return &DecodeError{Code: protocol.CodeParseError, Offset: i, Reason: f.String()}
}
