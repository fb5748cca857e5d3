package cross

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
)

// Names of the SDKs that there are servers of.
const (
	GoSDK = "gosdk"
	MCPGo = "mcpgo"
)

// Steps is how many notifications of progress the tool steps sends.
const Steps = 5

// Question is what the tools ask and round ask for.
const Question = "What is \"it\"?\n\u2028"

// Serve serves standard input and output until the client has ended its side.
func Serve(ctx context.Context, sdk string) error {
	switch sdk {
	case GoSDK:
		return newGoSDK().Run(ctx, gosdk.Stdio(nil))
	case MCPGo:
		return mcpgo.ServeStdio(ctx, newMCPGo(), nil)
	}
	return unknown(sdk)
}

func unknown(sdk string) error { return fmt.Errorf("cross: there is no server of %q", sdk) }

// Handler serves Streamable HTTP at /mcp, with sessions that can be resumed, and
// HTTP+SSE at /sse.
type Handler struct {
	mux   *http.ServeMux
	close []func() error // in this order
}

// NewHandler returns the handler of a server.
func NewHandler(sdk string) (*Handler, error) {
	kept := eventlog.NewMemory(nil)
	h := &Handler{mux: http.NewServeMux()}
	opts := &streamhttp.Options{Log: kept}
	switch sdk {
	case GoSDK:
		s := newGoSDK()
		get := func(*http.Request) *mcp.Server { return s }
		endpoint, events := gosdk.NewHandler(get, opts), gosdk.NewSSEHandler(get, nil)
		h.mux.Handle("/mcp", endpoint)
		h.mux.Handle("/sse", events)
		h.close = append(h.close, endpoint.Close, events.Close)
	case MCPGo:
		s := mcpgo.NewServer(newMCPGo(), nil)
		endpoint := mcpgo.NewHTTPHandler(s, opts)
		events, err := mcpgo.NewSSEHandler(s, nil)
		if err != nil {
			return nil, err
		}
		h.mux.Handle("/mcp", endpoint)
		h.mux.Handle("/sse", events)
		h.close = append(h.close, endpoint.Close, events.Close)
	default:
		return nil, unknown(sdk)
	}
	h.close = append(h.close, kept.Close)
	return h, nil
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// Close ends all sessions.
func (h *Handler) Close() error {
	var errs []error
	for _, f := range h.close {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}
