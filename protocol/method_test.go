package protocol_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/protocol"
)

// catalogue is the table once more, in another notation: for each revision who
// sends (c, s, b for both), m for embedded in inputRequests, x experimental, e
// extension, l listen streams only, - for absent; then the flags.
var catalogue = []struct {
	constant, wire string
	uses           string
	flags          string // n notification, i idempotent, h cacheable, r input_required
	param          string
}{
	{protocol.MethodInitialize, "initialize", "c c c c -", "", ""},
	{protocol.MethodPing, "ping", "b b b b -", "i", ""},
	{protocol.MethodServerDiscover, "server/discover", "- - - - c", "ih", ""},
	{protocol.MethodToolsList, "tools/list", "c c c c c", "ih", ""},
	{protocol.MethodToolsCall, "tools/call", "c c c c c", "r", "name"},
	{protocol.MethodResourcesList, "resources/list", "c c c c c", "ih", ""},
	{protocol.MethodResourcesTemplatesList, "resources/templates/list", "c c c c c", "ih", ""},
	{protocol.MethodResourcesRead, "resources/read", "c c c c c", "ihr", "uri"},
	{protocol.MethodResourcesSubscribe, "resources/subscribe", "c c c c -", "i", ""},
	{protocol.MethodResourcesUnsubscribe, "resources/unsubscribe", "c c c c -", "i", ""},
	{protocol.MethodPromptsList, "prompts/list", "c c c c c", "ih", ""},
	{protocol.MethodPromptsGet, "prompts/get", "c c c c c", "ir", "name"},
	{protocol.MethodCompletionComplete, "completion/complete", "c c c c c", "i", ""},
	{protocol.MethodLoggingSetLevel, "logging/setLevel", "c c c c -", "i", ""},
	{protocol.MethodSubscriptionsListen, "subscriptions/listen", "- - - - c", "", ""},
	{protocol.MethodSamplingCreateMessage, "sampling/createMessage", "s s s s m", "", ""},
	{protocol.MethodRootsList, "roots/list", "s s s s m", "i", ""},
	{protocol.MethodElicitationCreate, "elicitation/create", "- - s s m", "", ""},
	{protocol.MethodTasksGet, "tasks/get", "- - - bx ce", "", "taskId"},
	{protocol.MethodTasksUpdate, "tasks/update", "- - - - ce", "", "taskId"},
	{protocol.MethodTasksCancel, "tasks/cancel", "- - - bx ce", "", "taskId"},
	{protocol.MethodTasksResult, "tasks/result", "- - - bx -", "", ""},
	{protocol.MethodTasksList, "tasks/list", "- - - bx -", "i", ""},
	{protocol.NotificationInitialized, "notifications/initialized", "c c c c -", "n", ""},
	{protocol.NotificationCancelled, "notifications/cancelled", "b b b b b", "n", ""},
	{protocol.NotificationProgress, "notifications/progress", "b b b b s", "n", ""},
	{protocol.NotificationRootsListChanged, "notifications/roots/list_changed", "c c c c -", "n", ""},
	{protocol.NotificationMessage, "notifications/message", "s s s s s", "n", ""},
	{protocol.NotificationResourcesUpdated, "notifications/resources/updated", "s s s s sl", "n", ""},
	{protocol.NotificationResourcesListChanged, "notifications/resources/list_changed", "s s s s sl", "n", ""},
	{protocol.NotificationToolsListChanged, "notifications/tools/list_changed", "s s s s sl", "n", ""},
	{protocol.NotificationPromptsListChanged, "notifications/prompts/list_changed", "s s s s sl", "n", ""},
	{protocol.NotificationTasksStatus, "notifications/tasks/status", "- - - bx -", "n", ""},
	{protocol.NotificationTasks, "notifications/tasks", "- - - - sel", "n", ""},
	{protocol.NotificationElicitationComplete, "notifications/elicitation/complete", "- - - s -", "n", ""},
	{protocol.NotificationSubscriptionsAcknowledged, "notifications/subscriptions/acknowledged", "- - - - sl", "n", ""},
}

