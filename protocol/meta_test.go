package protocol_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/protocol"
)

// ME-01, syntax.
func TestCheckMetaKey(t *testing.T) {
	for _, key := range []string{
		protocol.MetaProtocolVersion, protocol.MetaRelatedTask, protocol.MetaProgressToken,
		protocol.MetaTraceparent, "a", "7", "a.b_c-d", "0_.-9",
		"com.example/", "com.example/x", "c/x", "a1.b-2.c--3/n", "A.Z/Q9", "",
	} {
		require.NoError(t, protocol.CheckMetaKey(key), "%q", key)
	}
	for _, tt := range []struct {
		key    string
		offset int
		reason string
	}{
		{"/x", 0, "empty label in the prefix"},
		{"/", 0, "empty label in the prefix"},
		{"com./x", 4, "empty label in the prefix"},
		{"com..x/y", 4, "empty label in the prefix"},
		{".com/y", 0, "empty label in the prefix"},
		{"1com/x", 0, "label does not begin with a letter"},
		{"com.1x/y", 4, "label does not begin with a letter"},
		{"com.-x/y", 4, "label does not begin with a letter"},
		{"com.x-/y", 5, "label does not end with a letter or digit"},
		{"com.x_y/z", 5, "character not allowed in a label"},
		{"com.\u00e9/z", 4, "label does not begin with a letter"},
		{"com.x\u00e9/z", 5, "character not allowed in a label"},
		{"a@b/c", 1, "character not allowed in a label"},
		{"com.x/y/z", 7, "character not allowed in a name"},
		{"a b", 1, "character not allowed in a name"},
		{"a\x00", 1, "character not allowed in a name"},
		{"x/\u00e9", 2, "character not allowed in a name"},
		{"-a", 0, "name does not begin with a letter or digit"},
		{"x/.a", 2, "name does not begin with a letter or digit"},
		{"a_", 1, "name does not end with a letter or digit"},
		{"x/a.", 3, "name does not end with a letter or digit"},
		{"x/-", 2, "name does not begin with a letter or digit"},
	} {
		want := &protocol.SyntaxError{What: "_meta key", Offset: tt.offset, Reason: tt.reason}
		require.Equal(t, want, protocol.CheckMetaKey(tt.key), "%q", tt.key)
	}
	// The neighbours of the letters and digits in ASCII.
	for _, ch := range []string{"@", "[", "`", "{", "/", ":"} {
		require.Error(t, protocol.CheckMetaKey("c.a"+ch+"b/x"), "%q", ch)
		require.Error(t, protocol.CheckMetaKey("c/a"+ch+"b"), "%q", ch)
	}
}

// ME-01, reserved prefixes; all examples of the revisions.
func TestIsReservedMetaKey(t *testing.T) {
	for _, tt := range []struct {
		key       string
		r25b, new bool
	}{
		{"modelcontextprotocol.io/x", true, false},
		{"mcp.dev/x", true, false},
		{"api.modelcontextprotocol.org/x", true, true},
		{"tools.mcp.com/x", true, true},
		{"io.modelcontextprotocol/x", false, true},
		{"dev.mcp/x", false, true},
		{"org.modelcontextprotocol.api/x", true, true},
		{"com.mcp.tools/x", true, true},
		{"com.example.mcp/x", false, false},
		{"com.example.mcp.dev/x", true, false},
		{"mcp.dev.example/x", true, false},
		{"mcp/x", false, false},
		{"com.MCP.tools/x", false, false},
		{"com.mcpx.tools/x", false, false},
		{"com.example/mcp", false, false},
		{"com.mcp.tools", false, false},
		{"progressToken", false, false},
		{"", false, false},
	} {
		for r, want := range map[protocol.Revision]bool{
			protocol.V20241105: false,
			protocol.V20250326: false,
			protocol.V20250618: tt.r25b,
			protocol.V20251125: tt.new,
			protocol.V20260728: tt.new,
			unknown:            false,
		} {
			require.Equal(t, want, protocol.IsReservedMetaKey(r, tt.key), "%s %q", r, tt.key)
		}
	}
}

// TestEngineKeys: our own keys are well formed, and in nobody's reserved space
// (ME-01).
func TestEngineKeys(t *testing.T) {
	for _, key := range []string{protocol.MetaRetryKey, protocol.DataNotRun} {
		require.NoError(t, protocol.CheckMetaKey(key))
		for r := range protocol.Revisions() {
			require.False(t, protocol.IsReservedMetaKey(r, key), "%s in %s", key, r)
		}
	}
}
