package otel

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// methodName is the method by a name of which there are few: one of MCP's or of
// ours, or what its handler was registered for.
func methodName(e *dispatch.Event) string {
	if _, known := protocol.LookupMethod(e.Method); known || e.Route == e.Method {
		return e.Method
	}
	if e.Route != "" {
		return e.Route
	}
	return other
}

// target is the attribute that names the tool or prompt of a call, and whether
// there is one.
func target(e *dispatch.Event) (attribute.KeyValue, bool) {
	key := "gen_ai.tool.name"
	switch e.Method {
	case protocol.MethodToolsCall:
	case protocol.MethodPromptsGet:
		key = "gen_ai.prompt.name"
	default:
		return attribute.KeyValue{}, false
	}
	name := textAt(e.Params, "name")
	return attribute.String(key, name), name != ""
}

// textAt returns a copy of a string in params, cut to its limit.
func textAt(params codec.Value, name string) string {
	v, _ := codec.Find(params, name)
	text, _ := v.Text()
	return clip(string(text))
}

// clip cuts what a peer may have made long.
func clip(s string) string {
	if len(s) <= MaxAttribute {
		return s
	}
	return strings.ToValidUTF8(s[:MaxAttribute], "")
}

func spanName(e *dispatch.Event) string {
	name := methodName(e)
	if to, ok := target(e); ok {
		name += " " + to.Value.AsString()
	}
	return name
}

// common are the attributes of everything.
func (o *Observer) common(e *dispatch.Event) (all []attribute.KeyValue) {
	if e.Revision != "" {
		all = append(all, attribute.String("mcp.protocol.version", string(e.Revision)))
	}
	if o.opts.Transport != "" {
		all = append(all, attribute.String("network.transport", o.opts.Transport))
	}
	return all
}

// spanAttributes are those that are known from the start.
func (o *Observer) spanAttributes(e *dispatch.Event) []attribute.KeyValue {
	all := append(o.common(e), attribute.String("mcp.method.name", clip(e.Method)))
	if to, ok := target(e); ok {
		all = append(all, to)
	}
	switch e.Method {
	case protocol.MethodToolsCall:
		all = append(all, attribute.String("gen_ai.operation.name", "execute_tool"))
	case protocol.MethodResourcesRead, protocol.MethodResourcesSubscribe, protocol.MethodResourcesUnsubscribe,
		protocol.NotificationResourcesUpdated:
		if uri := textAt(e.Params, "uri"); uri != "" {
			all = append(all, attribute.String("mcp.resource.uri", uri))
		}
	}
	if e.ID != nil {
		id := e.ID.String()
		if text, ok := codec.Value(e.ID).Text(); ok {
			id = string(text)
		}
		all = append(all, attribute.String("jsonrpc.request.id", clip(id)))
	}
	if id := e.Peer.SessionID(); id != "" && o.opts.SessionID {
		all = append(all, attribute.String("mcp.session.id", id))
	}
	return all
}

// metricAttributes are those of which there are few values.
func (o *Observer) metricAttributes(e *dispatch.Event) []attribute.KeyValue {
	all := append(o.common(e), attribute.String("mcp.method.name", o.methods.limit(methodName(e))))
	if to, ok := target(e); ok {
		to.Value = attribute.StringValue(o.targets.limit(to.Value.AsString()))
		all = append(all, to)
	}
	if e.Method == protocol.MethodToolsCall {
		all = append(all, attribute.String("gen_ai.operation.name", "execute_tool"))
	}
	for _, f := range failure(e) {
		f.Value = attribute.StringValue(o.failures.limit(f.Value.AsString()))
		all = append(all, f)
	}
	return all
}

// failure are the attributes of an operation that failed.
func failure(e *dispatch.Event) (all []attribute.KeyValue) {
	kind := errorType(e)
	if kind == "" {
		return nil
	}
	all = append(all, attribute.String("error.type", kind))
	if e.Wire != nil {
		all = append(all, attribute.String("rpc.response.status_code", strconv.FormatInt(e.Wire.Code, 10)))
	}
	return all
}

// errorType says how an operation failed, "" if it did not.
func errorType(e *dispatch.Event) string {
	switch {
	case e.Outcome == dispatch.OutcomeOK:
		return ""
	case e.Wire != nil:
		return strconv.FormatInt(e.Wire.Code, 10)
	case errors.Is(e.Err, context.DeadlineExceeded):
		return "timeout"
	}
	return e.Outcome.String()
}

// description is the text of a failure that may be shown.
func description(e *dispatch.Event) string {
	switch {
	case e.Wire != nil:
		return clip(e.Wire.Message)
	case e.Err != nil:
		return clip(e.Err.Error())
	}
	return ""
}
