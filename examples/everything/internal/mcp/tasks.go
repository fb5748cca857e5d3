package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// TaskSupport says whether a tool runs as a task (extension tasks of
// 2026-07-28). The server decides, the client only says that it knows tasks.
type TaskSupport uint8

const (
	NoTask   TaskSupport = iota // never
	MayTask                     // where the client knows tasks
	MustTask                    // or not at all
)

const (
	taskTTL  = 5 * time.Minute        // how long a task can be asked for
	taskPoll = 200 * time.Millisecond // how often a client should ask
	maxTasks = 1000                   // a client cannot fill our memory with tasks
)

// The states of a task. The last three are final.
const (
	working       = "working"
	inputNeeded   = "input_required"
	taskCompleted = "completed"
	taskFailed    = "failed"
	taskCancelled = "cancelled"
)

// runsAsTask decides how a call runs.
func (t *Tool) runsAsTask(c *Call) (bool, error) {
	if t.Task == NoTask || !c.modern {
		return false, nil
	}
	knows := c.Declared("extensions", protocol.ExtensionTasks)
	if t.Task == MustTask && !knows {
		return false, dispatch.MissingCapability("extensions", protocol.ExtensionTasks)
	}
	return knows, nil
}

// taskState is a task as its client sees it.
type taskState struct {
	ResultType    string         `json:"resultType,omitempty"`
	TaskID        string         `json:"taskId"`
	Status        string         `json:"status"`
	CreatedAt     time.Time      `json:"createdAt"`
	LastUpdatedAt time.Time      `json:"lastUpdatedAt"`
	TTL           int64          `json:"ttlMs"`
	PollInterval  int64          `json:"pollIntervalMs"`
	InputRequests map[string]Ask `json:"inputRequests,omitempty"`
	Result        any            `json:"result,omitempty"`
	Error         *taskError     `json:"error,omitempty"`
}

type taskError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

// task is a tool that runs on when its call has been answered.
type task struct {
	cancel  context.CancelFunc
	changed func(taskState)

	mu    sync.Mutex
	state taskState     // its maps are never changed once published
	wake  chan struct{} // capacity 1: answers came
	given Answers       // those that the tool has not fetched
}

// tasks holds the tasks of a server. Whoever knows the id of a task may ask for
// it, so ids cannot be guessed.
type tasks struct {
	changes *changes

	mu   sync.Mutex
	byID map[string]*task
}

func newTasks(c *changes) *tasks { return &tasks{changes: c, byID: map[string]*task{}} }

// start lets the tool run as a task; the answer to the call describes it.
func (s *tasks) start(tool *Tool, c *Call) (any, error) {
	now, id := time.Now().UTC(), rand.Text()
	ctx, cancel := context.WithTimeout(context.Background(), taskTTL)
	t := &task{cancel: cancel, changed: s.announce, wake: make(chan struct{}, 1), given: Answers{}}
	t.state = taskState{
		TaskID: id, Status: working, CreatedAt: now, LastUpdatedAt: now,
		TTL: taskTTL.Milliseconds(), PollInterval: taskPoll.Milliseconds(),
	}
	s.mu.Lock()
	if len(s.byID) >= maxTasks {
		s.mu.Unlock()
		cancel()
		return nil, &codec.Error{Code: protocol.CodeTimeout, Message: "too many tasks"}
	}
	s.byID[id] = t
	s.mu.Unlock()
	time.AfterFunc(taskTTL, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.byID, id)
	})

	created := t.state
	created.ResultType = protocol.ResultTask
	own := &Call{args: c.args, capabilities: slices.Clone(c.capabilities), modern: true, asker: t, answers: c.answers}
	go t.run(ctx, tool, own)
	return created, nil
}

func (t *task) run(ctx context.Context, tool *Tool, c *Call) {
	defer t.cancel()
	result, err := (*ToolResult)(nil), error(&codec.Error{Code: protocol.CodeInternalError, Message: "the tool panicked"})
	defer func() {
		_ = recover() // as the engine does for handlers: one tool must not end the server
		t.finish(ctx, result, err)
	}()
	result, err = tool.Call(ctx, c)
}

// finish notes the outcome. A failing tool has completed; failed is for tasks
// that never came to a result.
func (t *task) finish(ctx context.Context, result *ToolResult, err error) {
	settled, err := settle(result, err)
	t.update(func(s *taskState) {
		s.InputRequests = nil
		switch {
		case ctx.Err() != nil && err != nil:
			s.Status = taskCancelled
		case err != nil:
			s.Status, s.Error = taskFailed, &taskError{protocol.CodeInternalError, protocol.MessageInternalError}
			if wire, ok := errors.AsType[*codec.Error](err); ok {
				s.Error = &taskError{wire.Code, wire.Message}
			}
		default:
			s.Status, s.Result = taskCompleted, settled
		}
	})
}

// update changes the state unless it is final, and tells about it.
func (t *task) update(change func(*taskState)) {
	t.mu.Lock()
	if t.final() {
		t.mu.Unlock()
		return
	}
	change(&t.state)
	t.state.LastUpdatedAt = time.Now().UTC()
	state := t.state
	t.mu.Unlock()
	t.changed(state)
}

// final reports whether the task has ended. Caller holds t.mu.
func (t *task) final() bool {
	switch t.state.Status {
	case working, inputNeeded:
		return false
	}
	return true
}

// ask parks the task until its client has answered all questions.
func (t *task) ask(ctx context.Context, c *Call, asks []Ask) error {
	missing := map[string]Ask{}
	for _, a := range asks {
		if _, known := c.answers[a.Key]; !known {
			missing[a.Key] = a
		}
	}
	if len(missing) == 0 {
		return nil
	}
	t.update(func(s *taskState) { s.Status, s.InputRequests = inputNeeded, missing })
	for {
		t.mu.Lock()
		open := len(t.state.InputRequests)
		if open == 0 {
			maps.Copy(c.answers, t.given)
		}
		t.mu.Unlock()
		if open == 0 {
			return nil
		}
		select {
		case <-t.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// answer takes answers to open questions; others are ignored.
func (t *task) answer(answers Answers) {
	t.update(func(s *taskState) {
		open := maps.Clone(s.InputRequests)
		for key, a := range s.InputRequests {
			if answer := answers[key]; a.answeredBy(answer) {
				t.given[key] = answer
				delete(open, key)
			}
		}
		s.InputRequests = open
		if len(open) == 0 {
			s.Status, s.InputRequests = working, nil
		}
	})
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// announce tells those who listen for the task.
func (s *tasks) announce(state taskState) {
	params, err := typed.Append(nil, state)
	if err != nil {
		return // a tool returned what is no JSON: tasks/get will say so
	}
	s.changes.publish(protocol.NotificationTasks, params)
}

type taskRef struct {
	TaskID         string          `json:"taskId"`
	InputResponses json.RawMessage `json:"inputResponses"`
}
