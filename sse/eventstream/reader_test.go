package eventstream_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/sse/eventstream"
)

// outcome is all that a stream gives.
type outcome struct {
	events   []seen
	comments []string
	end      error
	lastID   string
	retry    int64 // ms, -1 if none was set
}

// readAll reads a stream to its end.
func readAll(src io.Reader, o eventstream.Options) (got outcome) {
	o.Comment = func(text []byte) { got.comments = append(got.comments, string(text)) }
	r := eventstream.NewReader(src, &o)
	defer r.Close()
	for {
		e, err := r.Next()
		if err != nil && !eventstream.Recoverable(err) {
			got.end, got.lastID, got.retry = err, string(r.LastEventID()), -1
			if d, ok := r.Retry(); ok {
				got.retry = d.Milliseconds()
			}
			return got
		}
		got.events = append(got.events, keep(e, err))
	}
}

func keep(e eventstream.Event, err error) seen {
	s := seen{
		name: string(e.Name), data: string(e.Data), id: string(e.ID), hasData: e.Data != nil,
		hasID: e.HasID, hasRetry: e.HasRetry, retry: e.Retry.Milliseconds(),
	}
	if err != nil {
		s.err = err.Error()
	}
	return s
}

// chunks cuts what it reads at random.
type chunks struct {
	rest string
	rng  *rand.Rand
	most int
}

func (c *chunks) Read(p []byte) (int, error) {
	if c.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 1+c.rng.IntN(c.most))], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// splits are ways in which one input may come in.
func splits(input string) map[string]io.Reader {
	all := map[string]io.Reader{
		"whole":       strings.NewReader(input),
		"byte":        iotest.OneByteReader(strings.NewReader(input)),
		"error early": iotest.DataErrReader(strings.NewReader(input)),
	}
	for seed := range uint64(20) {
		all[fmt.Sprint("seed ", seed)] = &chunks{input, rand.New(rand.NewPCG(seed, 1)), 1 + int(seed)}
	}
	return all
}

// What a browser makes of 29 streams, whole and cut in any way (SE-02, SE-06).
func TestStreams(t *testing.T) {
	n := 0
	for _, c := range streamCases(t) {
		n++
		if !c.Accept {
			continue // judged by the content type alone
		}
		for how, src := range splits(c.Input) {
			got := readAll(src, eventstream.Options{})
			messages := [][3]string{}
			for _, e := range got.events {
				require.Empty(t, e.err)
				if e.hasData {
					messages = append(messages, e.message())
				}
			}
			require.Equal(t, c.Events, messages, "%s, %s", c.Name, how)
			require.Equal(t, io.EOF, got.end)
			if c.RetryMs != nil {
				require.Equal(t, *c.RetryMs, got.retry, c.Name)
			}
			if c.Reconnect != nil {
				require.Equal(t, *c.Reconnect, got.lastID, c.Name)
			}
		}
	}
	require.Equal(t, 29, n)
}

