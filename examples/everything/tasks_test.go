package everything_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/protocol"
)

// knowingTasks runs f with a host that knows tasks.
func knowingTasks(t *testing.T, f func(t *testing.T, s *session)) {
	t.Helper()
	within(t, protocol.V20260728, func(o *host.Options) { o.Tasks = true }, f)
}

// begin starts a task and returns its id.
func (s *session) begin(tool string, arguments object) string {
	s.t.Helper()
	created := s.raw("tools/call", object{"name": tool, "arguments": arguments})
	require.Equal(s.t, protocol.ResultTask, created["resultType"])
	require.Equal(s.t, "working", created["status"])
	for _, name := range []string{"createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs", "taskId"} {
		require.NotEmpty(s.t, created[name], name)
	}
	require.NotContains(s.t, created, "requestState")
	return created["taskId"].(string)
}

func (s *session) task(id string) object {
	s.t.Helper()
	synctest.Wait()
	return s.raw("tasks/get", object{"taskId": id})
}

func TestTaskEnds(t *testing.T) {
	knowingTasks(t, func(t *testing.T, s *session) {
		slow, failing := s.begin("slow_compute", object{"seconds": 3}), s.begin("failing_job", nil)
		broken := s.begin("protocol_error_job", nil)
		require.Equal(t, "working", s.task(slow)["status"])
		state := s.task(broken)
		require.Equal(t, "failed", state["status"])
		require.Contains(t, state["error"], "code")
		require.NotContains(t, state, "result")
		<-time.After(4 * time.Second)
		state = s.task(slow)
		require.Equal(t, "completed", state["status"])
		require.Contains(t, state["result"], "content")
		require.Equal(t, protocol.ResultComplete, state["resultType"])
		state = s.task(failing)
		require.Equal(t, "completed", state["status"], "the tool failed, the task did not")
		require.Equal(t, true, state["result"].(object)["isError"])

		long := s.begin("slow_compute", object{"seconds": 60})
		for range 2 { // a second time changes nothing
			require.ElementsMatch(t, []string{"resultType", "_meta"}, keys(s.raw("tasks/cancel", object{"taskId": long})))
			require.Equal(t, "cancelled", s.task(long)["status"])
		}
		<-time.After(10 * time.Minute)
		require.Equal(t, int64(protocol.CodeInvalidParams), s.refused("tasks/get", object{"taskId": long}).Code, "its time is over")
	})
}

func TestTaskAsks(t *testing.T) {
	knowingTasks(t, func(t *testing.T, s *session) {
		id := s.begin("multi_input", nil)
		state := s.task(id)
		require.Equal(t, "input_required", state["status"])
		require.Len(t, state["inputRequests"], 2)
		answer := func(responses object) {
			s.raw("tasks/update", object{"taskId": id, "inputResponses": responses})
		}
		yes := accept(object{"confirm": true})
		answer(object{"first": yes, "unknown": yes})
		state = s.task(id)
		require.Equal(t, "input_required", state["status"])
		require.Equal(t, []string{"second"}, keys(state["inputRequests"].(object)))
		answer(object{"second": yes})
		state = s.task(id)
		require.Equal(t, "completed", state["status"])
		require.NotContains(t, state, "inputRequests")

		id = s.begin("confirm_delete", object{"filename": "x.txt"})
		s.task(id)
		answer(object{"confirm": yes})
		require.Contains(t, s.task(id)["result"].(object)["content"].([]any)[0].(object)["text"], "deleted x.txt")
	})
}

// A tool may ask first and become a task on the last round.
func TestTaskAfterRounds(t *testing.T) {
	knowingTasks(t, func(t *testing.T, s *session) {
		params := object{"name": "test_tool_with_task"}
		first := s.raw("tools/call", params)
		require.Equal(t, protocol.ResultInputRequired, first["resultType"])
		require.NotContains(t, first, "taskId")
		params["inputResponses"] = object{"user_name": accept(object{"name": "Zoë"})}
		second := s.raw("tools/call", params)
		require.Equal(t, protocol.ResultTask, second["resultType"])
		require.NotContains(t, second, "requestState")
		require.Contains(t, s.task(second["taskId"].(string))["result"].(object)["content"].([]any)[0].(object)["text"], "Zoë")
	})
}

// Who does not know tasks is served at once, or not at all.
func TestTasksUndeclared(t *testing.T) {
	modernOnly(t, func(t *testing.T, s *session) {
		require.Equal(t, "computed for 1 s", s.text("slow_compute", object{"seconds": 1}))
		for _, call := range []struct {
			method string
			params object
		}{
			{"tools/call", object{"name": "failing_job"}},
			{"tasks/get", object{"taskId": "x"}},
			{"tasks/update", object{"taskId": "x", "inputResponses": object{}}},
			{"tasks/cancel", object{"taskId": "x"}},
		} {
			e := s.refused(call.method, call.params)
			require.Equal(t, int64(protocol.CodeMissingRequiredClientCapability), e.Code, call.method)
			require.JSONEq(t, `{"requiredCapabilities":{"extensions":{"`+protocol.ExtensionTasks+`":{}}}}`, string(e.Data))
		}
		for _, method := range []string{"tasks/list", "tasks/result"} {
			require.Equal(t, int64(protocol.CodeMethodNotFound), s.refused(method, nil).Code)
		}
	})
	within(t, protocol.V20251125, nil, func(t *testing.T, s *session) {
		require.Equal(t, int64(protocol.CodeMethodNotFound), s.refused("tasks/get", object{"taskId": "x"}).Code)
		require.Equal(t, "computed for 0 s", s.text("slow_compute", nil))
	})
}

func TestTaskNotices(t *testing.T) {
	knowingTasks(t, func(t *testing.T, s *session) {
		id := s.begin("slow_compute", object{"seconds": 1})
		params := object{"taskIds": []string{id}}
		defer s.listen(params)()
		<-time.After(2 * time.Second)
		notices := s.noted(protocol.NotificationTasks)
		require.Len(t, notices, 1)
		require.Contains(t, notices[0], `"status":"completed"`)
		require.Contains(t, notices[0], protocol.MetaSubscriptionID)
	})
}

// A host that knows tasks need not know which tools become some.
func TestHostAwaitsTasks(t *testing.T) {
	knowingTasks(t, func(t *testing.T, s *session) {
		require.Equal(t, "computed for 2 s", s.text("slow_compute", object{"seconds": 2}))
		require.Equal(t, "deleted x", s.text("confirm_delete", object{"filename": "x"}))
		require.Equal(t, "got 2 answers", s.text("multi_input", nil))
		require.Equal(t, "Hello, Zoë!", s.text("test_tool_with_task", nil))
		failed, err := s.Call(t.Context(), "failing_job", nil)
		require.NoError(t, err)
		require.True(t, failed.IsError)
		_, err = s.Call(t.Context(), "protocol_error_job", nil)
		require.ErrorIs(t, err, &codec.Error{Code: protocol.CodeInternalError})

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = s.Call(ctx, "slow_compute", object{"seconds": 60})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
