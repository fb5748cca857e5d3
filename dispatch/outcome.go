package dispatch

import (
	"bytes"
	"context"
	"errors"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// Outcome says in one word how a call ended, in either direction.
type Outcome uint8

// The outcomes.
const (
	// OutcomeOK: there was a result.
	OutcomeOK Outcome = iota
	// OutcomeToolError: there was one, and it says isError.
	OutcomeToolError
	// OutcomeApplication: an error whose code is the application's.
	OutcomeApplication
	// OutcomeInfrastructure: the connection, a limit or a time stood in the way,
	// or an error has a code that says so (-32099…-32000).
	OutcomeInfrastructure
	// OutcomeProtocol: an error with a code of JSON-RPC's own, -32603 among
	// them, or a message that broke the protocol.
	OutcomeProtocol
	// OutcomeCancelled: nobody waited for the answer any more.
	OutcomeCancelled
	outcomes
)

var outcomeText = [outcomes]string{"ok", "tool_error", "application", "infrastructure", "protocol", "cancelled"}

// String returns the word, as logs and metrics have it: "ok", "tool_error",
// "application", "infrastructure", "protocol", "cancelled".
func (o Outcome) String() string {
	if o < outcomes {
		return outcomeText[o]
	}
	return "unknown"
}

// OutcomeOf returns the outcome of a call that ended with err.
func OutcomeOf(err error) Outcome {
	if err == nil {
		return OutcomeOK
	}
	if e, ok := errors.AsType[*codec.Error](err); ok && e != nil {
		return outcomeOfCode(e.Code)
	}
	if _, ok := errors.AsType[*codec.DecodeError](err); ok {
		return OutcomeProtocol
	}
	if errors.Is(err, context.Canceled) {
		return OutcomeCancelled
	}
	return OutcomeInfrastructure
}

func outcomeOfCode(code int64) Outcome {
	switch codec.LayerOf(code) {
	case codec.LayerApplication:
		return OutcomeApplication
	case codec.LayerInfrastructure:
		return OutcomeInfrastructure
	}
	return OutcomeProtocol // nobody may use what is reserved
}

// isToolError reports whether a result of ours says that its tool failed.
func isToolError(method string, result codec.Value) bool {
	if method != protocol.MethodToolsCall || !bytes.Contains(result, []byte("isError")) {
		return false
	}
	failed, _ := codec.Find(result, "isError")
	yes, _ := failed.Bool()
	return yes
}
