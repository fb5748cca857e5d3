package mcpgo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// install puts our hooks before all others of s, unless they are there already:
// HandleMessage has no other place where a transport may hand in what it knows
// besides the text, and learn what a handler returned.
func install(s *server.MCPServer) *server.Hooks {
	h := s.GetHooks()
	if h == nil {
		h = &server.Hooks{}
		server.WithHooks(h)(s)
	}
	ours := reflect.ValueOf(hook).Pointer()
	if slices.ContainsFunc(h.OnBeforeAny, func(f server.BeforeAnyHookFunc) bool { return reflect.ValueOf(f).Pointer() == ours }) {
		return h
	}
	h.OnBeforeAny = slices.Insert(h.OnBeforeAny, 0, server.BeforeAnyHookFunc(hook))
	h.OnError = slices.Insert(h.OnError, 0, server.OnErrorHookFunc(errorHook))
	return h
}

// errorHook notes an error that has a code of its own: mcp-go answers everything
// that a handler returns with -32603.
func errorHook(ctx context.Context, _ any, _ mcp.MCPMethod, _ any, err error) {
	c, ok := server.ClientSessionFromContext(ctx).(*callSession)
	if !ok {
		return
	}
	if e, ok := errors.AsType[*codec.Error](err); ok {
		c.failure = e
	} else if missing, ok := errors.AsType[mcp.MissingRequiredClientCapabilityError](err); ok { // SH26-16
		data := codec.AppendString([]byte(`{"requiredCapabilities":{`), missing.Capability)
		c.failure = &codec.Error{
			Code:    protocol.CodeMissingRequiredClientCapability,
			Message: missing.Error(),
			Data:    append(data, ":{}}}"...),
		}
	}
}

// handsOver reports whether our hook is still in place, and no hook looks at the
// text of messages.
func (s *Server) handsOver() bool {
	return s.mcp.GetHooks() == s.hooks && len(s.hooks.OnRequestInitialization) == 0
}

// hook completes a request that mcp-go has decoded: with the arguments that we
// decoded, and with the headers it came with.
func hook(ctx context.Context, _ any, _ mcp.MCPMethod, message any) {
	c, ok := server.ClientSessionFromContext(ctx).(*callSession)
	if !ok {
		return // another transport's
	}
	if call, ok := message.(*mcp.CallToolRequest); ok && c.lacks != nil {
		c.complete(ctx, call)
	}
	if h := c.header(); h != nil {
		if at := headerOf(message); at != nil {
			*at = h
		}
	}
}

// complete puts into a tools/call what its text lacked.
func (c *callSession) complete(ctx context.Context, call *mcp.CallToolRequest) {
	lacks := c.lacks
	c.lacks = nil
	p := &call.Params
	p.Name, p.Arguments, p.RawArguments = lacks.tool, lacks.arguments, json.RawMessage(bytes.Clone(lacks.raw))
	if lacks.meta != nil {
		p.Meta = lacks.meta
	}
	if capabilities := lacks.sender.capabilities; capabilities != nil {
		own := *capabilities
		info := server.RequestProtocolInfoFromContext(ctx)
		if lacks.sender.version != "" {
			info.Modern, info.ProtocolVersion, info.LogLevel = true, lacks.sender.version, lacks.sender.level
			if !c.Initialized() {
				c.Initialize()
			}
		}
		info.ClientCapabilities = &own
		if lacks.sender.info != nil {
			own := *lacks.sender.info
			info.ClientInfo = &own
		}
		c.said(&lacks.sender)
	}
	lacks.put()
}

// headerOf returns where a request of mcp-go keeps its headers; nil for a type
// that keeps none.
func headerOf(message any) *http.Header {
	switch m := message.(type) {
	case *mcp.CallToolRequest:
		return &m.Header
	case *mcp.InitializeRequest:
		return &m.Header
	case *mcp.PingRequest:
		return &m.Header
	case *mcp.DiscoverRequest:
		return &m.Header
	case *mcp.SubscriptionsListenRequest:
		return &m.Header
	case *mcp.SetLevelRequest:
		return &m.Header
	case *mcp.ListResourcesRequest:
		return &m.Header
	case *mcp.ListResourceTemplatesRequest:
		return &m.Header
	case *mcp.ReadResourceRequest:
		return &m.Header
	case *mcp.SubscribeRequest:
		return &m.Header
	case *mcp.UnsubscribeRequest:
		return &m.Header
	case *mcp.ListPromptsRequest:
		return &m.Header
	case *mcp.GetPromptRequest:
		return &m.Header
	case *mcp.ListToolsRequest:
		return &m.Header
	case *mcp.GetTaskRequest:
		return &m.Header
	case *mcp.ListTasksRequest:
		return &m.Header
	case *mcp.TaskResultRequest:
		return &m.Header
	case *mcp.CancelTaskRequest:
		return &m.Header
	case *mcp.CompleteRequest:
		return &m.Header
	}
	return nil
}

// header returns the headers of the HTTP request that the call came in, nil where
// there was none.
func (c *callSession) header() http.Header {
	if r, ok := c.via().(transport.Headers); ok {
		return r.Header()
	}
	return nil
}

// Header returns the headers of the HTTP request that is being handled in ctx;
// nil on other transports. They must not be written to.
func Header(ctx context.Context) http.Header {
	if c, ok := server.ClientSessionFromContext(ctx).(*callSession); ok {
		return c.header()
	}
	return nil
}

// Principal says who sent the HTTP request that is being handled in ctx, as the
// transport's Authenticate found out; empty for nobody in particular.
func Principal(ctx context.Context) string {
	if c, ok := server.ClientSessionFromContext(ctx).(*callSession); ok {
		if r, ok := c.via().(transport.Principal); ok {
			return r.Principal()
		}
	}
	return ""
}
