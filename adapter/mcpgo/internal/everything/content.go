package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addContent adds tools that return each kind of content.
func addContent(s *server.MCPServer) {
	fixed := func(name, description string, content ...mcp.Content) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription(description)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	fixed("test_simple_text", "Returns one text", mcp.NewTextContent("Nothing but text."))
	fixed("test_image_content", "Returns an image of one red point", mcp.NewImageContent(redPoint, "image/png"))
	fixed("test_audio_content", "Returns a moment of silence", mcp.NewAudioContent(silence, "audio/wav"))
	fixed("test_embedded_resource", "Returns the content of a resource", mcp.NewEmbeddedResource(mcp.TextResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "What a resource holds, inside a result.",
	}))
	fixed("test_multiple_content_types", "Returns three kinds of content",
		mcp.NewTextContent("A text, an image and a resource:"),
		mcp.NewImageContent(redPoint, "image/png"),
		mcp.NewEmbeddedResource(mcp.TextResourceContents{
			URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"mixed":true}`,
		}))
	s.AddTool(mcp.NewTool("test_error_handling", mcp.WithDescription("Always fails")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultErrorFromErr("no luck", errors.New("this tool fails every time, as it should")), nil
	})
	s.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "Has a rich input schema", richSchema),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("The schema is what matters here."), nil
		})
	s.AddTool(mcp.NewToolWithRawSchema("test_header_mirroring", "Has arguments that are mirrored in headers",
		[]byte(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},`+
			`"priority":{"type":"integer","x-mcp-header":"Priority"},"query":{"type":"string"}},"required":["region"]}`)),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("region " + r.GetString("region", "")), nil
		})
}

// redPoint is a PNG of one pixel.
var redPoint = func() string {
	img := image.NewRGBA(image.Rect(0, 0, 1, 1))
	img.Set(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	_ = png.Encode(&b, img) // cannot fail on a buffer
	return base64.StdEncoding.EncodeToString(b.Bytes())
}()

// silence is a WAV of eight samples.
var silence = func() string {
	const rate, samples = 8000, 8
	b := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, 36+samples)...)
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	for _, v := range []uint16{1, 1} { // PCM, one channel
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	for _, v := range []uint32{rate, rate} { // samples and bytes in a second
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	for _, v := range []uint16{1, 8} { // bytes and bits of a sample
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, samples)
	b = append(b, bytes.Repeat([]byte{0x80}, samples)...)
	return base64.StdEncoding.EncodeToString(b)
}()

// richSchema describes a person to reach by mail or phone.
var richSchema = []byte(`{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {
		"address": {
			"$anchor": "addressDef",
			"type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
		}
	},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`)
