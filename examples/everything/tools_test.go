package everything_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

func TestDemoTools(t *testing.T) {
	eachRevision(t, func(t *testing.T, s *session) {
		require.Subset(t, s.names(), []string{"echo", "add", "divide", "slow", "add_tool", "remove_tool"})
		require.Equal(t, "Echo: Hello from MCP client!", s.text("echo", object{"message": "Hello from MCP client!"}))
		require.Equal(t, "Echo: ", s.text("echo", object{"message": ""}))
		require.Equal(t, "100", s.text("add", object{"a": 42, "b": 58}))

		sum, err := s.Call(t.Context(), "add", object{"a": 2.5, "b": -40})
		require.NoError(t, err)
		require.Equal(t, s.revision >= protocol.V20250618, sum.StructuredContent != nil)

		for tool, arguments := range map[string]any{
			"divide":              object{"a": 1, "b": 0},
			"test_error_handling": nil,
			"echo":                object{"message": 5},
			"remove_tool":         object{"name": "echo"},
			"add_tool":            object{"name": "../x"},
		} {
			failed, err := s.Call(t.Context(), tool, arguments)
			require.NoError(t, err, "a tool's failure is a result")
			require.True(t, failed.IsError, tool)
			require.NotEmpty(t, failed.Text())
			require.NotContains(t, failed.Text(), "*", "no Go in it")
		}
		require.Equal(t, int64(protocol.CodeInvalidParams), s.refused("tools/call", object{"name": "none"}).Code)
		require.Equal(t, int64(protocol.CodeInvalidParams), s.refused("tools/list", object{"cursor": "x"}).Code)
		require.Equal(t, int64(protocol.CodeMethodNotFound), s.refused("tools/none", nil).Code)
	})
}

func TestContent(t *testing.T) {
	eachRevision(t, func(t *testing.T, s *session) {
		for tool, kinds := range map[string][]string{
			"test_simple_text":            {"text"},
			"test_image_content":          {"image"},
			"test_audio_content":          {"audio"},
			"test_embedded_resource":      {"resource"},
			"test_multiple_content_types": {"text", "image", "resource"},
		} {
			var got []string
			for _, c := range s.raw("tools/call", object{"name": tool})["content"].([]any) {
				got = append(got, c.(object)["type"].(string))
			}
			require.Equal(t, kinds, got, tool)
		}
		image := s.raw("tools/call", object{"name": "test_image_content"})["content"].([]any)[0].(object)
		require.Equal(t, "image/png", image["mimeType"])
		require.Contains(t, image["data"], "iVBORw0KGgo", "the base64 of a PNG")

		for _, tool := range s.raw("tools/list", nil)["tools"].([]any) {
			tool := tool.(object)
			require.NotEmpty(t, tool["description"], tool["name"])
			require.Equal(t, "object", tool["inputSchema"].(object)["type"], tool["name"])
			if tool["name"] == "json_schema_2020_12_tool" {
				require.Subset(t, keys(tool["inputSchema"].(object)), []string{"$schema", "$defs", "allOf", "if", "then", "else", "additionalProperties"})
			}
		}
	})
}

func keys(o object) []string {
	var names []string
	for name := range o {
		names = append(names, name)
	}
	return names
}

func TestProgressAndLogging(t *testing.T) {
	eachRevision(t, func(t *testing.T, s *session) {
		var seen []dispatch.Progress
		_, err := s.Call(t.Context(), "slow", object{"seconds": 1, "steps": 2}, dispatch.WithProgress(func(p dispatch.Progress) {
			seen = append(seen, p)
		}))
		require.NoError(t, err)
		texts := []string{"step 1 of 2", "step 2 of 2"}
		if s.revision == protocol.V20241105 { // has no texts yet
			texts = []string{"", ""}
		}
		require.Equal(t, []dispatch.Progress{{Progress: 1, Total: 2, Message: texts[0]}, {Progress: 2, Total: 2, Message: texts[1]}}, seen)

		seen = nil
		_, err = s.Call(t.Context(), "test_tool_with_progress", nil, dispatch.WithProgress(func(p dispatch.Progress) {
			seen = append(seen, p)
		}))
		require.NoError(t, err)
		require.Equal(t, []dispatch.Progress{{Total: 100}, {Progress: 50, Total: 100}, {Progress: 100, Total: 100}}, seen)

		if s.modern() { // a request says itself what it wants to see
			s.text("test_logging_tool", nil)
			synctest.Wait()
			require.Empty(t, s.logs, "SH26-23")
			s.raw("tools/call", object{"name": "test_logging_tool", "_meta": object{protocol.MetaLogLevel: "error"}})
			require.Equal(t, int64(protocol.CodeMethodNotFound), s.refused("logging/setLevel", object{"level": "error"}).Code)
		} else {
			s.raw("logging/setLevel", object{"level": "error"})
			s.text("test_logging_tool", nil)
			require.Equal(t, int64(protocol.CodeInvalidParams), s.refused("logging/setLevel", object{"level": "loud"}).Code)
		}
		synctest.Wait()
		require.Equal(t, []string{
			"error: a message of level error", "critical: a message of level critical",
			"alert: a message of level alert", "emergency: a message of level emergency",
		}, s.logs)
	})
}

func TestSlowIsCancelled(t *testing.T) {
	eachRevision(t, func(t *testing.T, s *session) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		begun := time.Now()
		_, err := s.Call(ctx, "slow", object{"seconds": 60})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		require.Equal(t, 50*time.Millisecond, time.Since(begun), "the server's handler is gone too, or time would have to pass")
		require.Equal(t, "Echo: still here", s.text("echo", object{"message": "still here"}))
	})
}

// A burst of changes is one notice, and a host that was told fetches once, and
// has the new list (ME-03).
func TestToolsChange(t *testing.T) {
	eachRevision(t, func(t *testing.T, s *session) {
		before := s.names()
		synctest.Wait()
		require.Equal(t, 1, s.news)
		for _, name := range []string{"extra_a", "extra_b", "extra_c"} {
			s.text("add_tool", object{"name": name})
		}
		s.text("remove_tool", object{"name": "extra_b"})
		<-time.After(time.Second)
		synctest.Wait()
		require.Equal(t, 2, s.news, "one notice for the burst, one fetch for the notice")
		require.Equal(t, append(before, "extra_a", "extra_c"), s.names())
		require.Equal(t, "Hello from extra_a!", s.text("extra_a", nil))
		require.Equal(t, 2, s.news)
	})
}
