package host

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// task is what a server says of a call that it runs as a task.
type task struct {
	TaskID        string                     `json:"taskId"`
	Status        string                     `json:"status"`
	PollInterval  int64                      `json:"pollIntervalMs"`
	InputRequests map[string]json.RawMessage `json:"inputRequests"`
	Result        ToolResult                 `json:"result"`
	Error         *struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// minPoll keeps a server from making us ask all the time.
const minPoll = 50 * time.Millisecond

// await asks for a task until it has ended, and answers what it asks for. If ctx
// ends first, the task is cancelled.
func (h *Host) await(ctx context.Context, t task) (*ToolResult, error) {
	ref := struct {
		TaskID string `json:"taskId"`
	}{t.TaskID}
	for {
		var err error
		switch t.Status {
		case "completed":
			return &t.Result, nil
		case "failed":
			if t.Error == nil {
				return nil, fmt.Errorf("task %s failed", t.TaskID)
			}
			return nil, &codec.Error{Code: t.Error.Code, Message: t.Error.Message, Remote: true}
		case "cancelled":
			return nil, fmt.Errorf("task %s was cancelled", t.TaskID)
		case "input_required":
			err = h.answerTask(ctx, t)
		default:
			err = wait(ctx, max(time.Duration(t.PollInterval)*time.Millisecond, minPoll))
		}
		if err == nil {
			t, err = typed.Call[task](ctx, h.client, protocol.MethodTasksGet, ref)
		}
		if err != nil && ctx.Err() != nil {
			rest, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer stop()
			_, _ = typed.Call[codec.Value](rest, h.client, protocol.MethodTasksCancel, ref) // as good as we can
		}
		if err != nil {
			return nil, err
		}
	}
}

func (h *Host) answerTask(ctx context.Context, t task) error {
	answers := map[string]any{}
	for key, request := range t.InputRequests {
		answer, err := h.answerEmbedded(ctx, codec.Value(request))
		if err != nil {
			return fmt.Errorf("task %s asks for %s: %w", t.TaskID, key, err)
		}
		answers[key] = answer
	}
	_, err := typed.Call[codec.Value](ctx, h.client, protocol.MethodTasksUpdate, struct {
		TaskID         string         `json:"taskId"`
		InputResponses map[string]any `json:"inputResponses"`
	}{t.TaskID, answers})
	return err
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
