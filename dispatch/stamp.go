package dispatch

import (
	"bytes"
	"strconv"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// stamper adds to the results of 2026-07-28 what each of them must or should
// have besides what its handler wrote: that it is complete (CO-24), for how long
// and for whom it may be kept (SH26-26), and who made it (SH26-27). A handler's
// own member is never replaced.
type stamper struct {
	serverInfo codec.Value // a member of _meta with its name; nil if the server has no name
}

func newStamper(i *Info) stamper {
	if i.Name == "" {
		return stamper{}
	}
	return stamper{i.appendImplementation(codec.Value(`"` + protocol.MetaServerInfo + `":`))}
}

// found are the members of a result that the stamp is about.
type found struct {
	kind, ttl, scope, meta codec.Value
	twice                  bool // kind or meta occurs twice: the result is better left alone
}

func lookFor(result codec.Value) (f found) {
	for name, value := range result.Members() {
		var to *codec.Value
		switch text, _ := name.Text(); string(text) {
		case "resultType":
			to = &f.kind
		case "ttlMs":
			to = &f.ttl
		case "cacheScope":
			to = &f.scope
		case "_meta":
			to = &f.meta
		default:
			continue
		}
		if *to != nil && (to == &f.kind || to == &f.meta) {
			f.twice = true
		}
		*to = value
	}
	return f
}

// complete reports whether the result is one that may be cached.
func (f *found) complete() bool {
	text, _ := f.kind.Text()
	return f.kind == nil || string(text) == protocol.ResultComplete
}

// stamp returns result with what it lacks, in memory of w if that is anything.
func (w *worker) stamp(r *Request, method, result []byte) []byte {
	object := codec.Value(bytes.TrimLeft(result, " \t\r\n"))
	if object.Kind() != codec.Object {
		return result
	}
	f := lookFor(object)
	if f.twice {
		return result
	}
	const cut = '{'
	dst := append(w.result[:0], cut)
	if f.kind == nil {
		dst = append(dst, `"resultType":"`+protocol.ResultComplete+`",`...)
	}
	if row, _ := protocol.LookupMethod(method); row.Cacheable && f.complete() {
		dst = r.route.options.appendHints(dst, &f)
	}
	info := r.peer.engine.stamper.serverInfo
	switch {
	case info == nil:
	case f.meta == nil:
		dst = append(append(append(dst, `"_meta":{`...), info...), "},"...)
	case f.meta.Kind() == codec.Object && !has(f.meta, protocol.MetaServerInfo):
		dst = append(append(dst, `"_meta":{`...), info...)
		if !isEmpty(f.meta) {
			dst = append(dst, ',')
		}
		dst = append(append(dst, f.meta[1:]...), ',')
		dst = appendWithout(dst, object, "_meta")
		return w.stamped(dst)
	}
	if len(dst) == 1 {
		w.result = dst
		return result // nothing was missing
	}
	if isEmpty(object) {
		dst = dst[:len(dst)-1] // no comma before the brace
	}
	return w.stamped(append(dst, object[1:]...))
}

// stamped keeps the memory of dst for the next result, unless it is large.
func (w *worker) stamped(dst []byte) []byte {
	if cap(dst) <= flushAt {
		w.result = dst
	}
	return dst
}

// appendHints appends the cache hints that f lacks, each with a comma behind it.
func (o *MethodOptions) appendHints(dst []byte, f *found) []byte {
	if f.ttl == nil {
		ttl := max(o.TTL, 0) / time.Millisecond
		dst = append(strconv.AppendInt(append(dst, `"ttlMs":`...), int64(ttl), 10), ',')
	}
	if f.scope == nil {
		scope := protocol.CacheScopePrivate
		if o.Public {
			scope = protocol.CacheScopePublic
		}
		dst = append(append(append(dst, `"cacheScope":"`...), scope...), `",`...)
	}
	return dst
}

// isEmpty reports an object without members.
func isEmpty(object codec.Value) bool {
	rest := bytes.TrimLeft(object[1:], " \t\r\n")
	return len(rest) > 0 && rest[0] == '}'
}

// appendWithout appends the members of object but for one, and the closing
// brace, behind a comma, which it takes away if nothing follows.
func appendWithout(dst []byte, object codec.Value, without string) []byte {
	for name, value := range object.Members() {
		if text, _ := name.Text(); string(text) != without {
			dst = append(append(append(append(dst, name...), ':'), value...), ',')
		}
	}
	dst[len(dst)-1] = '}'
	return dst
}
