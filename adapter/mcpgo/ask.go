package mcpgo

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// caller sends requests to the client.
type caller interface {
	call(ctx context.Context, method string, params []byte) (*dispatch.Result, error)
}

// ask asks the client and decodes its answer.
func ask[T any](ctx context.Context, to caller, method string, params any) (*T, error) {
	var text []byte
	if params != nil {
		var err error
		if text, err = appendJSON(nil, params); err != nil {
			return nil, fmt.Errorf("mcpgo: params of %s: %w", method, err)
		}
	}
	r, err := to.call(ctx, method, text)
	if err != nil {
		return nil, fmt.Errorf("%s request failed: %w", method, err)
	}
	defer r.Release()
	result := new(T)
	if err := json.Unmarshal(r.Value(), result); err != nil {
		return nil, fmt.Errorf("mcpgo: result of %s: %w", method, err)
	}
	return result, nil
}

func sample(ctx context.Context, to caller, request *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	result, err := ask[mcp.CreateMessageResult](ctx, to, protocol.MethodSamplingCreateMessage, request.CreateMessageParams)
	if err != nil {
		return nil, err
	}
	if result.Content, err = mcp.ParseSamplingContent(result.Content); err != nil {
		return nil, fmt.Errorf("mcpgo: content of a sampling result: %w", err)
	}
	return result, nil
}

func elicit(ctx context.Context, to caller, request *mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return ask[mcp.ElicitationResult](ctx, to, protocol.MethodElicitationCreate, request.Params)
}

func roots(ctx context.Context, to caller) (*mcp.ListRootsResult, error) {
	return ask[mcp.ListRootsResult](ctx, to, protocol.MethodRootsList, nil)
}

// RequestSampling implements [server.SessionWithSampling].
func (c *callSession) RequestSampling(ctx context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return sample(ctx, c, &request)
}

// RequestElicitation implements [server.SessionWithElicitation].
func (c *callSession) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return elicit(ctx, c, &request)
}

// ListRoots implements [server.SessionWithRoots].
func (c *callSession) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return roots(ctx, c)
}

// RequestSampling implements [server.SessionWithSampling].
func (c *connSession) RequestSampling(ctx context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return sample(ctx, c, &request)
}

// RequestElicitation implements [server.SessionWithElicitation].
func (c *connSession) RequestElicitation(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return elicit(ctx, c, &request)
}

// ListRoots implements [server.SessionWithRoots].
func (c *connSession) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return roots(ctx, c)
}
