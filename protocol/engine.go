package protocol

// enginePrefix is the prefix of keys that are this engine's own and not MCP's:
// peers that do not know them ignore them (ME-01, CO-23).
const enginePrefix = "io.github.wirespool/"

const (
	// MetaRetryKey is the `_meta` key of a request that may be sent more than
	// once: a string, the same in every attempt, while each attempt has an id of
	// its own (CO-08, MR-04, RS-14).
	MetaRetryKey = enginePrefix + "retryKey"
	// DataNotRun is the member of an error's data that is true when the request
	// was refused before any handler saw it, so that it may be sent again.
	DataNotRun = enginePrefix + "notRun"
)
