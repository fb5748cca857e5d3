package mcp

import (
	"context"
	"slices"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// stampModern adds to results of 2026-07-28 for how long they may be kept
// (SH26-26) and who made them (SH26-27). That they are complete, where a
// handler does not say otherwise, the engine adds itself (CO-24).
func stampModern(info *dispatch.Info) dispatch.Middleware {
	serverInfo := append(codec.Value(`"`+protocol.MetaServerInfo+`":{"name":`), codec.AppendString(nil, info.Name)...)
	serverInfo = append(codec.AppendString(append(serverInfo, `,"version":`...), info.Version), '}')
	return func(next dispatch.Handler) dispatch.Handler {
		return func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
			from := len(dst)
			dst, err := next(ctx, r, dst)
			if err != nil || r.Revision().Era() != protocol.Modern || codec.Value(dst[from:]).Kind() != codec.Object {
				return dst, err
			}
			return stamp(dst, from, r.Method(), serverInfo), nil
		}
	}
}

// lifetimes says how long, in milliseconds, a client may keep a result. The
// lists that change at run time are not to be kept at all.
var lifetimes = map[string]string{
	protocol.MethodResourcesList:          "300000",
	protocol.MethodResourcesTemplatesList: "300000",
}

// stamp inserts what is missing behind the opening brace of the result
// dst[from:].
func stamp(dst []byte, from int, method string, serverInfo codec.Value) []byte {
	result := codec.Value(dst[from:])
	kind, _ := codec.Find(result, "resultType")
	meta, _ := codec.Find(result, "_meta")
	var head []byte
	if row, _ := protocol.LookupMethod(method); row.Cacheable && kind == nil {
		ttl := lifetimes[method]
		if ttl == "" {
			ttl = "0"
		}
		head = append(head, `"ttlMs":`+ttl+`,"cacheScope":"`+protocol.CacheScopePublic+`",`...)
	}
	if meta == nil { // the one handler that sets it names the server itself
		head = append(append(append(head, `"_meta":{`...), serverInfo...), `},`...)
	}
	if next := dst[from+1:]; len(head) > 0 && next[0] == '}' {
		head = head[:len(head)-1] // nothing follows the last comma
	}
	return slices.Insert(dst, from+1, head...)
}
