package cross

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/protocol"
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

// Failure is what the tool fail says.
const Failure = "it failed, as it should"

// Options say which server it is.
type Options struct {
	SDK string // GoSDK or MCPGo
	// Stock has it on the SDK's own transports. Over HTTP these have sessions, which
	// with go-sdk can be resumed, if Stateless does not leave them out.
	Stock, Stateless bool
	// Modern has a stateless stock server of go-sdk speak 2026-07-28 alone.
	Modern bool
}

// Serve serves standard input and output until the client has ended its side.
func Serve(ctx context.Context, o Options) error {
	switch {
	case o.SDK == GoSDK && o.Stock:
		return newGoSDK().Run(ctx, &mcp.StdioTransport{})
	case o.SDK == GoSDK:
		return newGoSDK().Run(ctx, gosdk.Stdio(nil))
	case o.SDK == MCPGo && o.Stock:
		return server.ServeStdio(newMCPGo(pauseOfStock))
	case o.SDK == MCPGo:
		return mcpgo.ServeStdio(ctx, newMCPGo(0), nil)
	}
	return unknown(o.SDK)
}

func unknown(sdk string) error { return fmt.Errorf("cross: there is no server of %q", sdk) }

// Handler serves Streamable HTTP at /mcp, with sessions that can be resumed unless
// [Options] say otherwise, and HTTP+SSE at /sse.
type Handler struct {
	mux   *http.ServeMux
	close []func() error // in this order
}

// NewHandler returns the handler of a server.
func NewHandler(o Options) (*Handler, error) {
	h := &Handler{mux: http.NewServeMux()}
	var err error
	switch {
	case o.SDK == GoSDK && o.Stock:
		h.stockGoSDK(o)
	case o.SDK == GoSDK:
		h.goSDK()
	case o.SDK == MCPGo && o.Stock:
		h.stockMCPGo(o)
	case o.SDK == MCPGo:
		err = h.mcpGo()
	default:
		err = unknown(o.SDK)
	}
	return h, err
}

func (h *Handler) goSDK() {
	kept := eventlog.NewMemory(nil)
	s := newGoSDK()
	get := func(*http.Request) *mcp.Server { return s }
	endpoint, events := gosdk.NewHandler(get, &streamhttp.Options{Log: kept}), gosdk.NewSSEHandler(get, nil)
	h.mux.Handle("/mcp", endpoint)
	h.mux.Handle("/sse", events)
	h.close = append(h.close, endpoint.Close, events.Close, kept.Close)
}

func (h *Handler) mcpGo() error {
	kept := eventlog.NewMemory(nil)
	s := mcpgo.NewServer(newMCPGo(0), nil)
	endpoint := mcpgo.NewHTTPHandler(s, &streamhttp.Options{Log: kept})
	events, err := mcpgo.NewSSEHandler(s, nil)
	if err != nil {
		return err
	}
	h.mux.Handle("/mcp", endpoint)
	h.mux.Handle("/sse", events)
	h.close = append(h.close, endpoint.Close, events.Close, kept.Close)
	return nil
}

func (h *Handler) stockGoSDK(o Options) {
	opts := &mcp.StreamableHTTPOptions{Stateless: o.Stateless, PropagateRequestCancellation: true}
	if !o.Stateless {
		opts.EventStore = mcp.NewMemoryEventStore(nil)
	}
	var versions []string
	if o.Modern {
		versions = []string{string(protocol.V20260728)}
	}
	s := newGoSDK(versions...)
	get := func(*http.Request) *mcp.Server { return s }
	h.mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(get, opts))
	h.mux.Handle("/sse", mcp.NewSSEHandler(get, nil))
	h.close = append(h.close, func() error {
		for session := range s.Sessions() {
			_ = session.Close() // what its client left behind
		}
		return nil
	})
}

func (h *Handler) stockMCPGo(o Options) {
	s := newMCPGo(pauseOfStock)
	events := server.NewSSEServer(s)
	// Without sessions whoever has a stream outside of calls would get what is meant for
	// the calls of others.
	h.mux.Handle("/mcp", server.NewStreamableHTTPServer(s, server.WithStateLess(o.Stateless), server.WithDisableStreaming(o.Stateless)))
	h.mux.Handle("/sse", events.SSEHandler())
	h.mux.Handle("/message", events.MessageHandler())
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
