package gosdk

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/codec"
)

// appendResult appends what the SDK makes of a result, on one line; in 2026-07-28
// with what it adds, info being the description of its server.
func appendResult(dst []byte, res mcp.Result, info codec.Value) ([]byte, error) {
	r, ok := res.(*mcp.CallToolResult)
	if !ok || r == nil || r.Content == nil || r.InputRequests != nil || r.RequestState != "" || r.NeedsInput() {
		return appendMarshalled(dst, res, info)
	}
	dst = append(dst, `{"content":[`...)
	for i, content := range r.Content {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendContent(dst, content); err != nil {
			return dst, err
		}
	}
	dst = append(dst, ']')
	if r.StructuredContent != nil {
		text, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return dst, err
		}
		dst = append(append(dst, `,"structuredContent":`...), text...)
	}
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	if info != nil {
		dst = append(dst, `,"resultType":"complete"`...)
	}
	if len(r.Meta) > 0 || info != nil {
		meta, err := signedMeta(r.Meta, info)
		if err != nil {
			return dst, err
		}
		dst = append(append(dst, `,"_meta":`...), meta...)
	}
	return append(dst, '}'), nil
}

// appendContent appends one item of content.
func appendContent(dst []byte, content mcp.Content) ([]byte, error) {
	if c, ok := content.(*mcp.TextContent); ok && c != nil && len(c.Meta) == 0 && c.Annotations == nil {
		dst = append(dst, `{"type":"text","text":`...)
		return append(codec.AppendString(dst, c.Text), '}'), nil
	}
	text, err := json.Marshal(content)
	return append(dst, text...), err
}

// signedMeta returns a _meta, with the description of the server where info has it.
func signedMeta(meta mcp.Meta, info codec.Value) ([]byte, error) {
	if _, own := meta[mcp.MetaKeyServerInfo]; info == nil || own {
		return json.Marshal(meta)
	}
	signed := append(append([]byte(nil), `{"`+mcp.MetaKeyServerInfo+`":`...), info...)
	if len(meta) == 0 {
		return append(signed, '}'), nil
	}
	text, err := json.Marshal(meta)
	if err != nil {
		return nil, err
	}
	return append(append(signed, ','), text[1:]...), nil
}

// appendMarshalled appends a result that has something unusual about it, such as
// requests for input.
func appendMarshalled(dst []byte, res mcp.Result, info codec.Value) ([]byte, error) {
	text, err := json.Marshal(res)
	if err != nil || info == nil || len(text) < 2 || text[0] != '{' {
		return append(dst, text...), err
	}
	// What is added is encoded as usual, and takes the place of what is there.
	meta, err := signedMeta(res.GetMeta(), info)
	if err != nil {
		return dst, err
	}
	dst = append(append(dst, `{"_meta":`...), meta...)
	if found, err := codec.Find(text, "resultType"); err == nil && found == nil {
		dst = append(dst, `,"resultType":"complete"`...)
	}
	for name, value := range codec.Value(text).Members() {
		if string(name) != `"_meta"` {
			dst = append(append(append(append(dst, ','), name...), ':'), value...)
		}
	}
	return append(dst, '}'), nil
}
