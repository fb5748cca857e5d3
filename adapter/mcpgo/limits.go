package mcpgo

import "time"

// What an SDK or a peer can make the adapter hold, and for how long.
const (
	// callNotices is how many notifications of one call wait to be sent. A
	// handler that makes more waits for the client to take some: a flood must
	// not become memory, and mcp-go drops what finds no room.
	callNotices = 32
	// sessionNotices is the same for what belongs to no call, and stallAfter how
	// long its sender waits then: one client that does not read must not hold up
	// a broadcast to the others. What still finds no room is refused, and mcp-go
	// says so to who sent it.
	sessionNotices = 256
	stallAfter     = 100 * time.Millisecond
	// sweepAfter is when a channel that was given out while its call ended is
	// looked into once more.
	sweepAfter = 20 * time.Millisecond
	// plainDepth is how deep arguments may nest to be decoded here: what nests
	// deeper would be looked at once for each level.
	plainDepth = 32
	// maxClients and maxClientText bound what is remembered of clients that say
	// in each request who they are: a new one each time must not become memory.
	maxClients    = 64
	maxClientText = 2 << 10
)

// maxKeptText and maxPooledText bound the memory that is kept for the params of
// the next message: a large one must not be held for ever.
const (
	maxKeptText   = 16 << 10
	maxPooledText = 1<<20 + 1<<18
)

// largeText is what memory is made for in one go, and roomBehind what is left then
// for its first few escapes and the rest of the message.
const (
	largeText  = 4 << 10
	roomBehind = 256
)

// Of a client.
const (
	// DefaultMaxReverse bounds the requests of a server that are handled at
	// once: each costs a goroutine.
	DefaultMaxReverse = 256
	// DefaultMaxNotifications bounds the notifications that wait for the handler
	// of an earlier one: a server can send any number while it runs.
	DefaultMaxNotifications = 4096
)
