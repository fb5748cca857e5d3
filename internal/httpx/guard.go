package httpx

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/wirespool/wirespool/protocol"
)

// GuardOptions say which names a request may use for us and for the page it
// comes from.
type GuardOptions struct {
	// Origins are the values of Origin that are let in besides those of this
	// machine, as "https://app.example.com"; "*" lets every one in.
	Origins []string
	// Hosts are the values of Host that are let in besides the names of this
	// machine, with or without a port. Setting any makes Host be checked on every
	// address, else it is on loopback only; "*" switches the check off.
	Hosts []string
}

// Guard decides by the names in a request whether it may come in. A web page
// can make a browser on this machine send requests to us; its Origin betrays it,
// and its Host, where a name of its own was made to point at us (DNS rebinding).
type Guard struct {
	origins   map[string]bool
	anyOrigin bool
	hosts     map[string]bool
	anyHost   bool
}

// NewGuard returns a guard, or an error for an entry that is not an origin or
// not a host.
func NewGuard(o GuardOptions) (*Guard, error) {
	g := &Guard{origins: map[string]bool{}, hosts: map[string]bool{}}
	for _, origin := range o.Origins {
		if origin == "*" {
			g.anyOrigin = true
			continue
		}
		key, _, ok := splitOrigin(origin)
		if !ok {
			return nil, fmt.Errorf("%q is not an origin such as https://app.example.com", origin)
		}
		g.origins[key] = true
	}
	for _, host := range o.Hosts {
		if host == "*" {
			g.anyHost = true
			continue
		}
		if host == "" || !httpguts.ValidHostHeader(host) {
			return nil, fmt.Errorf("%q is not a host", host)
		}
		g.hosts[strings.ToLower(host)] = true
	}
	return g, nil
}

// Check refuses a request from a foreign page or under a foreign name: 403
// (SL-02, SH26-02, SC-01, SC-02). Without an Origin a request does not come from
// a page.
func (g *Guard) Check(r *http.Request) *Refusal {
	if origins := r.Header[protocol.HeaderOrigin]; len(origins) > 0 && !g.allowsOrigin(origins) {
		return Refuse(http.StatusForbidden, "Origin is not allowed")
	}
	if !g.allowsHost(r) {
		return Refuse(http.StatusForbidden, "Host is not allowed")
	}
	return nil
}

func (g *Guard) allowsOrigin(origins []string) bool {
	if g.anyOrigin {
		return true
	}
	if len(origins) != 1 {
		return false
	}
	key, host, ok := splitOrigin(origins[0])
	return ok && (g.origins[key] || isLoopbackName(host))
}

// splitOrigin takes an origin apart: in the form it is compared in, and its host
// name. "null", which every sandboxed page sends, is none.
func splitOrigin(origin string) (key, host string, ok bool) {
	if len(origin) > maxOrigin {
		return "", "", false
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" ||
		u.ForceQuery || u.Fragment != "" || strings.HasSuffix(origin, "#") || u.Opaque != "" {
		return "", "", false
	}
	port := u.Port()
	if port == "" {
		switch u.Scheme {
		case "http":
			port = "80"
		case "https":
			port = "443"
		}
	}
	host = strings.ToLower(u.Hostname())
	return u.Scheme + "://" + net.JoinHostPort(host, port), host, true
}

// allowsHost judges the Host header, if it must be.
func (g *Guard) allowsHost(r *http.Request) bool {
	name := withoutPort(r.Host)
	if g.anyHost || isLoopbackName(name) {
		return true
	}
	if len(g.hosts) == 0 {
		return !onLoopback(r) || isLoopbackName(strings.ToLower(name))
	}
	host, name := strings.ToLower(r.Host), strings.ToLower(name)
	return g.hosts[host] || g.hosts[name] || isLoopbackName(name)
}

// withoutPort returns the name in a Host header, without the brackets of an IPv6
// address.
func withoutPort(host string) string {
	i := strings.LastIndexByte(host, ':')
	if i > 0 && (strings.IndexByte(host, ':') == i || host[0] == '[' && host[i-1] == ']') {
		host = host[:i]
	}
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	return host
}

// onLoopback reports whether the request came in on an address that only this
// machine can reach, as far as the server knows.
func onLoopback(r *http.Request) bool {
	switch a := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case net.Addr:
		return false // a Unix socket: no browser gets there
	}
	return false
}

var loopbackNames = []string{"localhost", "127.0.0.1", "::1"}

func isLoopbackName(name string) bool { return slices.Contains(loopbackNames, name) }
