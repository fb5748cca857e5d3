package transport

// Principal is implemented by an Exchange whose transport has made sure who is
// at the other end, as an authorization hook of HTTP does. What requests of one
// principal leave behind must not be found by another's.
type Principal interface {
	// Principal names who sent the message; empty when nobody knows. It is the
	// same for all messages of one principal, and never taken from what the peer
	// says about itself.
	Principal() string
}