// What the table of the browsers leaves open, or cannot see.
func TestEvents(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":1,"result":{}}`
	event := func(data, id string) seen { return seen{data: data, id: id, hasData: true} }
	primed := seen{id: "s1-0", hasData: true, hasID: true, hasRetry: true, retry: 3000}
	for _, c := range []struct {
		name, in string
		want     []seen
		comments []string
	}{
		{name: "SE-05 priming, then the answer", in: "id: s1-0\nretry: 3000\ndata:\n\ndata: " + answer + "\n\n",
			want: []seen{primed, event(answer, "s1-0")}},
		{name: "SE-05 an id without data", in: "id: 7\n\ndata: x\n\n",
			want: []seen{{id: "7", hasID: true}, event("x", "7")}},
		{name: "SE-05 a retry without data", in: "retry: 20\n\n", want: []seen{{hasRetry: true, retry: 20}}},
		{name: "SE-06 an empty id resets", in: "id: 7\n\nid\n\n", want: []seen{{id: "7", hasID: true}, {hasID: true}}},
		{name: "SE-02 no space", in: "event:message\ndata:" + answer + "\n\n",
			want: []seen{{name: "message", data: answer, hasData: true}}},
		{name: "SE-04 another type", in: "event: ping\ndata: 2026-01-01 00:00:00\n\n",
			want: []seen{{name: "ping", data: "2026-01-01 00:00:00", hasData: true}}},
		{name: "a name without data is no event, and does not last", in: "event: ping\n\ndata: x\n\n",
			want: []seen{event("x", "")}},
		{name: "the last of two names and ids counts", in: "id: 1\nid: 2\nevent: a\nevent: b\ndata\n\n",
			want: []seen{{name: "b", id: "2", hasData: true, hasID: true}}},
		{name: "SE-02 LF", in: "data: {\ndata: }\n\n", want: []seen{event("{\n}", "")}},
		{name: "SE-02 CRLF", in: "data: {\r\ndata: }\r\n\r\n", want: []seen{event("{\n}", "")}},
		{name: "SE-02 CR", in: "data: {\rdata: }\r\r", want: []seen{event("{\n}", "")}},
		{name: "SE-02 mixed", in: "data: {\rdata: }\n\r", want: []seen{event("{\n}", "")}},
		{name: "CR LF is one end, LF CR are two", in: "data: 1\n\rdata: 2\r\n\r\n",
			want: []seen{event("1", ""), event("2", "")}},
		{name: "SE-02 no other character ends a line", in: "data: a\u2028b\u2029c\u0085d\ve\ff\n\n",
			want: []seen{event("a\u2028b\u2029c\u0085d\ve\ff", "")}},
		{name: "SE-03 comments", in: ":\r\n: keepalive\n\n:  two\n\n\ndata: x\n:in\ndata: y\n\n",
			want: []seen{event("x\ny", "")}, comments: []string{"", "keepalive", " two", "in"}},
		{name: "SE-06 retry of digits only", in: "retry: 1\nretry: -2\nretry: +2\nretry: 2.0\nretry:  2\nretry: 2 \nretry: ٢\nretry:\ndata\n\n",
			want: []seen{{hasData: true, hasRetry: true, retry: 1}}},
		{name: "a retry beyond all range", in: "retry: 99999999999999999999999\n\n",
			want: []seen{{hasRetry: true, retry: math.MaxInt64 / 1_000_000}}},
		{name: "a retry with leading zeros, and one too many", in: "retry: " + strings.Repeat("0", 63) + "7\nretry: " + strings.Repeat("0", 64) + "8\n\n",
			want: []seen{{hasRetry: true, retry: 7}}},
		{name: "names are exact", in: "Data: 1\ndata : 2\n data: 3\ndatum: 4\nid5: 6\nevents: 7\nretry2: 8\n\n"},
		{name: "SE-02 nothing complete", in: "id: 1\ndata: x\n"},
		{name: "half a mark", in: "\xef\xbb"},
		{name: "no mark", in: "\xef\xbbdata: 1\n\ndata: 2\n\n", want: []seen{event("2", "")}},
		{name: "mark, then the end of a line", in: "\xef\xbb\xbf\r\ndata: 2\n\n", want: []seen{event("2", "")}},
		{name: "bytes that are no UTF-8", in: "data: \xff\xfe\n\n", want: []seen{event("\xff\xfe", "")}},
		{name: "empty"},
	} {
		for how, src := range splits(c.in) {
			got := readAll(src, eventstream.Options{})
			require.Equal(t, c.want, got.events, "%s, %s", c.name, how)
			require.Equal(t, c.comments, got.comments, "%s, %s", c.name, how)
			require.Equal(t, io.EOF, got.end)
		}
	}
}

// A retry counts from its line on, an id only with its event.
func TestIncompleteEvent(t *testing.T) {
	got := readAll(strings.NewReader("id: 1\nretry: 5\n\nid: 2\nretry: 6\ndata: x\n"), eventstream.Options{})
	require.Equal(t, "1", got.lastID)
	require.EqualValues(t, 6, got.retry)
	require.Len(t, got.events, 1)
}

