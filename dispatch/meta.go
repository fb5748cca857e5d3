package dispatch

import (
	"bytes"
	"strconv"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// withMeta returns params with what the engine adds to _meta: the progress
// token of a call that wants progress, in 2026-07-28 the version, identity and
// capabilities that every request carries (SC26-04), and the trace it is part
// of (TR-01). A member the caller set itself wins. Params that need nothing come
// back as they are, others in memory of w.
func (p *Peer) withMeta(w *worker, c *call, params []byte, trace *Trace) []byte {
	params = bytes.TrimLeft(params, " \t\r\n")
	if c.meta == nil && !c.progress && trace == nil {
		return params
	}
	if k := codec.Value(params).Kind(); k != codec.Object && k != codec.Absent {
		return params // positional: there is no place for it
	}
	given, _ := codec.Find(params, "_meta")
	add := append(w.meta[:0], '{')
	if token, _ := codec.Find(given, protocol.MetaProgressToken); token != nil {
		p.mu.Lock()
		c.token = codec.ID(token).Key()
		p.mu.Unlock()
	} else if c.progress {
		add = strconv.AppendInt(append(add, `"`+protocol.MetaProgressToken+`":`...), c.id, 10)
	}
	for name, value := range c.meta.Members() {
		add = appendMember(add, len("{"), name, value)
	}
	add = trace.appendMeta(add, given)
	w.meta = append(add, '}')
	w.reply.B = codec.AppendMeta(w.reply.B[:0], params, w.meta)
	return w.reply.B
}

// appendMember appends a member, with a comma unless it is the first one behind
// from.
func appendMember(dst []byte, from int, name, value codec.Value) []byte {
	if len(dst) > from {
		dst = append(dst, ',')
	}
	dst = append(dst, name...)
	dst = append(dst, ':')
	return append(dst, value...)
}

func has(object codec.Value, name string) bool {
	v, _ := codec.Find(object, name)
	return v != nil
}

// standingMeta is what a client puts into the _meta of every request of
// revision.
func (i *Info) standingMeta(revision protocol.Revision) codec.Value {
	dst := append(codec.Value(nil), `{"`+protocol.MetaProtocolVersion+`":`...)
	dst = codec.AppendString(dst, revision)
	dst = append(dst, `,"`+protocol.MetaClientInfo+`":`...)
	dst = i.appendImplementation(dst)
	dst = append(dst, `,"`+protocol.MetaClientCapabilities+`":`...)
	return append(i.appendCapabilities(dst), '}')
}
