package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// ClientCapabilities returns what the client declared that it can do: with this
// request in 2026-07-28, where nothing may be inferred from earlier ones
// (VN-12), and in the handshake before. It is raw JSON, borrowed until the
// handler returns, and nil where nothing was declared.
func (r *Request) ClientCapabilities() codec.Value {
	if r.revision.Era() == protocol.Modern {
		return r.Fact(codec.FactMetaClientCapabilities)
	}
	return r.peer.Remote().Capabilities
}

// Declared reports whether the client declared a capability: "sampling", or
// "extensions" and the name of one.
func (r *Request) Declared(path ...string) bool {
	v, err := codec.Find(r.ClientCapabilities(), path...)
	return err == nil && v.Kind() == codec.Object
}

// Require returns nil if the client declared the capability, and otherwise what
// the handler should return: [MissingCapability] in 2026-07-28, and a
// *[NotNegotiatedError] before, which has no code for it.
func (r *Request) Require(path ...string) error {
	if r.Declared(path...) {
		return nil
	}
	if r.revision.Era() == protocol.Modern {
		return MissingCapability(path...)
	}
	return &NotNegotiatedError{r.Method(), "the client did not declare " + strings.Join(path, " ")}
}

// MissingCapability returns the error that says which capability the client
// would have to declare for this request, an object as it would stand among its
// capabilities: -32021 of 2026-07-28 (SH26-16, MR-03, SU-17).
func MissingCapability(path ...string) *codec.Error {
	data := codec.Value("{}")
	for _, name := range slices.Backward(path) {
		data = append(append(codec.AppendString(codec.Value("{"), name), ':'), append(data, '}')...)
	}
	return &codec.Error{
		Code:    protocol.CodeMissingRequiredClientCapability,
		Message: fmt.Sprintf("this needs the client capability %s", strings.Join(path, " ")),
		Data:    append(append(codec.Value(`{"requiredCapabilities":`), data...), '}'),
	}
}
