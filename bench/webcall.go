package bench

import (
	"bytes"
	"fmt"
	"strconv"
)

// WebCall is an HTTP/1.1 request to a Streamable HTTP endpoint, prepared to be
// written as it is.
type WebCall struct {
	Text []byte
	id   []byte // within Text: the digits of its id
}

// The eras of a WebCall, as rows are named.
const (
	Session   = "session"   // within a session of the legacy revisions
	Stateless = "stateless" // legacy, without one
	Modern    = "modern"    // 2026-07-28
)

// webMeta is what a request of 2026-07-28 has in its params besides. It comes on
// top of the size.
const webMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"load","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},`

// NewWebCall returns a tools/call of size bytes, _meta not counted. session is the
// id of the session where the era has one. The call with number n has an id that
// no other number has for the first million of its turns.
func NewWebCall(era, accept, session string, size, n int) *WebCall {
	id := strconv.Itoa(1_000_000_000 + n*1_000_000)
	body := Call(id, size)
	headers := "Accept: " + accept + "\r\n"
	switch era {
	case Modern:
		body = bytes.Replace(body, []byte(`"params":{`), []byte(`"params":{`+webMeta), 1)
		headers += "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n"
	case Session:
		headers += "Mcp-Protocol-Version: 2025-06-18\r\nMcp-Session-Id: " + session + "\r\n"
	default:
		headers += "Mcp-Protocol-Version: 2025-06-18\r\n"
	}
	c := &WebCall{Text: WebPost(headers, body)}
	at := bytes.LastIndex(c.Text, []byte(`"id":`+id)) + len(`"id":`)
	c.id = c.Text[at : at+len(id)]
	return c
}

// WebPost returns a POST to /mcp with a body of JSON; headers end with a line
// break.
func WebPost(headers string, body []byte) []byte {
	return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: wirebench\r\nContent-Type: application/json\r\n"+
		"%sContent-Length: %d\r\n\r\n%s", headers, len(body), body)
}

// Body returns the JSON of the request: borrowed until Next.
func (c *WebCall) Body() []byte {
	_, body, _ := bytes.Cut(c.Text, []byte("\r\n\r\n"))
	return body
}

// Next gives the call another id.
func (c *WebCall) Next() {
	for i := len(c.id) - 1; i > 0; i-- {
		if c.id[i]++; c.id[i] <= '9' {
			return
		}
		c.id[i] = '0'
	}
}

// WebAnswer returns the answer of size bytes that a server gives which looks at
// nothing, with its media type: JSON, or one event.
func WebAnswer(events bool, size int) (contentType string, body []byte) {
	const head, tail = `{"jsonrpc":"2.0","id":1000000000,"result":`, `}`
	body = append(append([]byte(head), Result(size-len(head)-len(tail))...), tail...)
	if events {
		return "text/event-stream", append(append([]byte("event: message\ndata: "), body...), "\n\n"...)
	}
	return "application/json", body
}

// WebEvent returns a progress notification whose params have a message of so many
// bytes: as params, and as a whole event.
func WebEvent(size int) (params, event []byte) {
	params = fill(`{"progressToken":1,"progress":1,"message":"`, `"}`, size)
	return params, fmt.Appendf(nil, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":%s}\n\n", params)
}
