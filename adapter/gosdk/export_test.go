package gosdk

// Streams is how many streams the store remembers.
func (s *EventStore) Streams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams)
}

// ForgetKeys makes the SDK's contexts say nothing until undo is called, as if it
// had changed its ways.
func ForgetKeys() (undo func()) {
	was := learn
	learn = func() learned { return learned{rejected: was().rejected} }
	return func() { learn = was }
}

// Keys returns how many keys of the SDK's contexts were learned, and the sentinel.
func Keys() (int, error) { return len(learn().requestKeys), learn().rejected }

// Servers is how many servers the handler keeps sessions of.
func (h *Handler) Servers() int {
	h.servers.mu.Lock()
	defer h.servers.mu.Unlock()
	return len(h.servers.all)
}

// SubscriptionOf and Restored let the fuzz target at the ids of subscriptions.
var (
	SubscriptionOf = subscriptionOf
	Restored       = restored
)

// Standard makes o that of the standard streams of the process.
func (o *Options) Standard() { o.standard = true }
