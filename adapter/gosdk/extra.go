package gosdk

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/transport"
)

func extraOf(via transport.Exchange) *mcp.RequestExtra { return nil }
