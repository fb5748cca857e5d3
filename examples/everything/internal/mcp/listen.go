package mcp

import (
	"context"
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// filter says what a subscription is about (SU-01).
type filter struct {
	ToolsListChanged      bool     `json:"toolsListChanged,omitempty"`
	PromptsListChanged    bool     `json:"promptsListChanged,omitempty"`
	ResourcesListChanged  bool     `json:"resourcesListChanged,omitempty"`
	ResourceSubscriptions []string `json:"resourceSubscriptions,omitempty"`
	TaskIDs               []string `json:"taskIds,omitempty"`
}

func (f *filter) wants(notification string) bool {
	switch notification {
	case protocol.NotificationToolsListChanged:
		return f.ToolsListChanged
	case protocol.NotificationPromptsListChanged:
		return f.PromptsListChanged
	}
	return f.ResourcesListChanged
}

// listener is one open subscriptions/listen.
type listener struct {
	request *dispatch.Request
	filter  filter
	meta    []byte // the member that ties a notification to the subscription (SU-05)

	mu    sync.Mutex // held while sending, so that the acknowledgment is first
	ended bool
}

// listen answers subscriptions/listen: it acknowledges, and stays until the
// client cancels or is gone.
func (c *changes) listen(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	var in struct {
		Notifications *filter `json:"notifications"`
	}
	if err := typed.Decode(r.Params(), &in); err != nil || in.Notifications == nil {
		return dst, invalidParams("notifications must be an object that says what to listen for")
	}
	if in.Notifications.TaskIDs != nil {
		if v, err := codec.Find(r.Fact(codec.FactMetaClientCapabilities), "extensions", protocol.ExtensionTasks); v == nil || err != nil {
			return dst, missingCapability("extensions", protocol.ExtensionTasks) // SU-17
		}
	}
	l := &listener{request: r, filter: *in.Notifications}
	l.meta = append([]byte(`"_meta":{"`+protocol.MetaSubscriptionID+`":`), r.ID()...)
	l.meta = append(l.meta, '}')
	honoured, err := typed.Append([]byte(`"notifications":`), l.filter)
	if err != nil {
		return dst, err
	}

	l.mu.Lock()
	c.mu.Lock()
	c.listeners[l] = true // before the acknowledgment, so that no change falls between
	c.mu.Unlock()
	err = l.send(ctx, protocol.NotificationSubscriptionsAcknowledged, honoured)
	l.mu.Unlock()
	if err == nil {
		r.Wait(func() { <-ctx.Done() })
		err = ctx.Err()
	}

	c.mu.Lock()
	delete(c.listeners, l)
	c.mu.Unlock()
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	return dst, err
}

// send sends a notification whose params have these members besides _meta.
// Caller holds l.mu.
func (l *listener) send(ctx context.Context, notification string, members []byte) error {
	params := append([]byte{'{'}, l.meta...)
	if len(members) > 0 {
		params = append(append(params, ','), members...)
	}
	return l.request.Notify(ctx, notification, append(params, '}'))
}

// tell sends a notification on every subscription that wants it.
func (c *changes) tell(ctx context.Context, notification string, members []byte, wanted func(*filter) bool) {
	c.mu.Lock()
	var chosen []*listener
	for l := range c.listeners {
		if wanted(&l.filter) {
			chosen = append(chosen, l)
		}
	}
	c.mu.Unlock()
	for _, l := range chosen {
		l.mu.Lock()
		if !l.ended {
			_ = l.send(ctx, notification, members) // who cannot be reached needs no notice
		}
		l.mu.Unlock()
	}
}
