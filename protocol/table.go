package protocol

// methods is the one table of methods and notifications. It is never written
// to.
var methods = newMethods()

// newMethods writes the table down. A row's uses are those of 2024-11-05,
// 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28.
func newMethods() []MethodInfo {
	const (
		c = SentByClient
		s = SentByServer
		b = SentByClient | SentByServer
		x = Experimental
		e = Extension
		l = ListenOnly
	)
	return []MethodInfo{
		{Name: MethodInitialize, uses: uses{c, c, c, c, 0}},
		{Name: MethodPing, Idempotent: true, uses: uses{b, b, b, b, 0}},
		{Name: MethodServerDiscover, Idempotent: true, Cacheable: true, uses: uses{0, 0, 0, 0, c}},
		{Name: MethodToolsList, Idempotent: true, Cacheable: true, uses: uses{c, c, c, c, c}},
		{Name: MethodToolsCall, NameParam: ParamName, InputRequired: true, uses: uses{c, c, c, c, c}},
		{Name: MethodResourcesList, Idempotent: true, Cacheable: true, uses: uses{c, c, c, c, c}},
		{Name: MethodResourcesTemplatesList, Idempotent: true, Cacheable: true, uses: uses{c, c, c, c, c}},
		{Name: MethodResourcesRead, NameParam: ParamURI, Idempotent: true, Cacheable: true, InputRequired: true, uses: uses{c, c, c, c, c}},
		{Name: MethodResourcesSubscribe, Idempotent: true, uses: uses{c, c, c, c, 0}},
		{Name: MethodResourcesUnsubscribe, Idempotent: true, uses: uses{c, c, c, c, 0}},
		{Name: MethodPromptsList, Idempotent: true, Cacheable: true, uses: uses{c, c, c, c, c}},
		{Name: MethodPromptsGet, NameParam: ParamName, Idempotent: true, InputRequired: true, uses: uses{c, c, c, c, c}},
		{Name: MethodCompletionComplete, Idempotent: true, uses: uses{c, c, c, c, c}},
		{Name: MethodLoggingSetLevel, Idempotent: true, uses: uses{c, c, c, c, 0}},
		{Name: MethodSubscriptionsListen, uses: uses{0, 0, 0, 0, c}},
		{Name: MethodSamplingCreateMessage, uses: uses{s, s, s, s, Embedded}},
		{Name: MethodRootsList, Idempotent: true, uses: uses{s, s, s, s, Embedded}},
		{Name: MethodElicitationCreate, uses: uses{0, 0, s, s, Embedded}},

		// The tasks of 2025-11-25 and the extension share three names and nothing
		// on the wire (TK-01, TK-02).
		{Name: MethodTasksGet, NameParam: ParamTaskID, uses: uses{0, 0, 0, b | x, c | e}},
		{Name: MethodTasksUpdate, NameParam: ParamTaskID, uses: uses{0, 0, 0, 0, c | e}},
		{Name: MethodTasksCancel, NameParam: ParamTaskID, uses: uses{0, 0, 0, b | x, c | e}},
		{Name: MethodTasksResult, uses: uses{0, 0, 0, b | x, 0}},
		{Name: MethodTasksList, Idempotent: true, uses: uses{0, 0, 0, b | x, 0}},

		{Name: NotificationInitialized, Notification: true, uses: uses{c, c, c, c, 0}},
		{Name: NotificationCancelled, Notification: true, uses: uses{b, b, b, b, b}},
		{Name: NotificationProgress, Notification: true, uses: uses{b, b, b, b, s}},
		{Name: NotificationRootsListChanged, Notification: true, uses: uses{c, c, c, c, 0}},
		{Name: NotificationMessage, Notification: true, uses: uses{s, s, s, s, s}},
		{Name: NotificationResourcesUpdated, Notification: true, uses: uses{s, s, s, s, s | l}},
		{Name: NotificationResourcesListChanged, Notification: true, uses: uses{s, s, s, s, s | l}},
		{Name: NotificationToolsListChanged, Notification: true, uses: uses{s, s, s, s, s | l}},
		{Name: NotificationPromptsListChanged, Notification: true, uses: uses{s, s, s, s, s | l}},
		{Name: NotificationTasksStatus, Notification: true, uses: uses{0, 0, 0, b | x, 0}},
		{Name: NotificationTasks, Notification: true, uses: uses{0, 0, 0, 0, s | e | l}},
		{Name: NotificationElicitationComplete, Notification: true, uses: uses{0, 0, 0, s, 0}},
		{Name: NotificationSubscriptionsAcknowledged, Notification: true, uses: uses{0, 0, 0, 0, s | l}},
	}
}