func TestIs(t *testing.T) {
	require.True(t, (&eventstream.Event{}).Is("message")) // SE-04
	require.True(t, (&eventstream.Event{Name: []byte("message")}).Is("message"))
	require.True(t, (&eventstream.Event{Name: []byte("ping")}).Is("ping"))
	require.False(t, (&eventstream.Event{Name: []byte("ping")}).Is("message"))
	require.False(t, (&eventstream.Event{}).Is(""))
}

func TestResumedStreamHasItsID(t *testing.T) {
	got := readAll(strings.NewReader("data: x\n\n"), eventstream.Options{LastEventID: "a.1"})
	require.Equal(t, []seen{{data: "x", id: "a.1", hasData: true}}, got.events)
	require.Equal(t, "a.1", got.lastID)
}

// Sizes around every buffer, in one data line and in several.
func TestLargeEvents(t *testing.T) {
	for _, size := range []int{1, 4088, 4090, 4096, 4097, 65_529, 65_536, 65_537, 200_000, 1 << 20, 1<<20 + 1, 5 << 20} {
		one := strings.Repeat("x", size)
		half := one[:size/2] + "\n" + one[size/2:]
		in := "id: 1\ndata: " + one + "\n\ndata: small\n\nevent: e\ndata: " + strings.ReplaceAll(half, "\n", "\r\n:between\r\ndata: ") + "\r\n\r\n"
		for how, src := range map[string]io.Reader{
			"whole": strings.NewReader(in), "half": iotest.HalfReader(strings.NewReader(in)),
			"chunks": &chunks{in, rand.New(rand.NewPCG(1, uint64(size))), 20_000},
		} {
			got := readAll(src, eventstream.Options{})
			want := []seen{{data: one, id: "1", hasID: true, hasData: true}, {data: "small", id: "1", hasData: true},
				{name: "e", data: half, id: "1", hasData: true}}
			require.True(t, fmt.Sprint(want) == fmt.Sprint(got.events), "%d, %s", size, how)
		}
	}
}

// The events around one that is too long arrive, its id counts, and the error
// says what was exceeded where, however the stream is cut.
func TestLimits(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	const before, after = "data: 1\n\n", "\n\ndata: 2\n\n"
	tooLong := func(offset int, limit string, value int) seen {
		return seen{err: fmt.Sprintf("eventstream: offset %d: event is too long (%s = %d)", offset, limit, value)}
	}
	for _, c := range []struct {
		name, event string
		err         seen
		id          string
	}{
		{name: "one line", event: "id: 5\ndata: " + long(101), err: tooLong(15, "MaxEvent", 100), id: "5"},
		{name: "no space", event: "data:" + long(101), err: tooLong(9, "MaxEvent", 100)},
		{name: "very long", event: "data: " + long(9000) + "\ndata: y\nid: 6", err: tooLong(9, "MaxEvent", 100), id: "6"},
		{name: "joined", event: "data: " + long(50) + "\ndata: " + long(50), err: tooLong(66, "MaxEvent", 100)},
		{name: "empty lines", event: strings.Repeat("data\n", 102) + "data", err: tooLong(9+5*101, "MaxEvent", 100)},
		{name: "reported once", event: "data: " + long(101) + "\ndata: " + long(5000) + "\nid: " + long(2000), err: tooLong(9, "MaxEvent", 100)},
		{name: "id", event: "data: x\nid: " + long(41), err: tooLong(17, "MaxField", 40)},
		{name: "very long id", event: "id: " + long(9000), err: tooLong(9, "MaxField", 40)},
		{name: "name", event: "event: " + long(41) + "\ndata: x", err: tooLong(9, "MaxField", 40)},
		{name: "very long name", event: "event:" + long(9000) + "\ndata: x", err: tooLong(9, "MaxField", 40)},
	} {
		for how, src := range splits(before + c.event + after) {
			got := readAll(src, eventstream.Options{MaxEvent: 100, MaxField: 40})
			want := []seen{{data: "1", hasData: true}, c.err, {data: "2", id: c.id, hasData: true}}
			require.Equal(t, want, got.events, "%s, %s", c.name, how)
		}
	}
	for _, fits := range []string{
		"data: " + long(100), "data:" + long(100), "data: " + long(50) + "\ndata: " + long(49), strings.Repeat("data\n", 100) + "data",
		"data: x\n: " + long(9000) + "\nunknown: " + long(9000) + "\nretry: " + long(9000), "id: " + long(40) + "\ndata", "event: " + long(40) + "\ndata",
	} {
		for how, src := range splits(fits + after) {
			got := readAll(src, eventstream.Options{MaxEvent: 100, MaxField: 40})
			require.Len(t, got.events, 2, "%.20s, %s", fits, how)
			require.Empty(t, got.events[0].err)
		}
	}
}

