package everything_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// What every result of 2026-07-28 carries, and the cacheable ones besides.
func TestResultsAreStamped(t *testing.T) {
	modernOnly(t, func(t *testing.T, s *session) {
		for method, params := range map[string]any{
			"server/discover":          nil,
			"tools/list":               nil,
			"resources/list":           nil,
			"resources/templates/list": nil,
			"resources/read":           object{"uri": "test://static-text"},
			"prompts/list":             nil,
			"prompts/get":              object{"name": "test_simple_prompt"},
			"tools/call":               object{"name": "test_simple_text"},
			"completion/complete":      object{"ref": object{"type": "ref/prompt", "name": "summarize"}, "argument": object{"name": "max_words", "value": ""}},
		} {
			result := s.raw(method, params)
			require.Equal(t, protocol.ResultComplete, result["resultType"], method)
			require.Equal(t, object{"name": "everything", "version": "1.0.0"}, result["_meta"].(object)[protocol.MetaServerInfo], method)
			row, _ := protocol.LookupMethod(method)
			require.Equal(t, row.Cacheable, result["ttlMs"] != nil, method)
			require.Equal(t, row.Cacheable, result["cacheScope"] == protocol.CacheScopePublic, method)
		}
	})
	within(t, protocol.V20251125, nil, func(t *testing.T, s *session) {
		require.Equal(t, []string{"tools"}, keys(s.raw("tools/list", nil)), "the legacy era has none of it")
	})
}

// listen opens a subscription; cancel it with the function it returns.
func (s *session) listen(filter object) (cancel func()) {
	ctx, stop := context.WithCancel(s.t.Context())
	done := make(chan error, 1)
	params, err := typed.Append(nil, object{"notifications": filter})
	require.NoError(s.t, err)
	go func() {
		_, err := s.Client().CallRaw(ctx, protocol.MethodSubscriptionsListen, params, dispatch.WithTimeout(-1, -1))
		done <- err
	}()
	synctest.Wait()
	return func() {
		stop()
		require.ErrorIs(s.t, <-done, context.Canceled)
	}
}

func TestListen(t *testing.T) {
	modernOnly(t, func(t *testing.T, s *session) {
		const uri = "test://watched-resource"
		require.Len(t, s.noted(protocol.NotificationSubscriptionsAcknowledged), 1, "the host's own")
		cancel := s.listen(object{"resourceSubscriptions": []string{uri}, "promptsListChanged": true})
		acknowledged := s.noted(protocol.NotificationSubscriptionsAcknowledged)
		require.Len(t, acknowledged, 1)
		var ack struct {
			Notifications object `json:"notifications"`
		}
		require.NoError(t, typed.Decode(codec.Value(acknowledged[0]), &ack))
		require.Equal(t, object{"resourceSubscriptions": []any{uri}, "promptsListChanged": true}, ack.Notifications)

		s.text("update_watched_resource", nil)
		s.text("test_trigger_prompt_change", nil)
		s.text("test_trigger_tool_change", nil) // for the host's subscription alone
		<-time.After(time.Second)
		updated := s.noted(protocol.NotificationResourcesUpdated)
		require.Len(t, updated, 1)
		require.Len(t, s.noted(protocol.NotificationPromptsListChanged), 1)
		id, err := codec.Find(codec.Value(updated[0]), "_meta", protocol.MetaSubscriptionID)
		require.NoError(t, err)
		ackID, err := codec.Find(codec.Value(acknowledged[0]), "_meta", protocol.MetaSubscriptionID)
		require.NoError(t, err)
		require.NotEmpty(t, id)
		require.Equal(t, ackID, id, "SU-05")

		cancel()
		synctest.Wait()
		s.text("update_watched_resource", nil)
		require.Empty(t, s.noted(protocol.NotificationResourcesUpdated), "the subscription is over")

		for _, params := range []any{nil, object{}, object{"notifications": 5}} {
			require.Equal(t, int64(protocol.CodeInvalidParams), s.refused("subscriptions/listen", params).Code)
		}
		require.Equal(t, int64(protocol.CodeMissingRequiredClientCapability),
			s.refused("subscriptions/listen", object{"notifications": object{"taskIds": []string{"x"}}}).Code, "SU-17")
	})
}
