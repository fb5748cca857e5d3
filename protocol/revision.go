package protocol

import "iter"

// Revision is a protocol revision by its wire string. The zero value stands
// for "not negotiated"; a value outside the known set is representable, and
// every predicate says what it answers for one.
type Revision string

// The known revisions. The draft of the snapshot this package follows has no
// wire string of its own and is 2026-07-28 in all respects.
const (
	V20241105 Revision = "2024-11-05"
	V20250326 Revision = "2025-03-26"
	V20250618 Revision = "2025-06-18"
	V20251125 Revision = "2025-11-25"
	V20260728 Revision = "2026-07-28"
)

const (
	// NewestLegacy answers an initialize whose offer is unknown or modern
	// (VN-02, VN-04).
	NewestLegacy = V20251125
	// NewestModern is what a client prefers in server/discover (VN-20).
	NewestModern = V20260728
	// AssumedRevision is in force on legacy Streamable HTTP where neither the
	// version header nor a session names one (SL-21).
	AssumedRevision = V20250326
)

// revisions lists the known revisions, oldest first. It is never written to.
var revisions = [...]Revision{V20241105, V20250326, V20250618, V20251125, V20260728}

// Revisions yields the known revisions, oldest first.
func Revisions() iter.Seq[Revision] {
	return func(yield func(Revision) bool) {
		for _, r := range revisions {
			if !yield(r) {
				return
			}
		}
	}
}

// LookupRevision returns the known revision spelled exactly like text. The
// result is a constant of this package and does not alias text (VN-06).
func LookupRevision[T ~string | ~[]byte](text T) (Revision, bool) {
	for _, r := range revisions {
		if string(text) == string(r) {
			return r, true
		}
	}
	return "", false
}

// index returns the position of r in revisions, or -1.
func (r Revision) index() int {
	for i, known := range revisions {
		if r == known {
			return i
		}
	}
	return -1
}

// Era says how a revision carries version, identity and capabilities.
type Era uint8

const (
	// EraUnknown is the era of a revision outside the known set.
	EraUnknown Era = iota
	// Legacy revisions negotiate once, by the initialize handshake.
	Legacy
	// Modern revisions carry everything in the _meta of each request.
	Modern
)

// String returns "legacy", "modern" or "unknown".
func (e Era) String() string {
	switch e {
	case Legacy:
		return "legacy"
	case Modern:
		return "modern"
	}
	return "unknown"
}

// Era returns the era of r, EraUnknown for an unknown revision.
func (r Revision) Era() Era {
	switch r {
	case V20241105, V20250326, V20250618, V20251125:
		return Legacy
	case V20260728:
		return Modern
	}
	return EraUnknown
}

// AllowsBatches reports whether arrays are accepted while r is in force: in
// 2025-03-26, where receiving them is mandatory (CO-31), and in 2024-11-05,
// where JSON-RPC 2.0 has them and MCP is silent (CO-30). Later revisions and
// unknown ones refuse them (CO-34).
func (r Revision) AllowsBatches() bool {
	return r == V20241105 || r == V20250326
}

// NullErrorID reports whether an error reply to a message without a readable id
// says "id":null. From 2025-11-25 the member is left out instead. An unknown
// revision gets the null that JSON-RPC 2.0 asks for (CO-18, CO-20, CO-21).
func (r Revision) NullErrorID() bool {
	return r != V20251125 && r != V20260728
}

// AllowsPriming reports whether an event stream may open with an event that has
// an id and empty data. Clients of earlier revisions parse the empty string as
// JSON, and 2026-07-28 has no event ids at all (SL-10, SL-12, RS-14).
func (r Revision) AllowsPriming() bool {
	return r == V20251125
}

// NeedsVersionHeader reports whether HTTP requests under r carry
// HeaderProtocolVersion: after the handshake in 2025-06-18 and 2025-11-25, on
// every POST in 2026-07-28 (SL-20, SH26-08). An unknown revision reports false.
func (r Revision) NeedsVersionHeader() bool {
	return r == V20250618 || r == V20251125 || r == V20260728
}
