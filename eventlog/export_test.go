package eventlog

// What the memory log charges for a stream and an event besides their text.
const (
	StreamCost = streamCost
	EventCost  = eventCost
)

// SealXAES seals text under a key and a nonce that are given.
func SealXAES(key, nonce, text, extra []byte) ([]byte, error) {
	x, err := newXAES(key)
	if err != nil {
		return nil, err
	}
	return x.seal(nil, nonce, text, extra), nil
}

// Followers returns how many loops wait for events of a stream.
func Followers(m *Memory, name Stream) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for f := m.streams[name].waiting; f != nil; f = f.next {
		n++
	}
	return n
}

// Scopes returns how many scopes a log knows.
func Scopes(m *Memory) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.scopes)
}

// Subscribers returns how many subscribers a topic has, and whether the bus
// knows it at all.
func Subscribers(b *LocalBus, topic string) (n int, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	subs, known := b.topics[topic]
	return len(subs), known
}