func TestLimitsOff(t *testing.T) {
	in := "data: " + strings.Repeat("x", eventstream.DefaultMaxEvent+1) + "\n\n"
	require.NotEmpty(t, readAll(strings.NewReader(in), eventstream.Options{}).events[0].err)
	require.Len(t, readAll(strings.NewReader(in), eventstream.Options{MaxEvent: -1}).events[0].data, eventstream.DefaultMaxEvent+1)
	in = "id: " + strings.Repeat("x", eventstream.DefaultMaxField+1) + "\n\n"
	require.NotEmpty(t, readAll(strings.NewReader(in), eventstream.Options{MaxField: -1}).events[0].err)
}

// SE-03: a comment of any length costs no memory, and only its beginning is
// shown, the same however the stream is cut.
func TestLongComment(t *testing.T) {
	text := strings.Repeat("abcdefgh", 3000)
	for how, src := range splits(": " + text + "\n:" + text[:1024] + "\ndata: x\n\n") {
		got := readAll(src, eventstream.Options{})
		require.Equal(t, []string{text[:1024], text[:1024]}, got.comments, how)
		require.Len(t, got.events, 1, how)
	}
}

func TestReadErrors(t *testing.T) {
	broken := errors.New("broken")
	r := eventstream.NewReader(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), iotest.ErrReader(broken)), nil)
	e, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "1", string(e.Data))
	for range 2 {
		_, err = r.Next()
		require.ErrorIs(t, err, broken)
		require.EqualError(t, err, "eventstream: read at offset 17: broken")
		require.False(t, eventstream.Recoverable(err))
	}
	require.NoError(t, r.Close())
	_, err = r.Next()
	require.ErrorIs(t, err, net.ErrClosed)

	_, err = eventstream.NewReader(stuck{}, nil).Next()
	require.ErrorIs(t, err, io.ErrNoProgress)
	_, err = eventstream.NewReader(stuck{-1}, nil).Next()
	require.ErrorContains(t, err, "invalid count")
}

// stuck returns the same count at every read, and no error.
type stuck struct{ n int }

func (s stuck) Read([]byte) (int, error) { return s.n, nil }

// An event is told at its blank line, not one byte later, whatever its line
// ends: a peer that has said all it had to say may wait for an answer.
func TestNothingIsWaitedFor(t *testing.T) {
	for _, in := range []string{"data: x\n\n", "data: x\r\r", "data: x\r\n\r", "\xef\xbb\xbfdata: x\n\n"} {
		r := eventstream.NewReader(io.MultiReader(strings.NewReader(in), neverRead{t}), nil)
		e, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, "x", string(e.Data))
	}
}

// Nor is a byte order mark waited for once it cannot come any more.
func TestCommentIsShownAtOnce(t *testing.T) {
	shown := false
	o := eventstream.Options{Comment: func([]byte) { shown = true }}
	_, err := eventstream.NewReader(io.MultiReader(strings.NewReader(":\n"), atRead(func() { require.True(t, shown) })), &o).Next()
	require.Equal(t, io.EOF, err)
}

// atRead is called when it is read from.
type atRead func()

func (f atRead) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

type neverRead struct{ t *testing.T }

func (n neverRead) Read([]byte) (int, error) {
	n.t.Error("read on although an event was complete")
	return 0, io.EOF
}

