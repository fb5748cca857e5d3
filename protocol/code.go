package protocol

// JSONRPCVersion is the value of the jsonrpc member of every message (CO-01).
const JSONRPCVersion = "2.0"

// Codes of JSON-RPC 2.0.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// Codes of MCP 2026-07-28. They lie in the range -32020 to -32099, of which
// only listed codes are ever emitted (CO-26).
const (
	CodeHeaderMismatch                  = -32020
	CodeMissingRequiredClientCapability = -32021
	CodeUnsupportedProtocolVersion      = -32022
)

const (
	// CodeTimeout is the default code of a call that ran out of time.
	CodeTimeout = -32000
	// CodeResourceNotFound belongs to the legacy revisions. 2026-07-28 answers
	// CodeInvalidParams instead and must not emit it, but still understands it
	// (CO-26, CO-27).
	CodeResourceNotFound = -32002
	// CodeURLElicitationRequired belongs to 2025-11-25 alone (CO-26).
	CodeURLElicitationRequired = -32042
	// CodeRequestCancelled answers a cancelled request where a transport leaves
	// no way to stay silent. It comes from the field, not from a revision.
	CodeRequestCancelled = -32800
)

// Message strings of the JSON-RPC 2.0 document, letter by letter.
const (
	MessageParseError     = "Parse error"
	MessageInvalidRequest = "Invalid Request"
	MessageMethodNotFound = "Method not found"
	MessageInvalidParams  = "Invalid params"
	MessageInternalError  = "Internal error"
)

// CodeText returns the text of a named code, for the JSON-RPC codes the message
// string of that document, and the empty string for any other code.
func CodeText(code int64) string {
	switch code {
	case CodeParseError:
		return MessageParseError
	case CodeInvalidRequest:
		return MessageInvalidRequest
	case CodeMethodNotFound:
		return MessageMethodNotFound
	case CodeInvalidParams:
		return MessageInvalidParams
	case CodeInternalError:
		return MessageInternalError
	case CodeHeaderMismatch:
		return "Header mismatch"
	case CodeMissingRequiredClientCapability:
		return "Missing required client capability"
	case CodeUnsupportedProtocolVersion:
		return "Unsupported protocol version"
	case CodeTimeout:
		return "Timeout"
	case CodeResourceNotFound:
		return "Resource not found"
	case CodeURLElicitationRequired:
		return "URL elicitation required"
	case CodeRequestCancelled:
		return "Request cancelled"
	}
	return ""
}
