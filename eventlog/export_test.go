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
