package mcpgo

import (
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// client is who sent a request of 2026-07-28, as every such request says.
type client struct {
	info         *mcp.Implementation
	capabilities *mcp.ClientCapabilities

	// Of one request, where HandleMessage does not see them.
	version string
	level   mcp.LoggingLevel
}

// clients remembers what the clients of a connection say of themselves, which is
// the same in each of their requests.
type clients struct {
	mu    sync.Mutex
	known map[string]client // by the text of both
	key   []byte            // memory of a key
}

// find returns the client that the two members of _meta describe; false if
// mcp-go could not read them. What it returns is shared.
func (c *clients) find(info, capabilities codec.Value) (client, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.key = append(append(append(c.key[:0], info...), 0), capabilities...)
	if known, ok := c.known[string(c.key)]; ok {
		return known, true
	}
	var found client
	if info != nil && json.Unmarshal(info, &found.info) != nil {
		return client{}, false
	}
	if json.Unmarshal(capabilities, &found.capabilities) != nil || found.capabilities == nil {
		return client{}, false
	}
	if len(c.known) >= maxClients {
		clear(c.known)
	}
	if len(c.key) <= maxClientText {
		if c.known == nil {
			c.known = make(map[string]client)
		}
		c.known[string(c.key)] = found
	} else {
		c.key = nil
	}
	return found, true
}

// metaName returns the name of a member of _meta; those that every request has cost
// no memory.
func metaName(name codec.Value) (string, bool) {
	switch string(name[1 : len(name)-1]) {
	case protocol.MetaProgressToken:
		return protocol.MetaProgressToken, true
	case protocol.MetaProtocolVersion:
		return protocol.MetaProtocolVersion, true
	case protocol.MetaClientInfo:
		return protocol.MetaClientInfo, true
	case protocol.MetaClientCapabilities:
		return protocol.MetaClientCapabilities, true
	case protocol.MetaLogLevel:
		return protocol.MetaLogLevel, true
	}
	return plainString(name)
}

// appendMeta appends what HandleMessage itself looks for in a _meta, which is what
// traces need; the rest is for the hook. Where there is something for traces, the
// version and the log level stay too, and HandleMessage knows by them that the
// request is one of 2026-07-28; where there is nothing, it takes it for a legacy one
// and looks for less, and the hook tells it before the handler runs. It is false if
// _meta has to stay as it is.
func (c *callSession) appendMeta(dst []byte, meta codec.Value, lacks *handover) ([]byte, bool) {
	if meta.Kind() != codec.Object {
		return dst, false
	}
	from := len(dst)
	decoded := &mcp.Meta{AdditionalFields: make(map[string]any)}
	var info, capabilities codec.Value
	var version, level string
	var traced bool
	for name, value := range meta.Members() {
		text, ok := metaName(name)
		if !ok {
			return dst, false
		}
		x, ok := plain(value, plainDepth)
		if !ok {
			return dst, false
		}
		switch text {
		case protocol.MetaProgressToken:
			decoded.ProgressToken = x
			continue
		case protocol.MetaClientInfo:
			info = value
		case protocol.MetaClientCapabilities:
			capabilities = value
		default:
			switch text {
			case protocol.MetaProtocolVersion:
				version, _ = x.(string)
			case protocol.MetaLogLevel:
				level, _ = x.(string)
			default:
				traced = true
			}
			dst = append(append(comma(dst, from), name...), ':')
			dst = append(dst, value...)
		}
		decoded.AdditionalFields[text] = x
	}
	if c.modern {
		var ok bool
		if lacks.sender, ok = c.conn.clients.find(info, capabilities); !ok {
			return dst, false
		}
		if !traced && mcp.IsValidProtocolVersion(version) {
			dst = dst[:from]
			lacks.sender.version, lacks.sender.level = version, mcp.LoggingLevel(level)
		} else {
			dst = append(comma(dst, from), `"`+protocol.MetaClientCapabilities+`":{}`...)
		}
	}
	lacks.meta = decoded
	return dst, true
}
