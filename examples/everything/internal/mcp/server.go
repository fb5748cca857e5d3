package mcp

import (
	"time"

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

	for method, lifetime := range lifetimes {
		s.Mux().Configure(method, lifetime)
	}
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
	s.Handle(protocol.MethodTasksGet, typed.Handler(s.getTask))
	s.Handle(protocol.MethodTasksUpdate, typed.Handler(s.updateTask))
	s.Handle(protocol.MethodTasksCancel, typed.Handler(s.cancelTask))
	return s
}

// ResourceUpdated tells those who asked for it that the content of a resource
// is another one now.
func (s *Server) ResourceUpdated(uri string) { s.changes.resource(uri) }

// lifetimes says for how long and for whom a client may keep the lists. Those
// that change at run time are not to be kept at all, and nothing here depends on
// who asks.
var lifetimes = map[string]dispatch.MethodOptions{
	protocol.MethodToolsList:              {Public: true},
	protocol.MethodPromptsList:            {Public: true},
	protocol.MethodResourcesRead:          {Public: true},
	protocol.MethodResourcesList:          {Public: true, TTL: 5 * time.Minute},
	protocol.MethodResourcesTemplatesList: {Public: true, TTL: 5 * time.Minute},
}

// empty is a result that says nothing.
type empty struct{}
