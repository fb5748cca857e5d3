package eventstream_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/sse/eventstream"
)

func TestAppendEvent(t *testing.T) {
	for _, c := range []struct {
		name string
		e    eventstream.Event
		want string
	}{
		{"SE-01 one data line", eventstream.Event{Data: []byte(`{"id":1}`)}, "data: {\"id\":1}\n\n"},
		{"all fields", eventstream.Event{ID: []byte("k.1"), Name: []byte("endpoint"), Data: []byte("/m"), Retry: 1500 * time.Millisecond},
			"id: k.1\nevent: endpoint\nretry: 1500\ndata: /m\n\n"},
		{"no data is an event too", eventstream.Event{Name: []byte("ping")}, "event: ping\ndata: \n\n"},
		{"SE-06 a reset", eventstream.Event{HasID: true}, "id: \ndata: \n\n"},
		{"retry 0", eventstream.Event{HasRetry: true}, "retry: 0\ndata: \n\n"},
		{"retry below 0", eventstream.Event{HasRetry: true, Retry: -5}, "retry: 0\ndata: \n\n"},
		{"retry is rounded up", eventstream.Event{Retry: 1}, "retry: 1\ndata: \n\n"},
		{"LF", eventstream.Event{Data: []byte("a\nb\n")}, "data: a\ndata: b\ndata: \n\n"},
		{"CRLF", eventstream.Event{Data: []byte("a\r\nb\r\n\r\n")}, "data: a\ndata: b\ndata: \ndata: \n\n"},
		{"CR", eventstream.Event{Data: []byte("a\rb\r")}, "data: a\ndata: b\ndata: \n\n"},
		{"LF CR", eventstream.Event{Data: []byte("a\n\rb")}, "data: a\ndata: \ndata: b\n\n"},
		{"fields in data", eventstream.Event{Data: []byte("a\n\nid: 9\rretry: 1\r\n:x")}, "data: a\ndata: \ndata: id: 9\ndata: retry: 1\ndata: :x\n\n"},
		{"a leading space, NUL", eventstream.Event{Data: []byte(" a\x00")}, "data:  a\x00\n\n"},
	} {
		got, err := eventstream.AppendEvent([]byte("before\n\n"), c.e)
		require.NoError(t, err)
		require.Equal(t, "before\n\n"+c.want, string(got), c.name)
	}
}

// What would break out of its line is refused, and dst stays as it was.
func TestInjection(t *testing.T) {
	for _, bad := range []string{"a\nb", "a\rb", "a\r\nb", "\n", "\r", "a\x00b", "\x00"} {
		dst := []byte("before")
		for want, f := range map[error]func() ([]byte, error){
			eventstream.ErrID:   func() ([]byte, error) { return eventstream.AppendEvent(dst, eventstream.Event{ID: []byte(bad)}) },
			eventstream.ErrName: func() ([]byte, error) { return eventstream.AppendEvent(dst, eventstream.Event{Name: []byte(bad)}) },
		} {
			got, err := f()
			require.ErrorIs(t, err, want)
			require.Equal(t, "before", string(got))
		}
		got, err := eventstream.AppendHead(dst, bad, "message")
		require.ErrorIs(t, err, eventstream.ErrID)
		require.Equal(t, "before", string(got))
		got, err = eventstream.AppendHead(dst, "1", []byte(bad))
		require.ErrorIs(t, err, eventstream.ErrName)
		require.Equal(t, "before", string(got))
		got, err = eventstream.AppendPrime(dst, bad, time.Second)
		require.ErrorIs(t, err, eventstream.ErrID)
		require.Equal(t, "before", string(got))
	}
}

func TestAppendParts(t *testing.T) {
	head := func(id, name string) string {
		b, err := eventstream.AppendHead(nil, id, name)
		require.NoError(t, err)
		return string(eventstream.AppendTail(append(b, "{}"...)))
	}
	require.Equal(t, "data: {}\n\n", head("", ""))
	require.Equal(t, "id: 1\ndata: {}\n\n", head("1", ""))
	require.Equal(t, "event: message\ndata: {}\n\n", head("", "message"))
	require.Equal(t, "id: 1\nevent: message\ndata: {}\n\n", head("1", "message"))

	prime, err := eventstream.AppendPrime(nil, "s1-0", 3*time.Second) // SE-05
	require.NoError(t, err)
	require.Equal(t, "id: s1-0\nretry: 3000\ndata:\n\n", string(prime))
	prime, err = eventstream.AppendPrime(nil, []byte("s1-0"), 0)
	require.NoError(t, err)
	require.Equal(t, "id: s1-0\ndata:\n\n", string(prime))

	require.Equal(t, "retry: 250\n\n", string(eventstream.AppendRetry(nil, 250*time.Millisecond)))
}

func TestAppendComment(t *testing.T) {
	for text, want := range map[string]string{ // SE-03, SE-08
		"": ":\n\n", "ping": ": ping\n\n", "a\nb\rc\r\nd": ": a\n: b\n: c\n: d\n\n", "\n\ndata: x": ": \n: \n: data: x\n\n", "a\r": ": a\n: \n\n",
	} {
		got := string(eventstream.AppendComment(nil, text))
		require.Equal(t, want, got)
		require.Empty(t, readAll(strings.NewReader(got), eventstream.Options{}).events)
	}
}

// What was appended is read back; line ends of data become LF.
func TestRoundTrip(t *testing.T) {
	var b []byte
	var want []seen
	for _, data := range []string{"", "{}", " x", "a\nb", "\n", "a\n", "\xff", "é…"} {
		for _, name := range []string{"", "message", "ping"} {
			for _, id := range []string{"", "k.7", "…"} {
				e := eventstream.Event{Name: []byte(name), ID: []byte(id), HasID: true, Data: []byte(data), HasRetry: name == "", Retry: 0}
				var err error
				b, err = eventstream.AppendEvent(b, e)
				require.NoError(t, err)
				want = append(want, seen{name: name, id: id, data: data, hasData: true, hasID: true, hasRetry: name == ""})
			}
		}
	}
	got := readAll(strings.NewReader(string(b)), eventstream.Options{})
	require.Equal(t, want, got.events)
	require.Equal(t, io.EOF, got.end)
}
