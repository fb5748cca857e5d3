package memhttp

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

// Options configure a server; nil means all defaults.
type Options struct {
	// Addr is where the server believes to listen: 127.0.0.1:80 by default, so
	// that what is demanded of loopback is.
	Addr *net.TCPAddr
	// HTTP2 makes clients of [Server.Client] speak HTTP/2 without TLS. The server
	// speaks both.
	HTTP2 bool
	// Configure changes the http.Server before it starts.
	Configure func(*http.Server)
}

// Server is an http.Server that is reached through memory.
type Server struct {
	http     *http.Server
	listener *listener
	client   *http.Client
	served   chan struct{}  // closed when Serve has returned
	open     sync.WaitGroup // connections that the server has not let go
}

// Start serves h until Close.
func Start(h http.Handler, o *Options) *Server {
	if o == nil {
		o = &Options{}
	}
	addr := o.Addr
	if addr == nil {
		addr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}
	}
	s := &Server{
		http:     &http.Server{Handler: h, Protocols: new(http.Protocols), ErrorLog: log.New(io.Discard, "", 0)},
		listener: &listener{addr: addr, conns: make(chan net.Conn), closed: make(chan struct{})},
		served:   make(chan struct{}),
	}
	s.http.Protocols.SetHTTP1(true)
	s.http.Protocols.SetUnencryptedHTTP2(true)
	if o.Configure != nil {
		o.Configure(s.http)
	}
	s.await()
	s.client = &http.Client{Transport: s.transport(o.HTTP2)}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(s.listener) // it ends with Close, whatever it returns
	}()
	return s
}

// await counts the connections, so that Close can wait for those that net/http
// keeps a while to be polite.
func (s *Server) await() {
	configured := s.http.ConnState
	s.http.ConnState = func(c net.Conn, state http.ConnState) {
		if configured != nil {
			configured(c, state)
		}
		switch state {
		case http.StateNew:
			s.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			s.open.Done()
		}
	}
}

func (s *Server) transport(http2 bool) *http.Transport {
	t := &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return s.Dial(ctx) },
		MaxIdleConnsPerHost: 1 << 16,
		DisableCompression:  true,
		Protocols:           new(http.Protocols),
	}
	t.Protocols.SetHTTP1(!http2)
	t.Protocols.SetUnencryptedHTTP2(http2)
	return t
}

// URL is the server's, without a path.
func (s *Server) URL() string { return "http://" + s.listener.addr.String() }

// Client returns the client whose connections lead to the server, whatever the
// host of a URL.
func (s *Server) Client() *http.Client { return s.client }

// HTTP returns the http.Server, to shut it down for instance.
func (s *Server) HTTP() *http.Server { return s.http }

// Dial opens a connection to the server.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case s.listener.conns <- &conn{far, s.listener.addr}:
		return near, nil
	case <-s.listener.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close ends the server and every connection to it, and returns when the server
// has let go of them.
func (s *Server) Close() {
	_ = s.http.Close() // the connections are in memory
	_ = s.listener.Close()
	s.client.CloseIdleConnections()
	<-s.served
	s.open.Wait()
}

type listener struct {
	addr   *net.TCPAddr
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return l.addr }

// conn is the server's end of a connection, with an address to show.
type conn struct {
	net.Conn
	addr net.Addr
}

func (c *conn) LocalAddr() net.Addr  { return c.addr }
func (c *conn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 50000} }
