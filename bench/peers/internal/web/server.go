package web

import (
	"fmt"
	"net/http"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
)

// Options say how a server answers.
type Options struct {
	Stateless bool // legacy requests without sessions
	Events    bool // answers are event streams
	Size      int  // of the answers of a limit
	Legacy    bool // only revisions with a handshake; of wirespool
}

// Server is an endpoint, and a way to tell all who listen.
type Server struct {
	http.Handler
	// Broadcast sends a progress notification of so many bytes to every GET stream,
	// n times; nil where only requests are served.
	Broadcast func(n, size int) error
}

// impls are the servers by name.
var impls = map[string]func(Options) *Server{
	"wirespool":           wirespool,
	"wirespool-log":       wirespoolLog,
	"wirespool-hijack":    wirespoolHijack,
	"limit-nethttp":       func(o Options) *Server { return limit(o, bare) },
	"limit-nethttp-tuned": func(o Options) *Server { return limit(o, limits.Tuned) },
	"go-sdk":              gosdk,
	"mcp-go":              mcpgo,
}

// New returns the server of an implementation.
func New(impl string, o Options) (*Server, error) {
	f := impls[impl]
	if f == nil {
		return nil, fmt.Errorf("web: no implementation %q", impl)
	}
	return f(o), nil
}

// bare is the handler that net/http invites one to write.
func bare(contentType string, answer []byte) http.Handler {
	if contentType == "application/json" {
		return limits.Handler(answer)
	}
	return limits.EventStream(answer)
}

// limit answers each POST alike, and each GET with a stream.
func limit(o Options, handler func(string, []byte) http.Handler) *Server {
	post := handler(bench.WebAnswer(o.Events, max(o.Size, 200)))
	var streams limits.Broadcaster
	return &Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				streams.ServeHTTP(w, r)
			} else {
				post.ServeHTTP(w, r)
			}
		}),
		Broadcast: func(n, size int) error {
			_, event := bench.WebEvent(size)
			for range n {
				if err := streams.Send(event); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
