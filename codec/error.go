package codec

import "fmt"

// Error is a JSON-RPC error object: what a peer sent, or what we answer.
type Error struct {
	Code    int64
	Message string // goes over the wire: no secrets
	Data    Value  // raw JSON, nil when there is none
	Remote  bool   // the peer sent it; an error made here must not look like one (CO-28)
}

// Error returns the code, its layer and the message, and says so if the error
// came from the peer.
func (e *Error) Error() string {
	from := ""
	if e.Remote {
		from = "peer: "
	}
	return fmt.Sprintf("%s%d (%s): %s", from, e.Code, LayerOf(e.Code), e.Message)
}

// Is makes errors.Is true for two errors with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// WireError returns the error of an ErrorResponse as a Go value with Remote
// set: copied, so it may be kept. It returns nil for any other kind.
func (m *Message) WireError() *Error {
	if m.Kind != ErrorResponse {
		return nil
	}
	e := &Error{Remote: true}
	e.Code, _ = m.Fact(FactErrorCode).Int64()
	text, _ := m.Fact(FactErrorMessage).Text()
	e.Message = string(text)
	if data := m.Fact(FactErrorData); data != nil {
		e.Data = append(Value(nil), data...)
	}
	return e
}

// Layer says which layer an error code belongs to.
type Layer uint8

// The layers. Codes decide by range alone; no code is interpreted.
const (
	LayerApplication    Layer = iota // every code outside -32768…-32000, zero and unknown ones too
	LayerProtocol                    // -32768…-32600: JSON-RPC's own
	LayerReserved                    // -32599…-32100: JSON-RPC keeps it, nobody emits it
	LayerInfrastructure              // -32099…-32000: transports, timeouts, MCP's own codes
)

var layerText = [...]string{"application", "protocol", "reserved", "infrastructure"}

// String returns the layer in lower case.
func (l Layer) String() string {
	if int(l) < len(layerText) {
		return layerText[l]
	}
	return "unknown"
}

// LayerOf returns the layer of an error code.
func LayerOf(code int64) Layer {
	switch {
	case code < -32768 || code > -32000:
		return LayerApplication
	case code <= -32600:
		return LayerProtocol
	case code < -32099:
		return LayerReserved
	}
	return LayerInfrastructure
}
