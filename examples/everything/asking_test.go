package everything_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/protocol"
)

// The same tools ask by requests before 2026-07-28 and by results since then.
func TestAsking(t *testing.T) {
	eachRevision(t, func(t *testing.T, s *session) {
		require.Equal(t, "The model says: sampled q", s.text("test_sampling", object{"prompt": "q"}))
		require.Equal(t, "roots: file:///a, file:///b", s.text("list_roots", nil))
		require.Equal(t, "the client can sample", s.text("test_missing_capability", nil))
		if s.revision < protocol.V20250618 {
			return // there is no elicitation yet
		}
		require.Contains(t, s.text("test_elicitation", object{"message": "m"}), `The user says: action=accept, content={"`)
		require.Equal(t, "Hello, Zoë!", s.text("test_input_required_result_elicitation", nil))
		require.Equal(t, "state-ok, confirmed: true", s.text("test_input_required_result_request_state", nil))
		require.Equal(t, "sampled Write a short greeting. Zoë, you work in 2 folders", s.text("test_input_required_result_multiple_inputs", nil))
		require.Equal(t, "Zoë likes blue", s.text("test_input_required_result_multi_round", nil))
		require.Equal(t, "got 2 answers", s.text("test_input_required_result_capabilities", nil))
		for _, tool := range []string{"test_elicitation_sep1034_defaults", "test_elicitation_sep1330_enums", "test_streaming_elicitation"} {
			require.Contains(t, s.text(tool, nil), "action=accept")
		}
	})
}

func TestDeclining(t *testing.T) {
	for _, r := range []protocol.Revision{protocol.V20251125, protocol.V20260728} {
		for answer, err := range map[string]error{"decline": nil, "cancel": context.Canceled} {
			decline := func(o *host.Options) {
				o.Elicit = func(context.Context, string, json.RawMessage) (map[string]any, error) { return nil, err }
			}
			t.Run(string(r)+"/"+answer, func(t *testing.T) {
				within(t, r, decline, func(t *testing.T, s *session) {
					require.Equal(t, "The user says: action="+answer+", content={}", s.text("test_elicitation", object{"message": "m"}))
					require.Equal(t, "Hello, whoever you are!", s.text("test_input_required_result_elicitation", nil))
				})
			})
		}
	}
}

// A client that declared nothing is not asked: a legacy one gets a failure of
// the tool, one of 2026-07-28 an error that names the capability (SH26-16).
func TestUndeclared(t *testing.T) {
	nothing := func(o *host.Options) { o.Sample, o.Elicit, o.Roots = nil, nil, nil }
	for r := range protocol.Revisions() {
		t.Run(string(r), func(t *testing.T) {
			within(t, r, nothing, func(t *testing.T, s *session) {
				for tool, capability := range map[string]string{
					"test_sampling": "sampling", "list_roots": "roots", "test_streaming_elicitation": "elicitation",
					"test_missing_capability": "sampling", "test_input_required_result_capabilities": "sampling",
				} {
					if s.modern() {
						e := s.refused("tools/call", object{"name": tool, "arguments": object{}})
						require.Equal(t, int64(protocol.CodeMissingRequiredClientCapability), e.Code, tool)
						require.JSONEq(t, `{"requiredCapabilities":{"`+capability+`":{}}}`, string(e.Data))
						continue
					}
					failed, err := s.Call(t.Context(), tool, object{})
					require.NoError(t, err)
					require.True(t, failed.IsError)
					require.Contains(t, failed.Text(), capability)
				}
				if !s.modern() {
					e := s.refused("prompts/get", object{"name": "test_input_required_result_prompt"})
					require.Equal(t, int64(protocol.CodeInvalidParams), e.Code, "a prompt has no result that says so")
					require.Contains(t, e.Message, "elicitation")
				}
			})
		})
	}
}

// round is one call of a tool in 2026-07-28 as it stands on the wire.
func (s *session) round(tool string, responses, state any) object {
	s.t.Helper()
	params := object{"name": tool, "arguments": object{}}
	if responses != nil {
		params["inputResponses"] = responses
	}
	if state != nil {
		params["requestState"] = state
	}
	return s.raw("tools/call", params)
}

func accept(content object) object { return object{"action": "accept", "content": content} }

