package eventlog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
)

// kilo is an event of 1,000 bytes, which with what an event costs are 1,064.
var kilo = strings.Repeat("x", 1000)

// budget returns a log with room for that many streams with so many events of
// 1,000 bytes in all, and not for one event more.
func budget(t *testing.T, streams, events int) *eventlog.Memory {
	log := eventlog.NewMemory(&eventlog.MemoryOptions{MaxTotal: int64(streams)*eventlog.StreamCost + int64(events)*(1000+eventlog.EventCost)})
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	return log
}

// Streams that finished go first, in the order in which they did, and whole.
func TestFinishedStreamsGoFirst(t *testing.T) {
	log := budget(t, 4, 8)
	var all []eventlog.Stream
	for range 4 {
		all = append(all, create(t, log, "", eventlog.Limits{}))
		put(t, log, all[len(all)-1], kilo, kilo)
	}
	finish(t, log, all[2])
	finish(t, log, all[0])
	full := log.Stats()
	require.Equal(t, eventlog.Stats{Streams: 4, Finished: 2, Events: 8, Bytes: full.Bytes}, full)

	put(t, log, all[3], kilo)
	require.Equal(t, uint64(1), log.Stats().Evicted)
	_, err := read(t, log, all[2], start)
	require.ErrorIs(t, err, eventlog.ErrUnknown)
	put(t, log, all[3], kilo, kilo)
	require.Equal(t, uint64(2), log.Stats().Evicted)
	_, err = read(t, log, all[0], start)
	require.ErrorIs(t, err, eventlog.ErrUnknown)

	got := log.Stats()
	require.Equal(t, eventlog.Stats{Streams: 2, Events: 7, Bytes: got.Bytes, Evicted: 2}, got)
	create(t, log, "", eventlog.Limits{})
	create(t, log, "", eventlog.Limits{})
	put(t, log, all[1], kilo)
	err = log.Create(t.Context(), eventlog.Stream{Key: eventlog.NewKey()}, nil, eventlog.Limits{})
	require.ErrorIs(t, err, eventlog.ErrFull, "what was evicted cannot be evicted again")
}

// A stream at its own limit purges its own events before any other is given up.
func TestOwnLimitsComeFirst(t *testing.T) {
	log := budget(t, 2, 6)
	done, noisy := create(t, log, "", eventlog.Limits{}), create(t, log, "", eventlog.Limits{MaxEvents: 3})
	put(t, log, done, kilo, kilo, kilo)
	finish(t, log, done)
	for range 20 {
		put(t, log, noisy, kilo)
	}
	got := log.Stats()
	require.Equal(t, eventlog.Stats{Streams: 2, Finished: 1, Events: 6, Bytes: got.Bytes, Purged: 17}, got)
}

// When nothing is finished, who appends pays, and nobody else.
func TestTheNoisyStreamPays(t *testing.T) {
	log := budget(t, 2, 10)
	quiet, noisy := create(t, log, "", eventlog.Limits{}), create(t, log, "", eventlog.Limits{})
	put(t, log, quiet, kilo, kilo, kilo)
	ids := put(t, log, noisy, kilo, kilo, kilo, kilo, kilo, kilo, kilo)
	require.Zero(t, log.Stats().Purged)
	put(t, log, noisy, kilo, kilo)
	require.Equal(t, uint64(2), log.Stats().Purged)
	texts, err := read(t, log, quiet, start)
	require.NoError(t, err)
	require.Len(t, texts, 3)
	_, err = read(t, log, noisy, ids[0])
	require.ErrorIs(t, err, eventlog.ErrPurged)
	texts, err = read(t, log, noisy, ids[1])
	require.NoError(t, err)
	require.Len(t, texts, 7)
}

