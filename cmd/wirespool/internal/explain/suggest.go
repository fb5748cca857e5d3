package explain

import (
	"strings"

	"github.com/wirespool/wirespool/protocol"
)

// aliases are names from older drafts, articles and the Language Server Protocol that are sent as
// if they were MCP's and are too far from what was meant to be found by their letters.
var aliases = map[string]string{
	"initialized":          protocol.NotificationInitialized,
	"logging/message":      protocol.NotificationMessage,
	"notifications/log":    protocol.NotificationMessage,
	"window/logMessage":    protocol.NotificationMessage,
	"$/cancelRequest":      protocol.NotificationCancelled,
	"$/progress":           protocol.NotificationProgress,
	"tools/run":            protocol.MethodToolsCall,
	"tools/execute":        protocol.MethodToolsCall,
	"resources/get":        protocol.MethodResourcesRead,
	"elicitation/request":  protocol.MethodElicitationCreate,
	"sampling/create":      protocol.MethodSamplingCreateMessage,
	"discover":             protocol.MethodServerDiscover,
	"notifications/cancel": protocol.NotificationCancelled,
}

// suggest returns the known method that name is most likely meant to be, or nothing.
func suggest(name string) string {
	if meant := aliases[name]; meant != "" {
		return meant
	}
	const longest = 64 // a name longer than any known one is not compared letter by letter
	if len(name) > longest {
		return ""
	}
	folded := plain(name)
	for m := range protocol.Methods() {
		if plain(m.Name) == folded {
			return m.Name
		}
	}
	// Two letters off is a slip of the fingers in a long name and another word in a short one.
	mayDiffer := 2
	switch {
	case len(folded) < 6:
		return ""
	case len(folded) < 10:
		mayDiffer = 1
	}
	best, meant := mayDiffer+1, ""
	for m := range protocol.Methods() {
		if d := distance(folded, plain(m.Name)); d < best {
			best, meant = d, m.Name
		}
	}
	return meant
}

// plain is name without case and separators, which is where spellings differ most.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '/', '_', '-', '.', ' ', ':':
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// distance is the number of bytes to insert, delete or replace to make a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, above+1, row[j]+1)
			diagonal = above
		}
	}
	return row[len(b)]
}
