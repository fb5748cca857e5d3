package protocol_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/protocol"
)

func TestConstantsOnTheWire(t *testing.T) {
	for constant, wire := range map[string]string{
		protocol.JSONRPCVersion: "2.0",

		protocol.MetaPrefix:             "io.modelcontextprotocol/",
		protocol.MetaProtocolVersion:    "io.modelcontextprotocol/protocolVersion",
		protocol.MetaClientCapabilities: "io.modelcontextprotocol/clientCapabilities",
		protocol.MetaClientInfo:         "io.modelcontextprotocol/clientInfo",
		protocol.MetaLogLevel:           "io.modelcontextprotocol/logLevel",
		protocol.MetaServerInfo:         "io.modelcontextprotocol/serverInfo",
		protocol.MetaSubscriptionID:     "io.modelcontextprotocol/subscriptionId",
		protocol.MetaRelatedTask:        "io.modelcontextprotocol/related-task",
		protocol.MetaProgressToken:      "progressToken",
		protocol.MetaTraceparent:        "traceparent",
		protocol.MetaTracestate:         "tracestate",
		protocol.MetaBaggage:            "baggage",
		protocol.ExtensionTasks:         "io.modelcontextprotocol/tasks",

		protocol.ResultComplete:      "complete",
		protocol.ResultInputRequired: "input_required",
		protocol.ResultTask:          "task",
		protocol.CacheScopePublic:    "public",
		protocol.CacheScopePrivate:   "private",

		protocol.MediaTypeJSON:        "application/json",
		protocol.MediaTypeEventStream: "text/event-stream",
		protocol.SentinelPrefix:       "=?base64?",
		protocol.SentinelSuffix:       "?=",
	} {
		require.Equal(t, wire, constant)
	}
}

// Names of headers index an http.Header directly, and are the names of the
// revisions in another case (HD-01).
func TestHeaderNamesAreCanonical(t *testing.T) {
	for constant, spelled := range map[string]string{
		protocol.HeaderProtocolVersion: "MCP-Protocol-Version",
		protocol.HeaderSessionID:       "MCP-Session-Id",
		protocol.HeaderMethod:          "Mcp-Method",
		protocol.HeaderName:            "Mcp-Name",
		protocol.HeaderParamPrefix:     "Mcp-Param-",
		protocol.HeaderLastEventID:     "Last-Event-ID",
		protocol.HeaderAccept:          "Accept",
		protocol.HeaderAllow:           "Allow",
		protocol.HeaderAuthorization:   "Authorization",
		protocol.HeaderContentType:     "Content-Type",
		protocol.HeaderOrigin:          "Origin",
		protocol.HeaderWWWAuthenticate: "WWW-Authenticate",
		protocol.HeaderXAccelBuffering: "X-Accel-Buffering",
	} {
		require.Equal(t, http.CanonicalHeaderKey(spelled), constant)
	}
}

func TestCodes(t *testing.T) {
	for _, tt := range []struct {
		constant, wire int64
		text           string
	}{
		{protocol.CodeParseError, -32700, "Parse error"},
		{protocol.CodeInvalidRequest, -32600, "Invalid Request"},
		{protocol.CodeMethodNotFound, -32601, "Method not found"},
		{protocol.CodeInvalidParams, -32602, "Invalid params"},
		{protocol.CodeInternalError, -32603, "Internal error"},
		{protocol.CodeHeaderMismatch, -32020, "Header mismatch"},
		{protocol.CodeMissingRequiredClientCapability, -32021, "Missing required client capability"},
		{protocol.CodeUnsupportedProtocolVersion, -32022, "Unsupported protocol version"},
		{protocol.CodeTimeout, -32000, "Timeout"},
		{protocol.CodeResourceNotFound, -32002, "Resource not found"},
		{protocol.CodeURLElicitationRequired, -32042, "URL elicitation required"},
		{protocol.CodeRequestCancelled, -32800, "Request cancelled"},
	} {
		require.Equal(t, tt.wire, tt.constant)
		require.Equal(t, tt.text, protocol.CodeText(tt.wire))
	}
	// -32001, -32003 and -32004 were codes of drafts and are not recognised.
	for _, code := range []int64{0, 1, 1001, -1, 32700, -32001, -32003, -32004, -32099, -32768, 1 << 40} {
		require.Empty(t, protocol.CodeText(code), "%d", code)
	}
}

func TestJSONRPCMessages(t *testing.T) {
	require.Equal(t, "Parse error", protocol.MessageParseError)
	require.Equal(t, "Invalid Request", protocol.MessageInvalidRequest)
	require.Equal(t, "Method not found", protocol.MessageMethodNotFound)
	require.Equal(t, "Invalid params", protocol.MessageInvalidParams)
	require.Equal(t, "Internal error", protocol.MessageInternalError)
}

func TestLogLevels(t *testing.T) {
	var previous protocol.LogLevel
	for _, tt := range []struct {
		level protocol.LogLevel
		name  string
	}{
		{protocol.LevelDebug, "debug"},
		{protocol.LevelInfo, "info"},
		{protocol.LevelNotice, "notice"},
		{protocol.LevelWarning, "warning"},
		{protocol.LevelError, "error"},
		{protocol.LevelCritical, "critical"},
		{protocol.LevelAlert, "alert"},
		{protocol.LevelEmergency, "emergency"},
	} {
		require.Greater(t, tt.level, previous, "LO-01 order")
		previous = tt.level
		require.Equal(t, tt.name, tt.level.String())
		got, ok := protocol.LookupLogLevel(tt.name)
		require.True(t, ok)
		require.Equal(t, tt.level, got)
		got, ok = protocol.LookupLogLevel([]byte(tt.name))
		require.True(t, ok)
		require.Equal(t, tt.level, got)
	}
	for _, name := range []string{"", "Debug", "warn", "fatal", "emergency ", "0"} {
		got, ok := protocol.LookupLogLevel(name)
		require.False(t, ok, "%q", name)
		require.Zero(t, got, "%q", name)
	}
	require.Empty(t, protocol.LogLevel(0).String())
	require.Empty(t, (protocol.LevelEmergency + 1).String())
	require.Empty(t, protocol.LogLevel(255).String())
}
