package httpx_test

import (
	"context"
	"net"
	"net/http"
)

// contextWith is r's context as a server that listens on addr makes it.
func contextWith(r *http.Request, addr net.Addr) context.Context {
	return context.WithValue(r.Context(), http.LocalAddrContextKey, addr)
}
