package work

import (
	"errors"
	"slices"
)

// Entry is one implementation of the work of a group.
type Entry struct {
	Impl  string
	Open  func() error  // what has to be there before the first Do: servers, connections; nil for nothing
	Do    func() error  // the work, once; what it finds stays where Found sees it
	Close func() error  // ends what Open has begun, and leaves nothing behind; nil for nothing
	Bytes func() int    // how many bytes of input the last Do went through, or of output it made
	Found func() string // what it made of them; nil where it does less than the work
}

// During runs f between Open and Close.
func (e Entry) During(f func() error) (err error) {
	if e.Open != nil {
		if err := e.Open(); err != nil {
			return err
		}
	}
	if e.Close != nil {
		defer func() { err = errors.Join(err, e.Close()) }()
	}
	return f()
}

// Group is one row of figures: the same work on the same bytes by several
// implementations.
type Group struct {
	Op, Shape, Size string
	Messages        int    // how many messages one Do goes through or makes
	Bytes           int    // their length, delimiters included
	Limit           string // the impl that is the floor
	Found           string // what every impl that does the whole work must find
	Entries         []Entry
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

// Operation is something that is measured, with a function that sets its groups
// up.
type Operation struct {
	Op     string
	Groups func() []Group
}

// Select returns the groups of the operations with these names, of all where none
// is named.
func Select(all []Operation, ops ...string) (groups []Group) {
	for _, o := range all {
		if len(ops) == 0 || slices.Contains(ops, o.Op) {
			groups = append(groups, o.Groups()...)
		}
	}
	return groups
}

// ErrWork is returned by an entry whose implementation did not do the work.
var ErrWork = errors.New("work: it was not done")

// ErrRoom is in the tree of the error of an Open that needs more open files than the
// process may have.
var ErrRoom = errors.New("work: too few files may be open")

// Judge returns ErrWork unless ok.
func Judge(ok bool) error {
	if !ok {
		return ErrWork
	}
	return nil
}

// Always is for implementations that either go through all bytes or fail.
func Always(n int) func() int { return func() int { return n } }
