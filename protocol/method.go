package protocol

import "iter"

// Usage says who may send a method under one revision, and with which mark. It
// is a set of bits; the zero value means that the revision does not have the
// method.
type Usage uint8

const (
	// SentByClient marks the direction client to server.
	SentByClient Usage = 1 << iota
	// SentByServer marks the direction server to client.
	SentByServer
	// Embedded marks a method that travels only as a value of inputRequests,
	// without jsonrpc and id, and is no message of its own (MR-02).
	Embedded
	// Experimental marks what the revision itself calls experimental.
	Experimental
	// Extension marks what exists only where ExtensionTasks was declared (TK-02).
	Extension
	// ListenOnly marks a notification that is sent only on the stream of a
	// subscriptions/listen (SU-02, SU-05).
	ListenOnly
)

// Has reports whether all bits of want are set.
func (u Usage) Has(want Usage) bool {
	return u&want == want
}

// uses holds one Usage for each element of revisions, in that order.
type uses [len(revisions)]Usage

// MethodInfo is a row of the method table. It is a value; its strings are
// constants.
type MethodInfo struct {
	// Name is the exact name on the wire (CO-37).
	Name string
	// NameParam is the member of params that HeaderName mirrors in 2026-07-28:
	// ParamName, ParamURI, ParamTaskID, or empty for none (SH26-14).
	NameParam string
	// Notification distinguishes notifications from requests.
	Notification bool
	// Idempotent reports that a lost request may be sent again without asking
	// what the first one did. It is never set for tools/call, where only the
	// user can know.
	Idempotent bool
	// Cacheable reports that complete results carry ttlMs and cacheScope in
	// 2026-07-28 (SH26-26).
	Cacheable bool
	// InputRequired reports that the result may be ResultInputRequired in
	// 2026-07-28 (MR-01).
	InputRequired bool

	uses uses
}

// Use returns who may send the method under r and with which marks: zero where
// r does not have it, and for every unknown revision.
func (m MethodInfo) Use(r Revision) Usage {
	if i := r.index(); i >= 0 {
		return m.uses[i]
	}
	return 0
}

// methodIndex finds the row of a name. It is never written to after
// initialization.
var methodIndex = indexMethods()

func indexMethods() map[string]*MethodInfo {
	index := make(map[string]*MethodInfo, len(methods))
	for i := range methods {
		index[methods[i].Name] = &methods[i]
	}
	return index
}

// LookupMethod returns the row of the method or notification called name,
// compared exactly (CO-37). It does not allocate, and Name of the result is a
// constant that outlives name.
func LookupMethod[T ~string | ~[]byte](name T) (MethodInfo, bool) {
	if m := methodIndex[string(name)]; m != nil {
		return *m, true
	}
	return MethodInfo{}, false
}

// Methods yields every row of the method table: requests first, then
// notifications, each in a fixed order.
func Methods() iter.Seq[MethodInfo] {
	return func(yield func(MethodInfo) bool) {
		for _, m := range methods {
			if !yield(m) {
				return
			}
		}
	}
}
