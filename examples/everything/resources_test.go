package everything_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/protocol"
)

func TestResources(t *testing.T) {
	eachRevision(t, func(t *testing.T, s *session) {
		var uris []string
		for _, r := range s.raw("resources/list", nil)["resources"].([]any) {
			uris = append(uris, r.(object)["uri"].(string))
		}
		require.Equal(t, []string{"info://server-info", "test://static-text", "test://static-binary", "test://watched-resource"}, uris)
		for _, uri := range append(uris, "test://template/12/data") {
			contents := s.raw("resources/read", object{"uri": uri})["contents"].([]any)
			require.Len(t, contents, 1)
			require.Equal(t, uri, contents[0].(object)["uri"])
			require.NotEmpty(t, contents[0].(object)["mimeType"])
		}
		require.Len(t, s.raw("resources/templates/list", nil)["resourceTemplates"], 1)

		for _, uri := range []string{"test://nothing", "test://template//data", "test://template/a/b/data", ""} {
			e := s.refused("resources/read", object{"uri": uri})
			want := int64(protocol.CodeResourceNotFound)
			if s.modern() {
				want = protocol.CodeInvalidParams // CO-26
			}
			require.Equal(t, want, e.Code, uri)
			require.JSONEq(t, `{"uri":"`+uri+`"}`, string(e.Data))
		}
	})
}

func TestPromptsAndCompletion(t *testing.T) {
	eachRevision(t, func(t *testing.T, s *session) {
		require.Len(t, s.raw("prompts/list", nil)["prompts"], 6)
		const text = "MCP defines a standard protocol."
		message := s.raw("prompts/get", object{"name": "summarize", "arguments": object{"text": text, "max_words": "20"}})["messages"].([]any)[0].(object)
		require.Equal(t, "user", message["role"])
		require.Contains(t, message["content"].(object)["text"], text)
		require.Len(t, s.raw("prompts/get", object{"name": "test_prompt_with_image"})["messages"], 2)
		for _, params := range []object{{"name": "none"}, {"name": "summarize"}, {"name": "summarize", "arguments": object{"text": 5}}} {
			require.Equal(t, int64(protocol.CodeInvalidParams), s.refused("prompts/get", params).Code)
		}

		complete := func(ref object, name, value string) any {
			result := s.raw("completion/complete", object{"ref": ref, "argument": object{"name": name, "value": value}})
			return result["completion"].(object)["values"]
		}
		prompt := object{"type": "ref/prompt", "name": "test_prompt_with_arguments"}
		require.Equal(t, []any{"paris", "party"}, complete(prompt, "arg1", "par"))
		require.Empty(t, complete(prompt, "arg1", "zzz"))
		require.NotNil(t, complete(prompt, "arg2", ""))
		require.Equal(t, []any{"1", "12", "123"}, complete(object{"type": "ref/resource", "uri": "test://template/{id}/data"}, "id", "1"))
		require.Equal(t, int64(protocol.CodeInvalidParams), s.refused("completion/complete",
			object{"ref": object{"type": "ref/prompt", "name": "none"}, "argument": object{"name": "a", "value": ""}}).Code)
	})
}

// The kinds of notices a legacy client asks for, and gets.
func TestResourceSubscription(t *testing.T) {
	const uri = "test://watched-resource"
	within(t, protocol.V20251125, nil, func(t *testing.T, s *session) {
		require.Empty(t, s.raw("resources/subscribe", object{"uri": uri}))
		s.text("update_watched_resource", nil)
		require.Equal(t, []string{`{"uri":"` + uri + `"}`}, s.noted(protocol.NotificationResourcesUpdated))

		require.Empty(t, s.raw("resources/unsubscribe", object{"uri": uri}))
		s.text("update_watched_resource", nil)
		require.Empty(t, s.noted(protocol.NotificationResourcesUpdated))
		require.Equal(t, int64(protocol.CodeResourceNotFound), s.refused("resources/subscribe", object{"uri": "x://y"}).Code)
	})
}
