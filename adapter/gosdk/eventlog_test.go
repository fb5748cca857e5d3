package gosdk_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/eventlog/logtest"
)

// TestLog holds a log in the SDK's store to the contract of every log.
func TestLog(t *testing.T) {
	logtest.Run(t, logtest.Factory{
		Open: func(testing.TB) eventlog.Log { return gosdk.NewLog(mcp.NewMemoryEventStore(nil), nil) },
	})
}

// TestLogForgets: a session is closed in the store when its last stream is gone.
func TestLogForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &closings{EventStore: mcp.NewMemoryEventStore(nil)}
		log := gosdk.NewLog(store, &eventlog.Limits{TTL: time.Hour, Linger: time.Minute})
		one, two := eventlog.Stream{Scope: "s", Key: eventlog.NewKey()}, eventlog.Stream{Scope: "s", Key: eventlog.NewKey()}
		for _, s := range []eventlog.Stream{one, two} {
			require.NoError(t, log.Create(t.Context(), s, nil, eventlog.Limits{}))
			require.NoError(t, log.Append(t.Context(), s, &eventlog.Event{Data: []byte("x")}))
		}
		require.NoError(t, log.Finish(t.Context(), one))
		<-time.After(2 * time.Minute)
		synctest.Wait()
		require.ErrorIs(t, log.Finish(t.Context(), one), eventlog.ErrUnknown)
		require.Empty(t, store.ended())
		<-time.After(2 * time.Hour)
		synctest.Wait()
		require.Equal(t, []string{"s"}, store.ended())
		require.NoError(t, log.Close())
	})
}

// TestLogTimerIsLate: a timer that fires while its stream is being used again, or
// read, takes nothing away.
func TestLogTimerIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := gosdk.NewLog(mcp.NewMemoryEventStore(nil), &eventlog.Limits{TTL: time.Hour})
		s := eventlog.Stream{Scope: "s", Key: eventlog.NewKey()}
		require.NoError(t, log.Create(t.Context(), s, nil, eventlog.Limits{}))
		<-time.After(time.Hour - 1)
		require.NoError(t, log.Append(t.Context(), s, &eventlog.Event{Data: []byte("x")}))
		log.Expire(s)
		for ev, err := range log.After(t.Context(), s, eventlog.EventID{}, false) {
			require.NoError(t, err)
			require.Equal(t, "x", string(ev.Data))
			<-time.After(2 * time.Hour)
			log.Expire(s)
		}
		_, err := log.Meta(t.Context(), s)
		require.NoError(t, err)
		<-time.After(time.Hour)
		synctest.Wait()
		_, err = log.Meta(t.Context(), s)
		require.ErrorIs(t, err, eventlog.ErrUnknown)
		require.NoError(t, log.Close())
	})
}

// closings notes which sessions were closed, and fails to append what says so.
type closings struct {
	mcp.EventStore
	mu     sync.Mutex
	closed []string
}

func (c *closings) SessionClosed(ctx context.Context, id string) error {
	c.mu.Lock()
	c.closed = append(c.closed, id)
	c.mu.Unlock()
	return c.EventStore.SessionClosed(ctx, id)
}

func (c *closings) ended() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.closed)
}

var errStore = errors.New("no room")

func (c *closings) Append(ctx context.Context, session, stream string, data []byte) error {
	if string(data) == "fails" {
		return errStore
	}
	return c.EventStore.Append(ctx, session, stream, data)
}

// TestLogAppendFails: of an Append that fails half way nothing is ever given out.
func TestLogAppendFails(t *testing.T) {
	log := gosdk.NewLog(&closings{EventStore: mcp.NewMemoryEventStore(nil)}, nil)
	s := eventlog.Stream{Scope: "s", Key: eventlog.NewKey()}
	event := func(text string) *eventlog.Event { return &eventlog.Event{Data: []byte(text)} }
	require.NoError(t, log.Create(t.Context(), s, nil, eventlog.Limits{}))
	first := event("first")
	require.NoError(t, log.Append(t.Context(), s, first))
	require.ErrorIs(t, log.Append(t.Context(), s, event("lost"), event("fails")), errStore)
	require.NoError(t, log.Append(t.Context(), s, event("second")))
	var got []string
	for ev, err := range log.After(t.Context(), s, first.ID, false) {
		require.NoError(t, err)
		got = append(got, string(ev.Data))
	}
	require.Equal(t, []string{"second"}, got)
	require.NoError(t, log.Close())
}

// TestEventStore: what the SDK asks of a store.
func TestEventStore(t *testing.T) {
	log := eventlog.NewMemory(nil)
	defer func() { require.NoError(t, log.Close()) }()
	store := gosdk.NewEventStore(log, &eventlog.Limits{MaxEvents: 4})
	after := func(stream string, index int) (texts []string, err error) {
		for data, err := range store.After(t.Context(), "s", stream, index) {
			if err != nil {
				return texts, err
			}
			texts = append(texts, string(data))
		}
		return texts, nil
	}
	require.NoError(t, store.Open(t.Context(), "s", ""))
	for _, text := range []string{"a", "b", "c"} {
		require.NoError(t, store.Append(t.Context(), "s", "", []byte(text)))
		require.NoError(t, store.Append(t.Context(), "s", "other", []byte("o"+text)))
	}
	for index, want := range map[int][]string{-1: {"a", "b", "c"}, 0: {"b", "c"}, 1: {"c"}, 2: nil} {
		got, err := after("", index)
		require.NoError(t, err)
		require.Equal(t, want, got, index)
	}
	got, err := after("other", 1)
	require.NoError(t, err)
	require.True(t, slices.Equal(got, []string{"oc"}))
	_, err = after("", 7)
	require.Error(t, err)
	_, err = after("none", 0)
	require.Error(t, err)
	for range 3 {
		require.NoError(t, store.Append(t.Context(), "s", "", []byte("more")))
	}
	_, err = after("", 0)
	require.ErrorIs(t, err, mcp.ErrEventsPurged)
	require.NoError(t, store.SessionClosed(t.Context(), "s"))
	_, err = after("", 1)
	require.Error(t, err)
}

// TestEventStoreForgets: what expired in the log takes no memory here for long.
func TestEventStoreForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := eventlog.NewMemory(nil)
		defer func() { require.NoError(t, log.Close()) }()
		store := gosdk.NewEventStore(log, &eventlog.Limits{TTL: time.Minute})
		for i := range 5000 {
			require.NoError(t, store.Open(t.Context(), "s", string(rune('a'+i%20))+eventlog.NewKey()))
			if i%500 == 0 {
				<-time.After(2 * time.Minute)
			}
		}
		require.Less(t, store.Streams(), 2100)
	})
}
