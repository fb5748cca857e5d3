package gosdk

import "time"

const (
	// DefaultDrainWait is how long the end of the input is kept from a server's
	// session while it still answers: the SDK cancels what runs when it sees the
	// end, but a client that has closed its side may still read (ST-20). A
	// handler that never returns must not keep the process alive.
	DefaultDrainWait = 10 * time.Second

	// DefaultMaxServers is how many servers a handler keeps sessions for that
	// many clients share: getServer may return a new server each time, and what
	// it returned once must not be kept for ever.
	DefaultMaxServers = 16
)

const (
	// maxPositions bounds the positions that an [EventStore] remembers of one
	// stream, as many as the logs of package eventlog keep events by default.
	maxPositions = 10_000

	// inboxSize is how many messages wait for the SDK's reader before those who
	// bring them wait.
	inboxSize = 16

	// maxSenders and maxSenderText bound what a session remembers of the clients
	// that the SDK has accepted: how many descriptions, and of which length.
	maxSenders    = 64
	maxSenderText = 4 << 10
)