// What is appended to a view does not reach a neighbour.
func TestViewsAreCut(t *testing.T) {
	r := eventstream.NewReader(strings.NewReader("id: 1\nevent: e\ndata: a\n\ndata: b\n\n"), nil)
	e, err := r.Next()
	require.NoError(t, err)
	for _, view := range [][]byte{e.Data, e.ID, e.Name, r.LastEventID()} {
		require.Len(t, view, 1)
		require.Equal(t, 1, cap(view))
	}
	e, err = r.Next()
	require.NoError(t, err)
	require.Equal(t, "b", string(e.Data))
}

// Retry as a Duration.
func TestRetry(t *testing.T) {
	r := eventstream.NewReader(strings.NewReader("retry: 1500\ndata: a\n\ndata: b\n\n"), nil)
	_, set := r.Retry()
	require.False(t, set)
	e, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, 1500*time.Millisecond, e.Retry)
	e, err = r.Next()
	require.NoError(t, err)
	require.False(t, e.HasRetry)
	d, set := r.Retry()
	require.True(t, set)
	require.Equal(t, 1500*time.Millisecond, d)
}

// A long stream of events of all sizes, in pieces of all sizes: every way of
// making room is gone through, and nothing is lost or mixed up.
func TestLongStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var in strings.Builder
	var want []seen
	for i := range 400 {
		size := 1 << rng.IntN(15) // mostly small, some beyond the buffers
		if i%50 == 0 {
			size = 200_000
		}
		var lines []string
		for range 1 + rng.IntN(3) {
			lines = append(lines, strings.Repeat(string(rune('a'+rng.IntN(26))), rng.IntN(size)+1))
		}
		end := []string{"\n", "\r\n", "\r"}[rng.IntN(3)]
		id := fmt.Sprint("k.", i)
		in.WriteString("id: " + id + end)
		for _, line := range lines {
			in.WriteString("data: " + line + end)
			if rng.IntN(3) == 0 {
				in.WriteString(": " + strings.Repeat("c", rng.IntN(6000)) + end + "other: " + line + end)
			}
		}
		in.WriteString(end)
		want = append(want, seen{data: strings.Join(lines, "\n"), id: id, hasData: true, hasID: true})
	}
	for _, most := range []int{1 << 20, 100_000, 5000, 700} {
		got := readAll(&chunks{in.String(), rng, most}, eventstream.Options{})
		require.Len(t, got.events, len(want))
		for i := range want {
			require.True(t, want[i] == got.events[i], "pieces of up to %d, event %d", most, i)
		}
	}
}

// SE-03: what is no data costs no memory: ten thousand comments and a field
// without end between the halves of an event are dropped as they come.
func TestFloodInsideAnEvent(t *testing.T) {
	largest := 0
	flood := io.MultiReader(
		strings.NewReader("data: {\n"),
		strings.NewReader(strings.Repeat(": keep-alive, and some more of it\n", 10_000)),
		strings.NewReader("unknown: "+strings.Repeat("x", 8<<20)+"\n"),
		strings.NewReader("data: }\n\n"),
	)
	r := eventstream.NewReader(readSizes{flood, &largest}, nil)
	e, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "{\n}", string(e.Data))
	require.LessOrEqual(t, largest, 64<<10, "the buffer grew")
}

// A stream that has become quiet does not keep the memory of its largest event.
func TestQuietStreamIsSmall(t *testing.T) {
	largest := 0
	in := io.MultiReader(strings.NewReader("data: "+strings.Repeat("x", 300_000)+"\n\n"), strings.NewReader("data: y\n\n"))
	r := eventstream.NewReader(readSizes{in, &largest}, nil)
	_, err := r.Next()
	require.NoError(t, err)
	require.Greater(t, largest, 64<<10)
	largest = 0
	_, err = r.Next()
	require.NoError(t, err)
	require.LessOrEqual(t, largest, 4<<10)
}

// readSizes notes the largest read it is asked for.
type readSizes struct {
	io.Reader
	largest *int
}

func (r readSizes) Read(p []byte) (int, error) {
	*r.largest = max(*r.largest, len(p))
	return r.Reader.Read(p)
}
