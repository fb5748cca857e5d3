package peers

import (
	"errors"
	"slices"

	"github.com/wirespool/wirespool/codec"
)

// Entry is one implementation of the work of a group.
type Entry struct {
	Impl string
	Do   func() error // the work, once; what it finds stays where found sees it

	bytes func() int    // how many bytes of input the last Do went through, or of output it made
	found func() string // what it made of them; nil where it does less than the work
}

// Group is one row of figures: the same work on the same bytes by several
// implementations.
type Group struct {
	Op, Shape, Size string
	Messages        int    // how many messages one Do goes through or makes
	Bytes           int    // their length, delimiters included
	Limit           string // the impl that is the floor
	Entries         []Entry

	found string // what every impl that does the whole work must find
}

// Name is the group's part of a benchmark's name.
func (g Group) Name() string { return g.Op + "/shape=" + g.Shape + "/size=" + g.Size }

// Entry returns the entry of an implementation.
func (g Group) Entry(impl string) (Entry, bool) {
	for _, e := range g.Entries {
		if e.Impl == impl {
			return e, true
		}
	}
	return Entry{}, false
}

// operations are what is measured, each with a function that sets its groups up.
var operations = []struct {
	op     string
	groups func() []Group
}{
	{"Decode", decodeGroups}, {"Batch", batchGroups}, {"Encode", encodeGroups}, {"Frame", frameGroups},
	{"SSE", sseGroups},
	{"Dispatch", dispatchGroups},
}

// Groups returns the groups of these operations, of all where none is named.
func Groups(ops ...string) (all []Group) {
	for _, o := range operations {
		if len(ops) == 0 || slices.Contains(ops, o.op) {
			all = append(all, o.groups()...)
		}
	}
	return all
}

// errWork is returned by a body whose implementation did not do the work.
var errWork = errors.New("peers: the work was not done")

// judge returns errWork unless ok.
func judge(ok bool) error {
	if !ok {
		return errWork
	}
	return nil
}

// always is for implementations that either go through all bytes or fail.
func always(n int) func() int { return func() int { return n } }

// head is what a message turns out to be.
type head struct {
	kind       codec.Kind
	id, method string // the id as JSON
}

func (h head) String() string { return h.kind.String() + " " + h.id + " " + h.method }

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

func (m *members) head() head { return head{m.kind(), string(m.id), string(m.method)} }
