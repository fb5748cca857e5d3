package peers

import (
	"slices"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/work"
	"github.com/wirespool/wirespool/codec"
)

// operations are what is measured: what package work has, with the peers' entries.
var operations = []work.Operation{
	{Op: "Decode", Groups: func() []work.Group { return work.DecodeGroups(decodePeers) }},
	{Op: "Batch", Groups: func() []work.Group { return work.BatchGroups(batchPeers) }},
	{Op: "Encode", Groups: func() []work.Group { return work.EncodeGroups(encodePeers) }},
	{Op: "Frame", Groups: func() []work.Group { return work.FrameGroups(linePeers, headedPeers) }},
	{Op: "SSE", Groups: func() []work.Group { return work.EventGroups(eventParsers, eventEncoders) }},
	{Op: "Dispatch", Groups: dispatchGroups},
	{Op: "Log", Groups: work.LogGroups},
}

// Groups returns the groups of these operations, of all where none is named.
func Groups(ops ...string) []work.Group { return work.Select(operations, ops...) }

func decodePeers(m bench.Message) []work.Entry {
	return slices.Concat(v2Decode(m.Frame), libraryDecode(m.Frame), simdDecode(m.Frame), sdkDecode(m.Frame, m.Kind))
}

// members says which of the deciding members a message has.
type members struct {
	version        bool // jsonrpc is 2.0
	id, method     []byte
	result, failed bool
}

// kind classifies by which members there are.
func (m *members) kind() codec.Kind {
	switch {
	case !m.version:
		return codec.Invalid
	case len(m.method) > 0 && len(m.id) > 0:
		return codec.Request
	case len(m.method) > 0:
		return codec.Notification
	case m.result && len(m.id) > 0:
		return codec.Response
	case m.failed:
		return codec.ErrorResponse
	}
	return codec.Invalid
}

func (m *members) head() work.Head {
	return work.Head{Kind: m.kind(), ID: string(m.id), Method: string(m.method)}
}
