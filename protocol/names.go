package protocol

// Requests. [LookupMethod] has the direction and the revisions of each.
const (
	MethodInitialize             = "initialize"
	MethodPing                   = "ping"
	MethodServerDiscover         = "server/discover"
	MethodToolsList              = "tools/list"
	MethodToolsCall              = "tools/call"
	MethodResourcesList          = "resources/list"
	MethodResourcesTemplatesList = "resources/templates/list"
	MethodResourcesRead          = "resources/read"
	MethodResourcesSubscribe     = "resources/subscribe"
	MethodResourcesUnsubscribe   = "resources/unsubscribe"
	MethodPromptsList            = "prompts/list"
	MethodPromptsGet             = "prompts/get"
	MethodCompletionComplete     = "completion/complete"
	MethodLoggingSetLevel        = "logging/setLevel"
	MethodSubscriptionsListen    = "subscriptions/listen"
	MethodSamplingCreateMessage  = "sampling/createMessage"
	MethodRootsList              = "roots/list"
	MethodElicitationCreate      = "elicitation/create"
	MethodTasksGet               = "tasks/get"
	MethodTasksUpdate            = "tasks/update"
	MethodTasksCancel            = "tasks/cancel"
	MethodTasksResult            = "tasks/result"
	MethodTasksList              = "tasks/list"
)

// Notifications.
const (
	NotificationInitialized = "notifications/initialized"
	// NotificationCancelled is restricted in 2026-07-28: a client sends it on
	// stdio only, a server only to end a listen stream (CA-08 to CA-10).
	NotificationCancelled                 = "notifications/cancelled"
	NotificationProgress                  = "notifications/progress"
	NotificationRootsListChanged          = "notifications/roots/list_changed"
	NotificationMessage                   = "notifications/message"
	NotificationResourcesUpdated          = "notifications/resources/updated"
	NotificationResourcesListChanged      = "notifications/resources/list_changed"
	NotificationToolsListChanged          = "notifications/tools/list_changed"
	NotificationPromptsListChanged        = "notifications/prompts/list_changed"
	NotificationTasksStatus               = "notifications/tasks/status"
	NotificationTasks                     = "notifications/tasks"
	NotificationElicitationComplete       = "notifications/elicitation/complete"
	NotificationSubscriptionsAcknowledged = "notifications/subscriptions/acknowledged"
)

// Members of params that HeaderName mirrors; see [MethodInfo.NameParam].
const (
	ParamName   = "name"
	ParamURI    = "uri"
	ParamTaskID = "taskId"
)

// ReservedMethodPrefix begins the names that JSON-RPC keeps for itself: they
// are never registered and never sent (CO-36).
const ReservedMethodPrefix = "rpc."

// IsReservedMethod reports whether name begins with ReservedMethodPrefix,
// compared exactly (CO-36, CO-37).
func IsReservedMethod[T ~string | ~[]byte](name T) bool {
	return len(name) >= len(ReservedMethodPrefix) &&
		string(name[:len(ReservedMethodPrefix)]) == ReservedMethodPrefix
}
