package main

import (
	"net"
	"net/http"
	"sync"
)

// fresh are the connections that no request has come on yet. At its end an
// http.Server waits for them as if one might, up to 5 s, and clients like to keep
// one to spare.
type fresh struct {
	mu    sync.Mutex
	over  bool
	conns map[net.Conn]struct{}
}

// note is the ConnState of the server.
func (f *fresh) note(c net.Conn, state http.ConnState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(f.conns, c)
	case f.over:
		_ = c.Close() // it was accepted before nobody listened any more
	default:
		if f.conns == nil {
			f.conns = make(map[net.Conn]struct{})
		}
		f.conns[c] = struct{}{}
	}
}

// end closes them.
func (f *fresh) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	for c := range f.conns {
		_ = c.Close() // the server notices
	}
}
