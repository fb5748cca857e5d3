package mcp

// Content is a block of a tool's result, of a prompt or of a sampled message.
type Content any

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type mediaContent struct {
	Type     string `json:"type"`
	Data     []byte `json:"data"` // base64 on the wire
	MimeType string `json:"mimeType"`
}

type embeddedContent struct {
	Type     string `json:"type"`
	Resource any    `json:"resource"`
}

// Text is a text block.
func Text(text string) Content { return textContent{"text", text} }

// Image is an image block.
func Image(mimeType string, data []byte) Content { return mediaContent{"image", data, mimeType} }

// Audio is a sound block.
func Audio(mimeType string, data []byte) Content { return mediaContent{"audio", data, mimeType} }

// Embed is a block that holds the content of a resource.
func Embed(contents any) Content { return embeddedContent{"resource", contents} }

// TextContents is the content of a resource that is text.
type TextContents struct {
	URI      string `json:"uri"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
}

// BlobContents is the content of a resource that is not.
type BlobContents struct {
	URI      string `json:"uri"`
	MimeType string `json:"mimeType"`
	Blob     []byte `json:"blob"` // base64 on the wire
}
