package mcp

import (
	"context"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// taskOf finds the task that a tasks/… request is about.
func (s *Server) taskOf(r *dispatch.Request, id string) (*task, error) {
	if r.Revision().Era() != protocol.Modern { // 2025-11-25 has other tasks, which this server has not
		return nil, &codec.Error{Code: protocol.CodeMethodNotFound, Message: protocol.MessageMethodNotFound}
	}
	if err := r.Require("extensions", protocol.ExtensionTasks); err != nil {
		return nil, err
	}
	s.tasks.mu.Lock()
	defer s.tasks.mu.Unlock()
	if t := s.tasks.byID[id]; t != nil {
		return t, nil
	}
	return nil, invalidParams("unknown task %q", id)
}

func (s *Server) getTask(_ context.Context, r *dispatch.Request, in taskRef) (taskState, error) {
	t, err := s.taskOf(r, in.TaskID)
	if err != nil {
		return taskState{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state, nil
}

func (s *Server) updateTask(_ context.Context, r *dispatch.Request, in taskRef) (empty, error) {
	t, err := s.taskOf(r, in.TaskID)
	if err != nil {
		return empty{}, err
	}
	var answers Answers
	if err := typed.Decode(codec.Value(in.InputResponses), &answers); err != nil {
		return empty{}, invalidParams("inputResponses must be an object")
	}
	t.answer(answers)
	return empty{}, nil
}

// cancelTask is done when the cancellation is noted; the task's state tells
// when it has ended.
func (s *Server) cancelTask(_ context.Context, r *dispatch.Request, in taskRef) (empty, error) {
	t, err := s.taskOf(r, in.TaskID)
	if err != nil {
		return empty{}, err
	}
	t.cancel()
	t.update(func(state *taskState) { state.Status, state.InputRequests = taskCancelled, nil })
	return empty{}, nil
}
