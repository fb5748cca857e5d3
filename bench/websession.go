package bench

import "fmt"

// OpenWeb makes the handshake of the legacy revisions on a connection, and returns
// the id of the session, which is empty where the server gives none.
func OpenWeb(c *WebConn) (session string, err error) {
	const accept = "Accept: application/json, text/event-stream\r\n"
	r, err := c.Do(WebPost(accept, []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
		`"capabilities":{},"clientInfo":{"name":"load","version":"1"}}}`)))
	if err != nil {
		return "", err
	}
	if r.Status() != 200 {
		return "", fmt.Errorf("bench: initialize: %.300q", r)
	}
	session = r.Header("Mcp-Session-Id")
	r, err = c.Do(WebPost(accept+SessionHeaders(session), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)))
	if err == nil && r.Status()/100 != 2 {
		err = fmt.Errorf("bench: initialized: %.300q", r)
	}
	return session, err
}

// SessionHeaders are those of a request within a session.
func SessionHeaders(session string) string {
	h := "Mcp-Protocol-Version: 2025-06-18\r\n"
	if session != "" {
		h += "Mcp-Session-Id: " + session + "\r\n"
	}
	return h
}

// WebStream returns the GET of a session's stream.
func WebStream(session string) []byte {
	return []byte("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: wirebench\r\nAccept: text/event-stream\r\n" +
		SessionHeaders(session) + "\r\n")
}
