package dispatch

import (
	"strings"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// Filter says which changes a subscription is about (SU-01). The zero Filter is
// about none.
type Filter struct {
	ToolsListChanged     bool
	PromptsListChanged   bool
	ResourcesListChanged bool
	// Resources are the URIs whose content matters, and with it that of
	// everything below them in the manner of paths (SU-02).
	Resources []string
	// TaskIDs belong to the tasks extension (SU-17).
	TaskIDs []string
}

// append appends the filter as the JSON object that travels.
func (f *Filter) append(dst []byte) []byte {
	dst = append(dst, '{')
	from := len(dst)
	flag := func(name string, set bool) {
		if set {
			dst = appendMember(dst, from, codec.Value(`"`+name+`"`), codec.Value("true"))
		}
	}
	list := func(name string, texts []string) {
		if texts == nil {
			return
		}
		value := codec.Value{'['}
		for i, text := range texts {
			if i > 0 {
				value = append(value, ',')
			}
			value = codec.AppendString(value, text)
		}
		dst = appendMember(dst, from, codec.Value(`"`+name+`"`), append(value, ']'))
	}
	flag("toolsListChanged", f.ToolsListChanged)
	flag("promptsListChanged", f.PromptsListChanged)
	flag("resourcesListChanged", f.ResourcesListChanged)
	list("resourceSubscriptions", f.Resources)
	list("taskIds", f.TaskIDs)
	return append(dst, '}')
}

// parseFilter reads params.notifications; most is how many URIs and ids it may
// name.
func parseFilter(params codec.Value, most int) (f Filter, refusal *codec.Error) {
	object, err := codec.Find(params, "notifications")
	if err != nil || object.Kind() != codec.Object {
		return f, refusef(protocol.CodeInvalidParams, "params.notifications must be an object that says what to listen for")
	}
	for name, value := range object.Members() {
		ok := true
		switch text, _ := name.Text(); string(text) {
		case "toolsListChanged":
			f.ToolsListChanged, ok = value.Bool()
		case "promptsListChanged":
			f.PromptsListChanged, ok = value.Bool()
		case "resourcesListChanged":
			f.ResourcesListChanged, ok = value.Bool()
		case "resourceSubscriptions":
			f.Resources, ok = texts(value)
		case "taskIds":
			f.TaskIDs, ok = texts(value)
		}
		switch {
		case !ok:
			return f, refusef(protocol.CodeInvalidParams, "params.notifications: %s has a value of the wrong type", name)
		case len(f.Resources)+len(f.TaskIDs) > most:
			return f, busy(most, "resources and tasks in one subscription")
		}
	}
	return f, nil
}

// texts returns the strings of an array, which is not nil when ok.
func texts(array codec.Value) (list []string, ok bool) {
	if array.Kind() != codec.Array {
		return nil, false
	}
	list = []string{}
	for v := range array.Elements() {
		text, ok := v.Text()
		if !ok {
			return nil, false
		}
		list = append(list, string(text))
	}
	return list, true
}

// honoured returns what a server with these capabilities tells of (SU-03).
func (f Filter) honoured(capabilities codec.Value) Filter {
	announced := func(path ...string) bool {
		v, _ := codec.Find(capabilities, path...)
		yes, _ := v.Bool()
		return yes
	}
	f.ToolsListChanged = f.ToolsListChanged && announced("tools", "listChanged")
	f.PromptsListChanged = f.PromptsListChanged && announced("prompts", "listChanged")
	f.ResourcesListChanged = f.ResourcesListChanged && announced("resources", "listChanged")
	if !announced("resources", "subscribe") {
		f.Resources = nil
	}
	if v, _ := codec.Find(capabilities, "extensions", protocol.ExtensionTasks); v == nil {
		f.TaskIDs = nil
	}
	return f
}

// subscribable reports whether a server with these capabilities has anything to
// subscribe to.
func subscribable(capabilities codec.Value) bool {
	all := Filter{true, true, true, []string{}, []string{}}.honoured(capabilities)
	return all.ToolsListChanged || all.PromptsListChanged || all.ResourcesListChanged || all.Resources != nil || all.TaskIDs != nil
}

// topic is what a notification is about.
type topic struct {
	method  string
	subject string // the URI or the id of the task; empty for a list
}

// topicOf reads the topic of a notification that subscriptions are about; false
// for any other.
func topicOf(method string, params codec.Value) (topic, bool) {
	member := ""
	switch method {
	case protocol.NotificationToolsListChanged, protocol.NotificationPromptsListChanged, protocol.NotificationResourcesListChanged:
		return topic{method: method}, true
	case protocol.NotificationResourcesUpdated:
		member = protocol.ParamURI
	case protocol.NotificationTasks:
		member = protocol.ParamTaskID
	default:
		return topic{}, false
	}
	v, _ := codec.Find(params, member)
	text, ok := v.Text()
	return topic{method, string(text)}, ok
}

// interest is a filter in the form in which it is asked.
type interest struct {
	Filter
	resources set
	tasks     set
}

func newInterest(f Filter) interest {
	return interest{Filter: f, resources: newSet(f.Resources), tasks: newSet(f.TaskIDs)}
}

// wants reports whether a notification with this topic matches.
func (i *interest) wants(t topic) bool {
	switch t.method {
	case protocol.NotificationToolsListChanged:
		return i.ToolsListChanged
	case protocol.NotificationPromptsListChanged:
		return i.PromptsListChanged
	case protocol.NotificationResourcesListChanged:
		return i.ResourcesListChanged
	case protocol.NotificationResourcesUpdated:
		return i.resources.covers(t.subject)
	}
	return i.tasks[t.subject]
}

type set map[string]bool

func newSet(list []string) set {
	s := make(set, len(list))
	for _, text := range list {
		s[text] = true
	}
	return s
}

// covers reports whether the URI or one that it lies below is in the set.
func (s set) covers(uri string) bool {
	if len(s) == 0 {
		return false
	}
	for {
		if s[uri] {
			return true
		}
		i := strings.LastIndexByte(uri, '/')
		if i < 0 {
			return false
		}
		if i < len(uri)-1 && s[uri[:i+1]] {
			return true
		}
		uri = uri[:i]
	}
}
