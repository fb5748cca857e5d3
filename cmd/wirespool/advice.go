package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"

	"github.com/wirespool/wirespool/streamhttp"
)

// advice returns what says what to change in the command line about an error of
// the server at target; empty for nothing. token is the one that is sent.
func (f *connectFlags) advice(target, token string) func(error) string {
	path := ""
	if u, err := url.Parse(target); err == nil {
		path = u.Path
	}
	return func(err error) string {
		switch status, refused := errors.AsType[*streamhttp.StatusError](err); {
		case isA[x509.UnknownAuthorityError](err) && *f.ca != "":
			return "neither the system nor the file of --ca knows the authority"
		case isA[x509.UnknownAuthorityError](err):
			return "--ca FILE trusts another authority"
		case isA[tls.RecordHeaderError](err):
			return "is it an http URL?"
		case !refused || errors.Is(err, streamhttp.ErrSessionLost):
			return ""
		case status.Status == http.StatusUnauthorized:
			return f.unauthorized(token)
		case *f.transport == "sse":
			return adviceForSSE(status, path)
		case status.Status == http.StatusNotFound && path != "/mcp":
			return "no MCP endpoint at this path; is it /mcp?"
		case status.Status == http.StatusNotFound:
			return "no MCP endpoint at this path"
		}
		return ""
	}
}

func (f *connectFlags) unauthorized(token string) string {
	switch {
	case token != "":
		return "the token is not accepted"
	case f.headers.Get("Authorization") != "":
		return "the header Authorization is not accepted"
	}
	return "--token or " + tokenVariable
}

// adviceForSSE is about what a server answered who was asked for a stream of
// HTTP+SSE.
func adviceForSSE(e *streamhttp.StatusError, path string) string {
	switch {
	case e.Method != http.MethodGet:
	case e.Status == http.StatusNotFound && path != "/sse":
		return "no HTTP+SSE endpoint at this path; is it /sse?"
	case e.Status == http.StatusMethodNotAllowed, e.Status < 500 && e.RPC != nil:
		return "this is Streamable HTTP: --transport http"
	}
	return ""
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
