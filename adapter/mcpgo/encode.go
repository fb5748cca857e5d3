package mcpgo

import (
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// What mcp-go wants to say is encoded here where that is simple, and handed to
// encoding/json where it is not. The texts differ in nothing but the escapes that
// HTML needs, which are left out, and the order of members.

// appendResult appends the result of a request.
func appendResult(dst []byte, result any) ([]byte, error) {
	switch r := result.(type) {
	case *mcp.CallToolResult:
		if r != nil {
			return appendToolResult(dst, r)
		}
	case mcp.CallToolResult:
		return appendToolResult(dst, &r)
	}
	return appendJSON(dst, result)
}

// appendToolResult appends the members that mcp.CallToolResult writes, which
// would otherwise pass through a map first.
func appendToolResult(dst []byte, r *mcp.CallToolResult) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	if r.ResultType != "" {
		dst = codec.AppendString(append(dst, `"resultType":`...), r.ResultType)
		dst = append(dst, ',')
	}
	dst = append(dst, `"content":[`...)
	from := len(dst)
	for _, content := range r.Content {
		if dst, err = appendContent(comma(dst, from), content); err != nil {
			return dst, err
		}
	}
	dst = append(dst, ']')
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	switch {
	case len(r.RawStructuredContent) > 0:
		dst, err = appendJSON(append(dst, `,"structuredContent":`...), r.RawStructuredContent)
	case r.StructuredContent != nil:
		dst, err = appendJSON(append(dst, `,"structuredContent":`...), r.StructuredContent)
	}
	if err == nil && len(r.InputRequests) > 0 {
		dst, err = appendJSON(append(dst, `,"inputRequests":`...), r.InputRequests)
	}
	if r.RequestState != "" {
		dst = codec.AppendString(append(dst, `,"requestState":`...), r.RequestState)
	}
	if err == nil && r.Meta != nil {
		dst, err = appendMeta(append(dst, `,"_meta":`...), r.Meta)
	}
	return append(dst, '}'), err
}

// appendMeta appends a _meta, which would otherwise be copied first and checked
// last.
func appendMeta(dst []byte, m *mcp.Meta) ([]byte, error) {
	if _, twice := m.AdditionalFields[protocol.MetaProgressToken]; m.ProgressToken == nil || twice {
		return appendObject(dst, m.AdditionalFields, plainDepth)
	}
	return appendJSON(dst, m)
}

// appendContent appends one item of content.
func appendContent(dst []byte, content mcp.Content) ([]byte, error) {
	switch c := content.(type) {
	case mcp.TextContent:
		if c.Annotations == nil && c.Meta == nil {
			return appendText(dst, &c), nil
		}
	case *mcp.TextContent:
		if c != nil && c.Annotations == nil && c.Meta == nil {
			return appendText(dst, c), nil
		}
	case mcp.ImageContent:
		if c.Annotations == nil && c.Meta == nil {
			return appendData(dst, c.Type, c.Data, c.MIMEType), nil
		}
	case mcp.AudioContent:
		if c.Annotations == nil && c.Meta == nil {
			return appendData(dst, c.Type, c.Data, c.MIMEType), nil
		}
	}
	return appendJSON(dst, content)
}

func appendText(dst []byte, c *mcp.TextContent) []byte {
	dst = codec.AppendString(append(dst, `{"type":`...), c.Type)
	return append(appendString(append(dst, `,"text":`...), c.Text), '}')
}

func appendData(dst []byte, kind, data, media string) []byte {
	dst = codec.AppendString(append(dst, `{"type":`...), kind)
	dst = appendString(append(dst, `,"data":`...), data)
	return append(codec.AppendString(append(dst, `,"mimeType":`...), media), '}')
}

// appendParams appends the params of a notification, or nothing if it has none.
func appendParams(dst []byte, p *mcp.NotificationParams) ([]byte, error) {
	if len(p.AdditionalFields) == 0 && p.Meta == nil {
		return dst, nil
	}
	var err error
	dst = append(dst, '{')
	from := len(dst)
	for _, name := range slices.Sorted(maps.Keys(p.AdditionalFields)) {
		if name == "_meta" { // has a place of its own
			continue
		}
		dst = append(codec.AppendString(comma(dst, from), name), ':')
		if dst, err = appendJSON(dst, p.AdditionalFields[name]); err != nil {
			return dst, err
		}
	}
	if p.Meta != nil {
		dst, err = appendJSON(append(comma(dst, from), `"_meta":`...), p.Meta)
	}
	return append(dst, '}'), err
}
