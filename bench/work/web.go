package work

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
)

// WebOptions say how a Streamable HTTP server answers.
type WebOptions struct {
	Stateless bool // legacy requests without sessions
	Events    bool // answers are event streams
	Size      int  // of the answers of a limit
	Legacy    bool // only revisions with a handshake; of wirespool
}

// WebServer is an endpoint with the tool echo, and a way to tell all who listen.
type WebServer struct {
	http.Handler
	// Broadcast sends a progress notification of so many bytes to every GET stream,
	// n times; nil where only requests are served.
	Broadcast func(n, size int) error
	// End ends what requests have left behind; nil where that is nothing.
	End func() error
}

// Web makes the servers of an implementation.
type Web struct {
	Impl string
	New  func(WebOptions) *WebServer
}

// WebServers returns our servers and the limits.
func WebServers() []Web {
	return []Web{
		{"wirespool", webWirespool}, {"wirespool-log", webWirespoolLog}, {"wirespool-hijack", webWirespoolHijack},
		{"limit-nethttp", func(o WebOptions) *WebServer { return webLimit(o, bare) }},
		{"limit-nethttp-tuned", func(o WebOptions) *WebServer { return webLimit(o, limits.Tuned) }},
	}
}

// bare is the handler that net/http invites one to write.
func bare(contentType string, answer []byte) http.Handler {
	if contentType == "application/json" {
		return limits.Handler(answer)
	}
	return limits.EventStream(answer)
}

// webLimit answers each POST alike, and each GET with a stream.
func webLimit(o WebOptions, handler func(string, []byte) http.Handler) *WebServer {
	post := handler(bench.WebAnswer(o.Events, max(o.Size, 200)))
	var streams limits.Broadcaster
	return &WebServer{
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

// Listener is a server on a port of the loopback address.
type Listener struct {
	Addr string

	web    *WebServer
	http   *http.Server
	served chan error
	open   sync.WaitGroup // connections that net/http has not let go
}

// Listen serves s until Close.
func Listen(s *WebServer) (*Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	all := &Listener{Addr: l.Addr().String(), web: s, served: make(chan error, 1)}
	all.http = &http.Server{Handler: s.Handler, ConnState: func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			all.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			all.open.Done()
		}
	}}
	go func() { all.served <- all.http.Serve(l) }()
	return all, nil
}

// Close ends the server and everything that it has begun. Clients have closed
// their connections before, or lose them.
func (l *Listener) Close() error {
	err := l.http.Close()
	if served := <-l.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if l.web.End != nil {
		err = errors.Join(err, l.web.End())
	}
	l.open.Wait()
	return err
}

// WebClient connects a client of an implementation to the endpoint at an URL, which
// is to call the tool echo with a text.
type WebClient struct {
	Impl    string
	Connect func(ctx context.Context, url, text string) (*WebCaller, error)
}

// WebCaller is a client that has made its handshake.
type WebCaller struct {
	// Call calls the tool, and returns how many bytes the text has that came back; 0
	// from a limit, which does not look.
	Call  func(ctx context.Context) (int, error)
	Close func() error
}

// WebClients returns our client and the limit.
func WebClients() []WebClient {
	return []WebClient{{"wirespool", callWirespool}, {"limit-nethttp", callNetHTTP}}
}
