package feature

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"

	"github.com/wirespool/wirespool/examples/everything/internal/mcp"
)

// registerContent adds tools that return each kind of content.
func registerContent(s *mcp.Server) {
	fixed := func(name, description string, content ...mcp.Content) {
		s.Tools.Add(&mcp.Tool{
			Name: name, Description: description, InputSchema: noArguments,
			Call: func(context.Context, *mcp.Call) (*mcp.ToolResult, error) { return mcp.Result(content...), nil },
		})
	}
	fixed("test_simple_text", "Returns one text", mcp.Text("Nothing but text."))
	fixed("test_image_content", "Returns an image of one red point", mcp.Image("image/png", redPoint))
	fixed("test_audio_content", "Returns a moment of silence", mcp.Audio("audio/wav", silence))
	fixed("test_embedded_resource", "Returns the content of a resource", mcp.Embed(mcp.TextContents{
		URI: "test://embedded-resource", MimeType: "text/plain", Text: "What a resource holds, inside a result.",
	}))
	fixed("test_multiple_content_types", "Returns three kinds of content",
		mcp.Text("A text, an image and a resource:"),
		mcp.Image("image/png", redPoint),
		mcp.Embed(mcp.TextContents{
			URI: "test://mixed-content-resource", MimeType: "application/json", Text: `{"mixed":true}`,
		}))
	s.Tools.Add(&mcp.Tool{
		Name:        "json_schema_2020_12_tool",
		Description: "Has an input schema with most of what JSON Schema 2020-12 offers",
		InputSchema: richSchema,
		Call: func(context.Context, *mcp.Call) (*mcp.ToolResult, error) {
			return mcp.Result(mcp.Text("The schema is what matters here.")), nil
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name:        "test_header_mirroring",
		Description: "Has arguments that HTTP clients of 2026-07-28 mirror in headers",
		InputSchema: []byte(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},` +
			`"priority":{"type":"integer","x-mcp-header":"Priority"},"query":{"type":"string"}},"required":["region"]}`),
		Call: withArguments(func(_ context.Context, _ *mcp.Call, in struct {
			Region string `json:"region"`
		}) (*mcp.ToolResult, error) {
			return mcp.Result(mcp.Text("region " + in.Region)), nil
		}),
	})
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
