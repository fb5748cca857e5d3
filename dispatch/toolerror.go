package dispatch

import "github.com/wirespool/wirespool/codec"

// ToolError appends the result of a tool that failed: one text and isError, so
// that the model can read what went wrong. A failing tool is a result, not a
// JSON-RPC error, which is for requests that never reached the tool.
func ToolError(dst []byte, text string) []byte {
	dst = append(dst, `{"content":[{"type":"text","text":`...)
	dst = codec.AppendString(dst, text)
	return append(dst, `}],"isError":true}`...)
}
