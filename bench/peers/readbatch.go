package peers

import (
	_ "unsafe" // for go:linkname

	gosdk "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	_ "github.com/modelcontextprotocol/go-sdk/mcp" // has readBatch

	"github.com/wirespool/wirespool/codec"
)

// readBatch is what go-sdk's transports run on each text that comes in, array or
// single message. It is not exported; its symbol is that of the version in go.mod.
//
//go:linkname readBatch github.com/modelcontextprotocol/go-sdk/mcp.readBatch
func readBatch(data []byte) (all []gosdk.Message, isBatch bool, err error)

// kindGoSDK is the kind of a message that was decoded.
func kindGoSDK(m gosdk.Message) codec.Kind {
	q, isRequest := m.(*gosdk.Request)
	switch {
	case !isRequest:
		return codec.Response
	case q.ID.IsValid():
		return codec.Request
	}
	return codec.Notification
}
