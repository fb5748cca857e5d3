package everything

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addContent adds tools that return each kind of content.
func addContent(s *mcp.Server) {
	fixed := func(name, description string, content ...mcp.Content) {
		add(s, name, description, "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result(content...) })
	}
	point := &mcp.ImageContent{MIMEType: "image/png", Data: redPoint}
	fixed("test_simple_text", "Returns one text", text("Nothing but text."))
	fixed("test_image_content", "Returns an image of one red point", point)
	fixed("test_audio_content", "Returns a moment of silence", &mcp.AudioContent{MIMEType: "audio/wav", Data: silence})
	fixed("test_embedded_resource", "Returns the content of a resource", embedded("test://embedded-resource"))
	fixed("test_multiple_content_types", "Returns three kinds of content",
		text("A text, an image and a resource:"), point, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"mixed":true}`,
		}})
	add(s, "json_schema_2020_12_tool", "Has an input schema with most of what JSON Schema 2020-12 offers", richSchema,
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return result(text("The schema is what matters here."))
		})
	add(s, "test_x_mcp_header", "Has an argument that clients of 2026-07-28 mirror in a header",
		`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"query":{"type":"string"}},"required":["region"]}`,
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			in, err := arguments[struct{ Region string }](req)
			if err != nil {
				return nil, err
			}
			return result(text("region " + in.Region))
		})
}

func embedded(uri string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "What a resource holds, in a message."}}
}

// redPoint is a PNG of one pixel.
var redPoint = func() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 1, 1))
	img.Set(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	_ = png.Encode(&b, img) // cannot fail on a buffer
	return b.Bytes()
}()

// silence is a WAV of eight samples.
var silence = func() []byte {
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
	return append(b, bytes.Repeat([]byte{0x80}, samples)...)
}()

// richSchema describes a person to reach by mail or phone.
const richSchema = `{
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
}`