var useLetters = map[rune]protocol.Usage{
	'-': 0,
	'c': protocol.SentByClient,
	's': protocol.SentByServer,
	'b': protocol.SentByClient | protocol.SentByServer,
	'm': protocol.Embedded,
	'x': protocol.Experimental,
	'e': protocol.Extension,
	'l': protocol.ListenOnly,
}

func TestMethodTable(t *testing.T) {
	for _, tt := range catalogue {
		t.Run(tt.wire, func(t *testing.T) {
			require.Equal(t, tt.wire, tt.constant)
			info, ok := protocol.LookupMethod(tt.wire)
			require.True(t, ok)
			require.Equal(t, tt.wire, info.Name)

			cells := strings.Fields(tt.uses)
			for r := range protocol.Revisions() {
				var want protocol.Usage
				for _, letter := range cells[0] {
					want |= useLetters[letter]
				}
				require.Equal(t, want, info.Use(r), "%s", r)
				cells = cells[1:]
			}
			require.Empty(t, cells)
			require.Zero(t, info.Use(unknown))
			require.Zero(t, info.Use(""))

			require.Equal(t, strings.Contains(tt.flags, "n"), info.Notification)
			require.Equal(t, strings.Contains(tt.flags, "i"), info.Idempotent)
			require.Equal(t, strings.Contains(tt.flags, "h"), info.Cacheable, "SH26-26")
			require.Equal(t, strings.Contains(tt.flags, "r"), info.InputRequired, "MR-01")
			require.Equal(t, tt.param, info.NameParam, "SH26-14")
		})
	}
}

func TestMethodsYieldsTheTableInOrder(t *testing.T) {
	var i int
	for m := range protocol.Methods() {
		require.Less(t, i, len(catalogue))
		require.Equal(t, catalogue[i].wire, m.Name)
		info, _ := protocol.LookupMethod(m.Name)
		require.Equal(t, info, m)
		require.False(t, protocol.IsReservedMethod(m.Name), "CO-36")
		i++
	}
	require.Equal(t, len(catalogue), i)

	for m := range protocol.Methods() {
		require.Equal(t, protocol.MethodInitialize, m.Name)
		break
	}
}

func TestUsageHas(t *testing.T) {
	info, _ := protocol.LookupMethod(protocol.MethodTasksGet)
	require.True(t, info.Use(protocol.V20251125).Has(protocol.SentByServer))
	require.True(t, info.Use(protocol.V20251125).Has(protocol.SentByServer|protocol.Experimental))
	require.False(t, info.Use(protocol.V20251125).Has(protocol.SentByServer|protocol.Extension))
	require.False(t, info.Use(protocol.V20250618).Has(protocol.SentByClient))
}

// Names compare exactly (CO-37); the second and third come from the seed
// documents.
func TestLookupMethodIsExact(t *testing.T) {
	for _, name := range []string{
		"", "notifications/tools/list/changed", "logging/message", "TOOLS/LIST", "tools/List",
		"tools/list ", "tools/lis", "tools", "tools/", "/tools/list", "tools\\/list", "rpc.discover",
	} {
		info, ok := protocol.LookupMethod(name)
		require.False(t, ok, "%q", name)
		require.Zero(t, info, "%q", name)
	}
}

func TestLookupMethodNameOutlivesTheView(t *testing.T) {
	view := []byte("tools/call")
	info, ok := protocol.LookupMethod(view)
	require.True(t, ok)
	clear(view)
	require.Equal(t, "tools/call", info.Name)
}

func TestMirroredParams(t *testing.T) {
	require.Equal(t, "name", protocol.ParamName)
	require.Equal(t, "uri", protocol.ParamURI)
	require.Equal(t, "taskId", protocol.ParamTaskID)
}

func TestReservedMethods(t *testing.T) {
	require.Equal(t, "rpc.", protocol.ReservedMethodPrefix)
	for name, want := range map[string]bool{
		"rpc.discover": true, "rpc.": true, "rpc..": true,
		"": false, "rpc": false, "rp": false, "rpc/x": false, "RPC.x": false, "x.rpc.": false, "rpcx.": false,
	} {
		require.Equal(t, want, protocol.IsReservedMethod(name), "CO-36 %q", name)
		require.Equal(t, want, protocol.IsReservedMethod([]byte(name)), "CO-36 %q", name)
	}
}
