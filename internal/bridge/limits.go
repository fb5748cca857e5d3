package bridge

import (
	"math"
	"time"

	"github.com/wirespool/wirespool/internal/httpx"
)

// What a peer can make a bridge hold, and for how long.
const (
	// DefaultMaxCalls bounds the requests of one front that run at the back at
	// once: each is kept until it is answered.
	DefaultMaxCalls = 4096
	// DefaultMaxAsks bounds the requests of one back that its front has not
	// answered, which it may never do, and those in one result.
	DefaultMaxAsks = 4096
	// DefaultMaxWaiting bounds the messages of one front that wait while its
	// back is being opened.
	DefaultMaxWaiting = 1024
	// DefaultMaxMail bounds what waits for the client of one call, which may
	// read slowly while the back is shared. Progress and log messages beyond it
	// are dropped.
	DefaultMaxMail = 1024
	// DefaultMaxHeld and DefaultHold bound what waits for a client to open the
	// stream that messages outside of calls go to: servers ask for the roots as
	// soon as they are told that the client is ready, and it may be a moment.
	DefaultMaxHeld = 64
	DefaultHold    = 10 * time.Second
	// DefaultMaxRemembered bounds the subscriptions of a session that a server
	// which takes the place of a lost one is told of.
	DefaultMaxRemembered = 10_000
	// DefaultMaxTasks bounds the progress tokens of requests that became tasks,
	// which have no end that could be seen (TK-01).
	DefaultMaxTasks = 1024
	// DefaultMaxTools bounds the tools whose mirrored arguments are remembered: a
	// server may list any number. Those of others are not checked.
	DefaultMaxTools = 10_000

	// DefaultProbe bounds the question which era a back speaks, DefaultHandshake
	// the handshake with it: a server may never answer.
	DefaultProbe     = 3 * time.Second
	DefaultHandshake = 30 * time.Second
	// DefaultCall bounds how long a request may go without an answer, without
	// progress and without a question of the back to the client's user or model: a
	// back may never answer, and the client may have left. Subscriptions have no
	// end.
	DefaultCall = 5 * time.Minute
	// DefaultDisown bounds how long a call that was cancelled is taken to run on at
	// a back which many share: it need not say that it has stopped. What the back
	// asks or logs meanwhile may be of that call, and is for none of the others. Most
	// stop at once and say nothing, and their next call is to be asked again soon.
	DefaultDisown = 15 * time.Second
	// DefaultTell bounds how long a back may take to accept a notification, while
	// everything behind it waits.
	DefaultTell = 30 * time.Second
	// DefaultDrain bounds how long calls may go on after the client has ended its
	// side.
	DefaultDrain = 10 * time.Second

	// DefaultMaxSuspended and DefaultSuspend bound the calls that wait for a
	// client of 2026-07-28 to come back with what the server asked for, which it
	// need not do (MR-09).
	DefaultMaxSuspended = 1000
	DefaultSuspend      = 5 * time.Minute
	// DefaultMaxRounds bounds how often a server of 2026-07-28 can ask for more
	// before it answers (MR-10).
	DefaultMaxRounds = 16
)

// Limits bound what peers can make a Bridge do. A zero field means its default,
// a negative one no limit.
type Limits struct {
	MaxCalls      int
	MaxAsks       int
	MaxWaiting    int
	MaxMail       int
	MaxHeld       int
	MaxTasks      int
	MaxTools      int
	MaxRemembered int
	MaxSuspended  int
	MaxRounds     int

	Hold      time.Duration
	Probe     time.Duration
	Handshake time.Duration
	Call      time.Duration
	Disown    time.Duration
	Tell      time.Duration
	Drain     time.Duration
	Suspend   time.Duration
}

func (l Limits) filled() Limits {
	for n, standard := range map[*int]int{
		&l.MaxCalls: DefaultMaxCalls, &l.MaxAsks: DefaultMaxAsks, &l.MaxWaiting: DefaultMaxWaiting, &l.MaxMail: DefaultMaxMail,
		&l.MaxHeld: DefaultMaxHeld, &l.MaxTasks: DefaultMaxTasks, &l.MaxTools: DefaultMaxTools, &l.MaxRemembered: DefaultMaxRemembered,
		&l.MaxSuspended: DefaultMaxSuspended, &l.MaxRounds: DefaultMaxRounds,
	} {
		*n = httpx.Limit(*n, standard, math.MaxInt)
	}
	for d, standard := range map[*time.Duration]time.Duration{
		&l.Hold: DefaultHold, &l.Probe: DefaultProbe, &l.Handshake: DefaultHandshake, &l.Call: DefaultCall, &l.Disown: DefaultDisown,
		&l.Tell: DefaultTell, &l.Drain: DefaultDrain, &l.Suspend: DefaultSuspend,
	} {
		*d = httpx.Limit(*d, standard, noTime)
	}
	return l
}

// noTime is a time that does not pass, and may still be added to another.
const noTime = time.Duration(math.MaxInt64 / 4)

// farewell bounds how long the end of a back waits for cancellations to go out.
const farewell = time.Second

// holdFirst and holdMost are how often what is held is tried again: soon at
// first, then at leisure.
const (
	holdFirst = 10 * time.Millisecond
	holdMost  = 500 * time.Millisecond
)

// doubtPause is how long a back that was asked for its era is believed, whatever it
// answers: none is asked again and again.
const doubtPause = 10 * time.Second

// listenFirst and listenMost are how soon a subscription that the server has
// ended is asked for again.
const (
	listenFirst = time.Second
	listenMost  = 30 * time.Second
)
