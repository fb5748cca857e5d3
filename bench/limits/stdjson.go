package limits

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// StdJSON serves MCP with one tool, echo, over lines of JSON until r ends
// (limit-stdjson): the simplest server on encoding/json that answers initialize,
// ping, tools/list and tools/call, in one goroutine. Answers are written when r
// has nothing more at hand.
func StdJSON(r io.Reader, w io.Writer) error {
	in, out := NewLines(r), bufio.NewWriterSize(w, bufferSize)
	enc := json.NewEncoder(out)
	for {
		line, err := in.Next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return errors.Join(err, out.Flush())
		}
		if reply := answer(line); reply != nil {
			if err := enc.Encode(reply); err != nil {
				return err
			}
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

type call struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type toolResult struct {
	Content []content `json:"content"`
}

// answer returns the reply to one line, nil where none is due.
func answer(line []byte) *reply {
	var c call
	if err := json.Unmarshal(line, &c); err != nil {
		return refuse(nil, -32700, "parse error")
	}
	if c.ID == nil {
		return nil
	}
	switch c.Method {
	case "initialize":
		return initialize(c)
	case "ping":
		return result(c.ID, struct{}{})
	case "tools/list":
		return result(c.ID, toolList)
	case "tools/call":
		return echo(c)
	}
	return refuse(c.ID, -32601, "method not found")
}

func initialize(c call) *reply {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(c.Params, &p); err != nil {
		return refuse(c.ID, -32602, "invalid params")
	}
	return result(c.ID, map[string]any{
		"protocolVersion": p.ProtocolVersion,
		"capabilities":    map[string]any{"tools": struct{}{}},
		"serverInfo":      map[string]string{"name": "limit-stdjson", "version": "1"},
	})
}

var toolList = json.RawMessage(`{"tools":[{"name":"echo","inputSchema":` +
	`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}`)

func echo(c call) *reply {
	var p struct {
		Name      string `json:"name"`
		Arguments struct {
			Text string `json:"text"`
		} `json:"arguments"`
	}
	if err := json.Unmarshal(c.Params, &p); err != nil || p.Name != "echo" {
		return refuse(c.ID, -32602, "invalid params")
	}
	return result(c.ID, toolResult{Content: []content{{Type: "text", Text: p.Arguments.Text}}})
}

func result(id json.RawMessage, v any) *reply {
	return &reply{JSONRPC: "2.0", ID: id, Result: v}
}

func refuse(id json.RawMessage, code int, text string) *reply {
	return &reply{JSONRPC: "2.0", ID: id, Error: &wireError{Code: code, Message: text}}
}
