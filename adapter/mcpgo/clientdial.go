package mcpgo

import (
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
)

// NewStdio returns a transport whose server is a child process: argv is its
// command, no shell involved. It stands for transport.NewStdio, but the child gets
// no more of our environment than stdio.Options.Inherit says. Both options may be
// nil.
func NewStdio(argv []string, o *stdio.Options, c *ClientOptions) *ClientTransport {
	return NewTransport(stdio.Command(argv, o), c)
}

// NewStreamableHTTP returns a transport to the Streamable HTTP endpoint at url. It
// stands for transport.NewStreamableHTTP. Both options may be nil.
func NewStreamableHTTP(url string, o *streamhttp.ClientOptions, c *ClientOptions) *HTTPTransport {
	var opts streamhttp.ClientOptions
	if o != nil {
		opts = *o
	}
	opts.KeepInvalidTools = true // mcp-go's client has its own look at them
	t := NewTransport(streamhttp.URL(url, &opts), c)
	t.http = true
	return &HTTPTransport{t}
}

// NewSSE returns a transport to the HTTP+SSE endpoint at url. It stands for
// transport.NewSSE. Both options may be nil.
func NewSSE(url string, o *sse.ClientOptions, c *ClientOptions) *SSETransport {
	t := NewTransport(sse.URL(url, o), c)
	t.http = true
	return &SSETransport{t}
}