func TestRounds(t *testing.T) {
	modernOnly(t, func(t *testing.T, s *session) {
		const tool = "test_input_required_result_elicitation"
		first := s.round(tool, nil, nil)
		require.Equal(t, protocol.ResultInputRequired, first["resultType"])
		require.NotContains(t, first, "ttlMs")
		require.NotContains(t, first, "requestState", "nothing is to be remembered yet")
		ask := first["inputRequests"].(object)["user_name"].(object)
		require.Equal(t, protocol.MethodElicitationCreate, ask["method"])
		require.Contains(t, ask["params"], "requestedSchema")
		require.NotContains(t, ask, "id")

		zoe := accept(object{"name": "Zoë"})
		for name, tt := range map[string]struct {
			responses any
			complete  bool
		}{
			"answer":           {object{"user_name": zoe}, true},
			"more than asked":  {object{"user_name": zoe, "other": zoe}, true},
			"another answer":   {object{"other": zoe}, false},
			"no answer at all": {object{}, false},
			"malformed answer": {object{"user_name": 12345}, false},
		} {
			result := s.round(tool, tt.responses, nil)
			require.Equal(t, tt.complete, result["resultType"] == protocol.ResultComplete, name)
		}
		require.Equal(t, int64(protocol.CodeInvalidParams),
			s.refused("tools/call", object{"name": tool, "inputResponses": []int{1}}).Code)
		require.Equal(t, int64(protocol.CodeInvalidParams),
			s.refused("tools/call", object{"name": tool, "inputResponses": codec.Value("null")}).Code)
	})
}

func TestRequestState(t *testing.T) {
	modernOnly(t, func(t *testing.T, s *session) {
		const tool, other = "test_input_required_result_tampered_state", "test_input_required_result_request_state"
		yes := object{"confirm": accept(object{"ok": true})}
		first := s.round(tool, nil, nil)
		state := first["requestState"].(string)
		require.Equal(t, protocol.ResultInputRequired, s.round(tool, yes, nil)["resultType"], "answers without the state do not count")
		require.Equal(t, protocol.ResultComplete, s.round(tool, yes, state)["resultType"])
		for _, bad := range []string{state + "-TAMPERED", "x" + state, state[1:], "", ".", "a.b"} {
			e := s.refused("tools/call", object{"name": tool, "inputResponses": yes, "requestState": bad})
			require.Equal(t, int64(protocol.CodeInvalidParams), e.Code, "%q", bad)
		}
		e := s.refused("tools/call", object{"name": other, "inputResponses": yes, "requestState": state})
		require.Equal(t, int64(protocol.CodeInvalidParams), e.Code, "the state of another tool")

		const steps = "test_input_required_result_multi_round"
		one := s.round(steps, nil, nil)
		two := s.round(steps, object{"step1": accept(object{"name": "Zoë"})}, one["requestState"])
		require.Contains(t, two["inputRequests"], "step2")
		require.NotEqual(t, one["requestState"], two["requestState"])
		three := s.round(steps, object{"step2": accept(object{"color": "red"})}, two["requestState"])
		require.Contains(t, three["content"].([]any)[0], "text")
		require.Equal(t, "Zoë likes red", three["content"].([]any)[0].(object)["text"])
	})
}

func TestPromptRounds(t *testing.T) {
	modernOnly(t, func(t *testing.T, s *session) {
		params := object{"name": "test_input_required_result_prompt"}
		require.Contains(t, s.raw("prompts/get", params)["inputRequests"], "user_context")
		params["inputResponses"] = object{"user_context": accept(object{"context": "here"})}
		require.Len(t, s.raw("prompts/get", params)["messages"], 1)
	})
}

// A server that asks for ever is stopped by the host.
func TestHostStopsAsking(t *testing.T) {
	within(t, protocol.V20260728, func(o *host.Options) {
		o.Sample = func(context.Context, string) (string, error) {
			return "", &codec.Error{Code: 1001, Message: "no model"}
		}
	}, func(t *testing.T, s *session) {
		_, err := s.Call(t.Context(), "test_sampling", object{"prompt": "q"}, dispatch.WithTimeout(-1, -1))
		require.ErrorContains(t, err, "no model")
	})
}
