package mcp

import (
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// Server is a dispatch server with MCP's server features.
type Server struct {
	*dispatch.Server
	Tools     Tools
	Prompts   Prompts
	Resources Resources

	changes *changes
	tasks   *tasks
	seal    sealer
}

// NewServer returns a server with handlers for all methods a client may call,
// and with the features that register adds. More can be added later, and
// removed: clients are then told.
func NewServer(opts *dispatch.Options, register func(*Server)) *Server {
	s := &Server{Server: dispatch.NewServer(opts), seal: newSealer()}
	s.Tools.changed, s.Prompts.changed = func() {}, func() {}
	s.changes = newChanges(s.Server)
	s.tasks = newTasks(s.changes)
	register(s)
	s.Tools.changed = func() { s.changes.list(protocol.NotificationToolsListChanged) }
	s.Prompts.changed = func() { s.changes.list(protocol.NotificationPromptsListChanged) }

	s.Use(stampModern(&opts.Info))
	s.Handle(protocol.MethodToolsList, typed.Handler(s.listTools))
	s.Handle(protocol.MethodToolsCall, typed.Handler(s.callTool))
	s.Handle(protocol.MethodResourcesList, typed.Handler(s.listResources))
	s.Handle(protocol.MethodResourcesTemplatesList, typed.Handler(s.listTemplates))
	s.Handle(protocol.MethodResourcesRead, typed.Handler(s.readResource))
	s.Handle(protocol.MethodResourcesSubscribe, typed.Handler(s.subscribe))
	s.Handle(protocol.MethodResourcesUnsubscribe, typed.Handler(s.unsubscribe))
	s.Handle(protocol.MethodPromptsList, typed.Handler(s.listPrompts))
	s.Handle(protocol.MethodPromptsGet, typed.Handler(s.getPrompt))
	s.Handle(protocol.MethodCompletionComplete, typed.Handler(s.complete))
	s.Handle(protocol.MethodLoggingSetLevel, typed.Handler(setLevel))
	s.Handle(protocol.MethodSubscriptionsListen, s.changes.listen)
	s.Handle(protocol.MethodTasksGet, typed.Handler(s.getTask))
	s.Handle(protocol.MethodTasksUpdate, typed.Handler(s.updateTask))
	s.Handle(protocol.MethodTasksCancel, typed.Handler(s.cancelTask))
	return s
}

// ResourceUpdated tells those who asked for it that the content of a resource
// is another one now.
func (s *Server) ResourceUpdated(uri string) { s.changes.resource(uri) }

// empty is a result that says nothing.
type empty struct{}
