package protocol

import "strings"

// MetaPrefix is the prefix of every `_meta` key that MCP names with one.
const MetaPrefix = "io.modelcontextprotocol/"

// Keys of `_meta`.
const (
	// MetaProtocolVersion is required in 2026-07-28 requests, and it alone
	// decides the era of a request (SH26-09, VN-31).
	MetaProtocolVersion = MetaPrefix + "protocolVersion"
	// MetaClientCapabilities is required in 2026-07-28 requests (SH26-09).
	MetaClientCapabilities = MetaPrefix + "clientCapabilities"
	// MetaClientInfo should be in 2026-07-28 requests; it is never demanded
	// (SH26-10).
	MetaClientInfo = MetaPrefix + "clientInfo"
	// MetaLogLevel asks for log messages on the stream of the request (SH26-23).
	MetaLogLevel = MetaPrefix + "logLevel"
	// MetaServerInfo should be in every 2026-07-28 result (SH26-27).
	MetaServerInfo = MetaPrefix + "serverInfo"
	// MetaSubscriptionID carries the id of the subscriptions/listen request,
	// type preserved (SU-05).
	MetaSubscriptionID = MetaPrefix + "subscriptionId"
	// MetaRelatedTask is the task key of 2025-11-25 (TK-01).
	MetaRelatedTask = MetaPrefix + "related-task"
	// MetaProgressToken asks for progress, in every revision (PR-01).
	MetaProgressToken = "progressToken"
	// MetaTraceparent, MetaTracestate and MetaBaggage are the W3C names without
	// a prefix (TR-01).
	MetaTraceparent = "traceparent"
	MetaTracestate  = "tracestate"
	MetaBaggage     = "baggage"
)

// ExtensionTasks is the identifier of the tasks extension of 2026-07-28 (TK-02).
const ExtensionTasks = MetaPrefix + "tasks"

// Values of resultType in 2026-07-28; an absent member means ResultComplete
// (CO-24, CO-25).
const (
	ResultComplete      = "complete"
	ResultInputRequired = "input_required"
	// ResultTask belongs to ExtensionTasks (TK-02).
	ResultTask = "task"
)

// Values of cacheScope in 2026-07-28 (SH26-26).
const (
	CacheScopePublic  = "public"
	CacheScopePrivate = "private"
)

// CheckMetaKey checks the syntax of a `_meta` key that is about to be sent: an
// optional prefix of dotted labels and a slash, then a name, which may be
// empty. Labels begin with a letter, end with a letter or digit and have
// hyphens inside; a name begins and ends with a letter or digit and has
// hyphens, underscores and dots inside. The error is a [*SyntaxError]. Keys of
// a peer are not checked but kept as they are (ME-01, ME-02).
func CheckMetaKey(key string) error {
	slash := strings.IndexByte(key, '/')
	for start := 0; start <= slash; {
		end := start + strings.IndexAny(key[start:], "./")
		if err := checkLabel(key, start, end); err != nil {
			return err
		}
		start = end + 1
	}
	return checkName(key, slash+1)
}

// checkLabel checks the label key[start:end] of a prefix.
func checkLabel(key string, start, end int) error {
	if start == end {
		return metaKeyError(start, "empty label in the prefix")
	}
	if !isLetter(key[start]) {
		return metaKeyError(start, "label does not begin with a letter")
	}
	for i := start; i < end; i++ {
		if !isAlphanumeric(key[i]) && key[i] != '-' {
			return metaKeyError(i, "character not allowed in a label")
		}
	}
	if key[end-1] == '-' {
		return metaKeyError(end-1, "label does not end with a letter or digit")
	}
	return nil
}

// checkName checks the name key[start:].
func checkName(key string, start int) error {
	if start == len(key) {
		return nil
	}
	for i := start; i < len(key); i++ {
		if !isAlphanumeric(key[i]) && key[i] != '-' && key[i] != '_' && key[i] != '.' {
			return metaKeyError(i, "character not allowed in a name")
		}
	}
	if !isAlphanumeric(key[start]) {
		return metaKeyError(start, "name does not begin with a letter or digit")
	}
	if !isAlphanumeric(key[len(key)-1]) {
		return metaKeyError(len(key)-1, "name does not end with a letter or digit")
	}
	return nil
}

func metaKeyError(offset int, reason string) error {
	return &SyntaxError{What: "_meta key", Offset: offset, Reason: reason}
}

func isLetter(ch byte) bool {
	return 'a' <= ch|0x20 && ch|0x20 <= 'z'
}

func isAlphanumeric(ch byte) bool {
	return isLetter(ch) || '0' <= ch && ch <= '9'
}

// IsReservedMetaKey reports whether the prefix of key is kept for MCP by r. In
// 2025-06-18 that is a label "modelcontextprotocol" or "mcp" with another label
// after it (mcp.dev/), from 2025-11-25 one of them as the second label
// (io.modelcontextprotocol/). Earlier and unknown revisions reserve no prefix.
// The syntax of key is the business of [CheckMetaKey] (ME-01).
func IsReservedMetaKey(r Revision, key string) bool {
	prefix, _, found := strings.Cut(key, "/")
	if !found {
		return false
	}
	switch r {
	case V20250618:
		for label, rest, more := strings.Cut(prefix, "."); more; label, rest, more = strings.Cut(rest, ".") {
			if isReservedLabel(label) {
				return true
			}
		}
	case V20251125, V20260728:
		_, rest, _ := strings.Cut(prefix, ".")
		second, _, _ := strings.Cut(rest, ".")
		return isReservedLabel(second)
	}
	return false
}

func isReservedLabel(label string) bool {
	return label == "modelcontextprotocol" || label == "mcp"
}
