package eventstream_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/sse/eventstream"
)

// play runs a script in a bubble, whose end proves that no goroutine is left,
// and checks that no body is.
func play(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

func stream(end error, text ...string) answer {
	a := answer{end: end}
	for _, s := range text {
		a.parts = append(a.parts, part{0, s})
	}
	return a
}

func status(code int, header ...string) answer {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return answer{status: code, header: h, end: io.EOF}
}

var errBroken = errors.New("connection reset")

// A stream goes on behind the last event, whatever ended its connection, after
// the time that the server asked for.
func TestResume(t *testing.T) {
	play(t, func(t *testing.T) {
		s := newScript(
			stream(io.EOF, "id: p1\nretry: 1500\ndata:\n\n"), // SE-05: primed, then closed
			stream(errBroken, "id: p2\ndata: 2\n\nid: p3\ndata: 3"),
			stream(io.EOF, "id: p3\ndata: 3\n\n", "data: 4\n\n"),
			status(http.StatusNoContent),
		)
		var told []eventstream.Reconnect
		src := s.source(t.Context(), &eventstream.SourceOptions{
			Notify: func(r eventstream.Reconnect) { told = append(told, r) },
		})
		got, err := drain(t, src)
		require.Equal(t, []string{"p1", "p2", "p3", "p3"}, ids(got))
		require.Equal(t, "4", got[3].data)
		require.EqualError(t, err, "eventstream: HTTP status 204 No Content")

		require.Len(t, s.requests, 4)
		for i, want := range []string{"", "p1", "p2", "p3"} { // SE-06
			require.Equal(t, want, s.requests[i].lastID)
			if i > 0 {
				waited := s.requests[i].at - s.requests[i-1].at
				require.GreaterOrEqual(t, waited, 1500*time.Millisecond)
				require.Less(t, waited, 1700*time.Millisecond)
				require.Equal(t, want, told[i-1].LastEventID)
				require.Equal(t, 1, told[i-1].Attempt, "there was progress each time")
				require.Equal(t, waited, told[i-1].Delay)
			}
		}
		require.ErrorIs(t, told[1].Cause, errBroken)
		require.EqualError(t, told[0].Cause, "the stream ended")
		require.Zero(t, s.open.Load())
	})
}

// Only a new id or a message is progress: a server that accepts every
// connection and says nothing new is given up.
func TestAttempts(t *testing.T) {
	const primed = "id: 7\ndata:\n\n"
	for name, c := range map[string]struct {
		answers  []answer
		attempts int
		requests int
	}{
		"refused":           {nil, 3, 4},
		"silent":            {[]answer{stream(io.EOF), stream(errBroken), stream(io.EOF), stream(io.EOF), stream(io.EOF)}, 3, 4},
		"comments":          {[]answer{stream(io.EOF, ":\n\n"), stream(io.EOF, ":\n\n"), stream(io.EOF, ":\n\n")}, 2, 3},
		"the same id again": {[]answer{stream(io.EOF, primed), stream(io.EOF, primed), stream(io.EOF, primed), stream(io.EOF, primed)}, 2, 3},
		"500":               {[]answer{status(500), status(502), status(503), status(500)}, 2, 3},
		"progress between": {[]answer{status(500), stream(errBroken), stream(io.EOF, "data: x\n\n"), status(500), stream(io.EOF, "id: 8\n\n"),
			status(500), status(500), status(500)}, 2, 7},
		"default": {[]answer{stream(io.EOF, "data: x\n\n")}, 0, 1 + eventstream.DefaultAttempts},
	} {
		play(t, func(t *testing.T) {
			s := newScript(c.answers...)
			_, err := drain(t, s.source(t.Context(), &eventstream.SourceOptions{Attempts: c.attempts}))
			require.ErrorIs(t, err, eventstream.ErrGaveUp, name)
			require.Len(t, s.requests, c.requests, name)
			require.Zero(t, s.open.Load())
		})
	}
}

func TestAttemptsOff(t *testing.T) {
	play(t, func(t *testing.T) {
		s := newScript()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := drain(t, s.source(ctx, &eventstream.SourceOptions{Attempts: -1}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Greater(t, len(s.requests), 100)
		require.Less(t, len(s.requests), 1000)
	})
}

// What stays as it is ends the stream, with its status.
func TestStatuses(t *testing.T) {
	for code, again := range map[int]bool{
		201: false, 202: false, 204: false, 205: false, 304: false, 400: false, 401: false, 403: false, 404: false, 405: false,
		406: false, 409: false, 410: false, 415: false, 421: false, 408: true, 425: true, 429: true, 500: true, 502: true, 503: true, 504: true,
	} {
		play(t, func(t *testing.T) {
			s := newScript(status(code, "WWW-Authenticate", "Bearer"), stream(io.EOF, "data: x\n\n"), status(404))
			got, err := drain(t, s.source(t.Context(), nil))
			refusal, ok := errors.AsType[*eventstream.ResponseError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, again, (&eventstream.ResponseError{Status: code}).Temporary())
			if again {
				require.Len(t, got, 1, code)
				require.Equal(t, 404, refusal.Status)
			} else {
				require.Empty(t, got, code)
				require.Equal(t, code, refusal.Status)
				require.Equal(t, "Bearer", refusal.Header.Get("WWW-Authenticate"))
				require.Contains(t, err.Error(), strconv.Itoa(code))
			}
			require.Zero(t, s.open.Load())
		})
	}
}

func TestContentTypes(t *testing.T) {
	for _, c := range streamCases(t) {
		require.Equal(t, c.Accept, eventstream.IsStream(c.ContentType), c.Name)
	}
	for value, want := range map[string]bool{
		"text/event-stream": true, "Text/Event-Stream ; charset=utf-8": true, " text/event-stream": true,
		"": false, "text/event-stream2": false, "application/json": false, "text/html; x=text/event-stream": false,
	} {
		require.Equal(t, want, eventstream.IsStream(value), value)
	}
	play(t, func(t *testing.T) {
		s := newScript(status(200, "Content-Type", "text/html"))
		_, err := drain(t, s.source(t.Context(), nil))
		require.EqualError(t, err, `eventstream: content type "text/html" is not text/event-stream`)
		require.Zero(t, s.open.Load())
	})
}

// The server's Retry-After is waited for, as seconds or as a date.
func TestRetryAfter(t *testing.T) {
	play(t, func(t *testing.T) {
		s := newScript(status(503, "Retry-After", "7"),
			status(429, "Retry-After", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)),
			status(503, "Retry-After", "soon"), status(503, "Retry-After", "-5"), status(410))
		_, err := drain(t, s.source(t.Context(), nil))
		require.ErrorContains(t, err, "410")
		at := func(i int) time.Duration { return s.requests[i].at }
		require.GreaterOrEqual(t, at(1), 7*time.Second)
		require.Less(t, at(1), 8*time.Second)
		require.GreaterOrEqual(t, at(2), 59*time.Second)
		require.Less(t, at(2), 63*time.Second)
		require.Less(t, at(3)-at(2), 4*time.Second)
		require.Less(t, at(4)-at(3), 8*time.Second)
	})
}

// Who asks for a longer wait than we have patience for is not asked before it.
func TestMaxWait(t *testing.T) {
	for _, a := range []answer{status(503, "Retry-After", "301"), stream(io.EOF, "retry: 301000\ndata: x\n\n"), stream(io.EOF, "retry: 301000\n")} {
		play(t, func(t *testing.T) {
			s := newScript(a)
			_, err := drain(t, s.source(t.Context(), nil))
			require.ErrorIs(t, err, eventstream.ErrGaveUp)
			require.ErrorContains(t, err, "MaxWait = 5m0s")
			require.Len(t, s.requests, 1)
			s = newScript(a, status(404))
			_, err = drain(t, s.source(t.Context(), &eventstream.SourceOptions{MaxWait: -1}))
			require.ErrorContains(t, err, "404")
			require.GreaterOrEqual(t, s.requests[1].at, 301*time.Second)
		})
	}
}

// Silence means something only where the server keeps its streams alive or
// numbers its events, or where the caller says so.
func TestIdle(t *testing.T) {
	for name, c := range map[string]struct {
		idle  time.Duration
		parts []part
		end   time.Duration // of the first connection; 0: it does not end
	}{
		"nothing":               {0, nil, 0},
		"a message":             {0, []part{{0, "data: x\n\n"}}, 0},
		"a comment":             {0, []part{{0, ":\n\n"}}, 60 * time.Second},
		"an id":                 {0, []part{{0, "id: 1\n\n"}}, 60 * time.Second},
		"kept alive":            {0, []part{{0, ":\n\n"}, {50 * time.Second, ":\n\n"}, {50 * time.Second, "da"}}, 160 * time.Second},
		"said so":               {10 * time.Second, nil, 10 * time.Second},
		"said so, some bytes":   {10 * time.Second, []part{{9 * time.Second, "d"}}, 19 * time.Second},
		"off":                   {-1, []part{{0, ":\n\n"}}, 0},
		"an empty id, no reset": {0, []part{{0, "id\n\n"}}, 0},
	} {
		play(t, func(t *testing.T) {
			s := newScript(answer{parts: c.parts}, status(404))
			var cause error
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			_, err := drain(t, s.source(ctx, &eventstream.SourceOptions{
				Idle: c.idle, Notify: func(r eventstream.Reconnect) { cause = r.Cause },
				Backoff: eventstream.Backoff{First: 1, Max: 1},
			}))
			if c.end == 0 {
				require.ErrorIs(t, err, context.DeadlineExceeded, name)
				require.Len(t, s.requests, 1, name)
			} else {
				require.ErrorContains(t, err, "404", name)
				require.ErrorIs(t, cause, eventstream.ErrIdle)
				require.Equal(t, c.end+50*time.Millisecond, s.requests[1].at, name)
			}
			require.Zero(t, s.open.Load())
		})
	}
}

// A server that has nothing to say for long is not given up for its silence.
func TestIdleIsNoFailure(t *testing.T) {
	play(t, func(t *testing.T) {
		var answers []answer
		for range 50 {
			answers = append(answers, answer{parts: []part{{0, "id: 1\n\n"}}})
		}
		s := newScript(append(answers, status(404))...)
		_, err := drain(t, s.source(t.Context(), &eventstream.SourceOptions{Attempts: 2}))
		require.ErrorContains(t, err, "404")
	})
}

// Events from before the position to resume from are dropped.
func TestDuplicates(t *testing.T) {
	event := func(n int) string { return "id: k." + strconv.Itoa(n) + "\ndata: " + strconv.Itoa(n) + "\n\n" }
	position := func(id []byte) int {
		n, err := strconv.Atoi(strings.TrimPrefix(string(id), "k."))
		if err != nil {
			return -1
		}
		return n
	}
	for name, c := range map[string]struct {
		seen func(last, id []byte) bool
		want []string
	}{
		// k.1 is not the last id, and makes k.2 new.
		"by id": {nil, []string{"k.1", "k.2", "k.2", "k.1", "k.1", "k.2", "k.3", "k.4"}},
		"by position": {func(last, id []byte) bool { return position(id) <= position(last) },
			[]string{"k.1", "k.2", "k.2", "k.2", "k.3", "k.4"}},
	} {
		play(t, func(t *testing.T) {
			s := newScript(
				stream(io.EOF, event(1), event(2)+"data: without id\n\n"),
				stream(io.EOF, event(2), event(1), "data: without id\n\n", event(2), event(3)),
				stream(io.EOF, event(3)),
				stream(io.EOF, event(4)),
				status(404),
			)
			got, err := drain(t, s.source(t.Context(), &eventstream.SourceOptions{Seen: c.seen}))
			require.ErrorContains(t, err, "404")
			require.Equal(t, c.want, ids(got), name)
			require.Equal(t, "k.3", s.requests[3].lastID)
		})
	}
}

// On a connection that resumes nothing there are no duplicates.
func TestSameIDTwice(t *testing.T) {
	play(t, func(t *testing.T) {
		s := newScript(stream(io.EOF, "id: 1\ndata: x\n\nid: 1\ndata: y\n\n"), status(404))
		got, _ := drain(t, s.source(t.Context(), nil))
		require.Equal(t, []string{"1", "1"}, ids(got))
	})
}

// After a reset nothing is resumed, and nothing is a duplicate.
func TestReset(t *testing.T) {
	play(t, func(t *testing.T) {
		s := newScript(stream(io.EOF, "id: 1\ndata: x\n\nid\ndata: y\n\n"), stream(io.EOF, "id: 1\ndata: x\n\n"), status(404))
		got, _ := drain(t, s.source(t.Context(), nil))
		require.Equal(t, []string{"1", "", "1"}, ids(got))
		require.Equal(t, []asked{{0, ""}, {s.requests[1].at, ""}, {s.requests[2].at, "1"}}, s.requests) // SE-06
	})
}

// An event that was refused is not asked for again.
func TestRefusedEventCounts(t *testing.T) {
	play(t, func(t *testing.T) {
		big := "id: 2\ndata: " + strings.Repeat("x", 100) + "\n\n"
		s := newScript(stream(io.EOF, "id: 1\ndata: x\n\n"+big), stream(io.EOF, strings.Replace(big, "2", "3", 1)+"data: y\n\n"), status(404))
		got, _ := drain(t, s.source(t.Context(), &eventstream.SourceOptions{Reader: eventstream.Options{MaxEvent: 99}}))
		require.Equal(t, []string{"1", "", "", "3"}, ids(got))
		require.Contains(t, got[1].err, "MaxEvent = 99")
		require.Equal(t, "2", s.requests[1].lastID)
		require.Equal(t, "3", s.requests[2].lastID)
	})
}

// A stream that begins with a response which is there, as the answer to a POST.
func TestFromResponse(t *testing.T) {
	play(t, func(t *testing.T) {
		s := newScript(stream(io.EOF, "data: {}\n\n"), status(404))
		first := s.response(t.Context(), stream(errBroken, "id: a\ndata:\n\n"))
		src := s.source(t.Context(), &eventstream.SourceOptions{Response: first, NeedID: true})
		got, _ := drain(t, src)
		require.Equal(t, []string{"a", "a"}, ids(got))
		require.Equal(t, "a", s.requests[0].lastID)
		require.Zero(t, s.open.Load())
	})
	play(t, func(t *testing.T) {
		s := newScript()
		first := s.response(t.Context(), stream(errBroken, "data: 1\n\n"))
		got, err := drain(t, s.source(t.Context(), &eventstream.SourceOptions{Response: first, NeedID: true}))
		require.Len(t, got, 1)
		require.ErrorIs(t, err, eventstream.ErrNotResumable)
		require.ErrorIs(t, err, errBroken)
		require.Empty(t, s.requests)
		require.Zero(t, s.open.Load())
	})
	play(t, func(t *testing.T) { // never asked for
		s := newScript()
		src := s.source(t.Context(), &eventstream.SourceOptions{Response: s.response(t.Context(), stream(nil))})
		require.NoError(t, src.Close())
		require.Zero(t, s.open.Load())
		_, err := src.Next()
		require.ErrorIs(t, err, net.ErrClosed)
	})
}

// A stream that begins behind an event of another.
func TestFromID(t *testing.T) {
	play(t, func(t *testing.T) {
		s := newScript(stream(io.EOF, "id: 5\ndata: x\n\nid: 6\ndata: y\n\n"), status(404))
		src := s.source(t.Context(), &eventstream.SourceOptions{Reader: eventstream.Options{LastEventID: "5"}})
		require.Equal(t, "5", string(src.LastEventID()))
		got, _ := drain(t, src)
		require.Equal(t, []string{"6"}, ids(got))
		require.Equal(t, "5", s.requests[0].lastID)
	})
}

// Close ends whatever Next is in, from any goroutine, and so does the context.
func TestClose(t *testing.T) {
	for name, a := range map[string]answer{
		"reading": {parts: []part{{0, "id: 1\ndata: x\n\n"}}}, "opening": {hangs: true}, "waiting": {refused: errBroken},
	} {
		for _, byContext := range []bool{false, true} {
			play(t, func(t *testing.T) {
				s := newScript(a, answer{hangs: true})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				src := s.source(ctx, &eventstream.SourceOptions{Backoff: eventstream.Backoff{First: time.Hour, Max: time.Hour}})
				var err error
				done := make(chan struct{})
				go func() {
					defer close(done)
					for err == nil {
						_, err = src.Next()
					}
				}()
				synctest.Wait()
				began := time.Now()
				if byContext {
					cancel()
				} else {
					require.NoError(t, src.Close())
					require.Zero(t, s.open.Load(), "%s: Close returned before the body was closed", name)
				}
				<-done
				if byContext {
					require.ErrorIs(t, err, context.Canceled, name)
				} else {
					require.ErrorIs(t, err, net.ErrClosed, name)
				}
				require.Zero(t, time.Since(began))
				require.NoError(t, src.Close())
				require.Zero(t, s.open.Load())
				require.Len(t, s.requests, 1)
			})
		}
	}
}

// A body that knows nothing of the context is closed all the same.
func TestForeignBody(t *testing.T) {
	play(t, func(t *testing.T) {
		s := newScript()
		body := s.response(context.Background(), answer{parts: []part{{0, ":\n\n"}}})
		src := s.source(t.Context(), &eventstream.SourceOptions{Response: body, NeedID: true})
		_, err := src.Next() // ends for silence
		require.ErrorIs(t, err, eventstream.ErrIdle)
		require.ErrorIs(t, err, eventstream.ErrNotResumable)
		require.Zero(t, s.open.Load())
		src.Close()
	})
}

func TestOpenStops(t *testing.T) {
	_, err := drain(t, eventstream.NewSource(t.Context(), func(context.Context, string) (*http.Response, error) {
		return nil, errors.Join(errBroken, eventstream.ErrStop)
	}, nil))
	require.ErrorIs(t, err, errBroken)

	open := eventstream.Requests(nil, func(context.Context) (*http.Request, error) { return nil, errBroken })
	_, err = open(t.Context(), "")
	require.ErrorIs(t, err, errBroken)
	require.ErrorIs(t, err, eventstream.ErrStop)

	open = eventstream.Requests(nil, newRequest)
	_, err = open(t.Context(), "a\x01")
	require.ErrorIs(t, err, eventstream.ErrID)
	require.ErrorIs(t, err, eventstream.ErrStop)
}

func TestSetHeader(t *testing.T) {
	h := http.Header{"Last-Event-Id": {"old"}}
	require.NoError(t, eventstream.SetHeader(h, ""))
	require.Equal(t, http.Header{"Accept": {"text/event-stream"}, "Cache-Control": {"no-cache"}}, h)
	h.Set("Accept", "application/json, text/event-stream")
	require.NoError(t, eventstream.SetHeader(h, "…\t1"))
	require.Equal(t, "…\t1", h.Get("Last-Event-ID"))
	require.Equal(t, "application/json, text/event-stream", h.Get("Accept"))
	for _, bad := range []string{"a\nb", "a\rb", "\x00", "\x1f", "\x7f"} {
		require.ErrorIs(t, eventstream.SetHeader(h, bad), eventstream.ErrID)
	}
}

func TestBackoff(t *testing.T) {
	b := eventstream.Backoff{}
	for n, ceiling := range []time.Duration{1, 2, 4, 8, 16, 30, 30, 30} {
		most, late := time.Duration(0), time.Duration(0)
		for range 200 {
			d := b.Delay(n, 0)
			require.Less(t, d, ceiling*time.Second)
			require.GreaterOrEqual(t, d, 50*time.Millisecond)
			most = max(most, d)
			d = b.Delay(n, 10*time.Second)
			require.GreaterOrEqual(t, d, 10*time.Second)
			require.Less(t, d, 10*time.Second+ceiling*time.Second)
			late = max(late, d)
		}
		require.Greater(t, late, 10*time.Second+ceiling*time.Second/2, "jitter is above what was asked for")
		require.Greater(t, most, ceiling*time.Second/2, "jitter is over the whole range")
	}
	for range 200 {
		require.Less(t, b.Delay(0, 800*time.Millisecond), 900*time.Millisecond)
	}
	require.Equal(t, 50*time.Millisecond, eventstream.Backoff{First: 1, Max: 1}.Delay(5, 0))
}