// What cannot be had is refused, and then nothing has changed.
func TestFull(t *testing.T) {
	log := budget(t, 2, 10)
	a, b := create(t, log, "", eventlog.Limits{}), create(t, log, "", eventlog.Limits{})
	put(t, log, a, kilo, kilo, kilo, kilo, kilo, kilo, kilo, kilo)
	put(t, log, b, kilo, kilo)
	before := log.Stats()

	var batch []*eventlog.Event
	for range 3 {
		batch = append(batch, &eventlog.Event{Data: []byte(kilo)})
	}
	err := log.Append(t.Context(), b, batch...)
	require.ErrorIs(t, err, eventlog.ErrFull)
	require.ErrorContains(t, err, "MaxTotal = ")
	require.True(t, batch[0].ID.IsZero())
	require.ErrorIs(t, log.Append(t.Context(), b, &eventlog.Event{Data: make([]byte, 1<<20)}), eventlog.ErrFull)
	err = log.Create(t.Context(), eventlog.Stream{Key: eventlog.NewKey()}, nil, eventlog.Limits{})
	require.ErrorIs(t, err, eventlog.ErrFull)
	require.Equal(t, before, log.Stats())

	finish(t, log, a)
	require.NoError(t, log.Append(t.Context(), b, batch...))
	require.Equal(t, uint64(1), log.Stats().Evicted)
}

// Streams and events without text cost room too.
func TestEmptyThingsCost(t *testing.T) {
	log := eventlog.NewMemory(&eventlog.MemoryOptions{MaxTotal: 1 << 20})
	defer log.Close()
	var err error
	n := 0
	for ; err == nil; n++ {
		err = log.Create(t.Context(), eventlog.Stream{Key: eventlog.NewKey()}, nil, eventlog.Limits{})
	}
	require.ErrorIs(t, err, eventlog.ErrFull)
	require.Less(t, n, 1<<20/400)
	require.NoError(t, log.Drop(t.Context(), ""))
	require.Zero(t, log.Stats().Bytes)

	s := create(t, log, "", eventlog.Limits{MaxEvents: -1, MaxBytes: -1})
	for log.Stats().Purged == 0 {
		put(t, log, s, "")
	}
	require.Less(t, log.Stats().Events, 1<<20/60)
}

// A scope or meta that is long is charged.
func TestNamesCost(t *testing.T) {
	log := eventlog.NewMemory(nil)
	defer log.Close()
	s := eventlog.Stream{Scope: kilo, Key: eventlog.NewKey()}
	require.NoError(t, log.Create(t.Context(), s, []byte(kilo), eventlog.Limits{}))
	require.Equal(t, int64(2000+eventlog.StreamCost), log.Stats().Bytes)
}

func TestStreamLimits(t *testing.T) {
	tests := map[string]struct {
		lim  eventlog.Limits
		puts int // events of 1,000 bytes
		kept int
	}{
		"the defaults, by number": {eventlog.Limits{MaxBytes: -1}, 1500, 1000},
		"the defaults, by size":   {eventlog.Limits{MaxEvents: -1}, 1500, 1048},
		"number":                  {eventlog.Limits{MaxEvents: 7}, 20, 7},
		"one":                     {eventlog.Limits{MaxEvents: 1}, 20, 1},
		"size":                    {eventlog.Limits{MaxBytes: 4500}, 20, 4},
		"size below one event":    {eventlog.Limits{MaxBytes: 10}, 20, 1},
		"off":                     {eventlog.Limits{MaxEvents: -1, MaxBytes: -1}, 1500, 1500},
	}
	for name, test := range tests {
		for _, batched := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				log := eventlog.NewMemory(nil)
				defer log.Close()
				s := create(t, log, "", test.lim)
				var batch []*eventlog.Event
				for range test.puts {
					batch = append(batch, &eventlog.Event{Data: []byte(kilo)})
				}
				if batched {
					require.NoError(t, log.Append(t.Context(), s, batch...))
				} else {
					for _, ev := range batch {
						require.NoError(t, log.Append(t.Context(), s, ev))
					}
				}
				stats := log.Stats()
				require.Equal(t, test.kept, stats.Events)
				require.Equal(t, uint64(test.puts-test.kept), stats.Purged)
				require.Equal(t, int64(eventlog.StreamCost+test.kept*(1000+eventlog.EventCost)), stats.Bytes)
				if purged := test.puts - test.kept; purged > 1 {
					_, err := read(t, log, s, batch[purged-2].ID)
					require.ErrorIs(t, err, eventlog.ErrPurged)
				}
				texts, err := read(t, log, s, batch[max(0, test.puts-test.kept-1)].ID)
				require.NoError(t, err)
				require.Len(t, texts, min(test.kept, test.puts-1))
			})
		}
	}
}
