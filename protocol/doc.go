// Package protocol holds what the Model Context Protocol fixes by name: its
// revisions and eras, its methods and notifications, `_meta` keys, HTTP header
// names, error codes, log levels, and the encoding of mirrored header values.
// It consists of constants and pure functions, imports nothing of this module
// and performs no I/O.
//
// Identifiers such as CO-21 or HD-05 in comments name the rule that a
// declaration follows; the tests carry the same identifiers.
//
// # Usage
//
//	rev, ok := protocol.LookupRevision(offer) // string or []byte
//	if !ok {
//		rev = protocol.NewestLegacy
//	}
//	info, ok := protocol.LookupMethod(name) // string or []byte
//	if ok && info.Use(rev).Has(protocol.SentByClient) {
//		// a client may send it under this revision
//	}
//	h.Set(protocol.HeaderName, protocol.EncodeHeaderValue(uri))
//
// Support is decided by membership in the set of known revisions, never by
// comparing strings: "v999.0.0" sorts above every date (VN-06).
//
// # Concurrency
//
// Everything may be used from any number of goroutines: nothing is written
// after package initialization.
//
// # Ownership
//
// Arguments are borrowed until the call returns and never written to. Lookups
// return constants of this package, so that a name found by a view of a read
// buffer may be kept after the buffer is gone. Strings returned by
// [EncodeHeaderValue], [DecodeHeaderValue] and [TrimOWS] may share the memory
// of their argument. [AppendHeaderValue] transfers dst: use its result instead.
//
// # Limits
//
// No function recurses, and each looks at its input a fixed number of times.
// Lookups and checks allocate nothing. An encoded header value is at most 4/3
// of the value plus 14 bytes long, a decoded one no longer than its field. The
// functions set no maximum of their own; header and message sizes are bounded
// by the packages that read them.
//
// # Errors
//
// What is refused is refused with a [*SyntaxError], which gives the byte offset
// and a reason and never repeats the input, since that is untrusted text.
// Lookups report an unknown name by their second result, and predicates of an
// unknown revision answer as each of them documents.
package protocol
