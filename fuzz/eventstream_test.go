package fuzz_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wirespool/wirespool/sse/eventstream"
)

// Limits within reach of short inputs.
var eventLimits = eventstream.Options{MaxEvent: 60, MaxField: 20}

// FuzzEventStream reads a stream whole and in pieces, and by a slow parser that
// takes it apart line by line: all find the same events, refusals and offsets,
// and resume from the same id.
func FuzzEventStream(f *testing.F) {
	long := strings.Repeat("x", 70)
	for _, stream := range []string{
		"", "\n", "data", "data\n\n", "data: a\r\ndata:b\rdata:  c\n\n", "\uFEFFdata: 1\r\r\n\n", "\uFEFF\uFEFFdata: 1\n\ndata: 2\n\n", "\xEF\xBB", "\xEF\xBB\xBF\r\n\r\n",
		"id: 1\nretry: 3000\ndata:\n\ndata: {}\n\n", "id: 1\n\nid\n\nid: a\x00b\n\nretry: 5\n\nretry: 5x\n\nretry: 99999999999999999999\n\n",
		"event: ping\n\ndata: x\n\n", ":\n: keep-alive\r\n\r\n:" + long + "\ndata: y\n\n", "Data: 1\ndata : 2\n data: 3\ndatum\nid5: 6\nevents\nretry2\nevent: \n\n",
		"data: " + long + "\nid: 7\n\ndata: y\n\n", "id: " + long + "\ndata\n\nevent:" + long + "\nid: 3\n\n" + long + ":" + long + "\ndata: z\r\r",
		"data: " + long[:30] + "\ndata: " + long[:29] + "\n\ndata: " + long[:30] + "\ndata: " + long[:30] + "\r\n\r\n", "data: 1\n\rdata: 2\r\n\rid: 4\rdata: cut",
		"data:" + long[:59] + "\ndata:0", "data:" + long[:59] + "\ndata:00",
		"retry: " + strings.Repeat("0", 63) + "7\n\nretry: " + strings.Repeat("0", 64) + "7\n\n",
	} {
		f.Add([]byte(stream), []byte{0})
		f.Add([]byte(stream), []byte{2, 0, 255})
	}
	f.Fuzz(func(t *testing.T, stream, cuts []byte) {
		want := slowly(string(stream))
		for how, src := range map[string]io.Reader{"whole": bytes.NewReader(stream), "in pieces": &pieces{stream, cuts}} {
			got := readEvents(t, src)
			if !slices.Equal(got.events, want.events) || !slices.Equal(got.comments, want.comments) || got.id != want.id || got.retry != want.retry {
				t.Fatalf("%q, %s, cut %v:\n got %+v\nwant %+v", stream, how, cuts, got, want)
			}
		}
		rewrite(t, want.events)
	})
}

// told is what came of one call of Next.
type told struct {
	name, data, id           string
	hasData, hasID, hasRetry bool
	retry                    time.Duration
	refusal                  eventstream.Error // Limit is empty for an event
}

// stream is all that a stream tells.
type stream struct {
	events   []told
	comments []string
	id       string        // to resume from
	retry    time.Duration // -1: none
}

func readEvents(t *testing.T, src io.Reader) (s stream) {
	t.Helper()
	o := eventLimits
	o.Comment = func(text []byte) { s.comments = append(s.comments, string(text)) }
	r := eventstream.NewReader(src, &o)
	defer r.Close()
	for {
		e, err := r.Next()
		refusal, refused := errors.AsType[*eventstream.Error](err)
		switch {
		case refused:
			s.events = append(s.events, told{refusal: *refusal})
		case err == io.EOF:
			s.id, s.retry = string(r.LastEventID()), -1
			if d, ok := r.Retry(); ok {
				s.retry = d
			}
			return s
		case err != nil:
			t.Fatalf("the stream ended with %v", err)
		default:
			s.events = append(s.events, told{
				name: string(e.Name), data: string(e.Data), id: string(e.ID),
				hasData: e.Data != nil, hasID: e.HasID, hasRetry: e.HasRetry, retry: e.Retry,
			})
		}
	}
}

// slowly takes a stream apart as the HTML standard describes it, with the limits
// of this package's options on top.
func slowly(text string) (s stream) {
	s.retry = -1
	at := 0
	if rest, ok := strings.CutPrefix(text, "\uFEFF"); ok {
		at, text = 3, rest
	}
	var e told
	refused, id := false, ""
	refuse := func(offset int, limit string, value int) {
		if !refused {
			refused = true
			s.events = append(s.events, told{refusal: eventstream.Error{Offset: int64(offset), Limit: limit, Value: value}})
		}
	}
	for text != "" {
		line, rest, complete := text, "", false
		if i := strings.IndexAny(text, "\r\n"); i >= 0 {
			line, rest, complete = text[:i], text[i+1:], true
			if text[i] == '\r' {
				rest = strings.TrimPrefix(rest, "\n")
			}
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && complete:
			if e.hasID {
				s.id = id
			}
			e.id = s.id
			if (e.hasData || e.hasID || e.hasRetry) && !refused {
				s.events = append(s.events, e)
			}
			e, refused = told{}, false
		case line != "" && name == "":
			// A comment is shown as soon as what is shown of it has come.
			if complete || len(line) >= 2+1024 {
				s.comments = append(s.comments, value[:min(len(value), 1024)])
			}
		case name == "data":
			all := value
			if e.hasData {
				all = e.data + "\n" + value
			}
			switch {
			case !complete && len(line) <= len("event:"): // not judged before all fields can be told apart
			case len(all) > eventLimits.MaxEvent:
				refuse(at, "MaxEvent", eventLimits.MaxEvent)
			case complete && !refused:
				e.data, e.hasData = all, true
			}
		case (name == "id" || name == "event") && len(value) > eventLimits.MaxField:
			refuse(at, "MaxField", eventLimits.MaxField)
		case !complete:
		case name == "event":
			e.name = value
		case name == "id":
			if !strings.Contains(value, "\x00") {
				id, e.hasID = value, true
			}
		case name == "retry":
			if value != "" && len(value) <= 64 && strings.Trim(value, "0123456789") == "" {
				ms, err := strconv.ParseInt(value, 10, 64)
				if most := int64(math.MaxInt64 / time.Millisecond); err != nil || ms > most {
					ms = most
				}
				s.retry = time.Duration(ms) * time.Millisecond
				e.retry, e.hasRetry = s.retry, true
			}
		}
		at += len(text) - len(rest)
		text = rest
	}
	return s
}

// rewrite encodes what was read and reads it back.
func rewrite(t *testing.T, events []told) {
	t.Helper()
	var out []byte
	var want []told
	for _, e := range events {
		if e.refusal.Limit != "" {
			continue
		}
		var err error
		before := len(out)
		out, err = eventstream.AppendEvent(out, eventstream.Event{
			Name: []byte(e.name), Data: []byte(e.data), ID: []byte(e.id), HasID: e.hasID, Retry: e.retry, HasRetry: e.hasRetry,
		})
		if err != nil {
			if len(out) != before || !strings.Contains(e.name+e.id, "\x00") {
				t.Fatalf("%+v: %v", e, err)
			}
			continue
		}
		e.hasData = true                // every event that is written has data
		e.hasID = e.hasID || e.id != "" // and says its id itself
		want = append(want, e)
	}
	got := readEvents(t, bytes.NewReader(out))
	last := ""
	for i := range want {
		if want[i].hasID {
			last = want[i].id
		}
		want[i].id = last
	}
	if !slices.Equal(got.events, want) {
		t.Fatalf("%q:\n got %+v\nwant %+v", out, got.events, want)
	}
}

// FuzzAppendEvent gives the encoder arbitrary bytes wherever it takes text: what
// it writes is read as one event with that text, or it refuses.
func FuzzAppendEvent(f *testing.F) {
	for _, s := range []string{"", "x", "a\nb", "a\r\nb", "\r", "a\x00", "\n\ndata: x\n\nid: 5", " x", "\uFEFF", "é…"} {
		f.Add([]byte("1"), []byte("message"), []byte(s), int64(0))
		f.Add([]byte(s), []byte(s), []byte("{}"), int64(3e9))
	}
	f.Fuzz(func(t *testing.T, id, name, data []byte, retry int64) {
		dst := []byte("data: before\n\n")
		out, err := eventstream.AppendEvent(dst, eventstream.Event{ID: id, HasID: true, Name: name, Data: data, Retry: time.Duration(retry)})
		if bad := bytes.ContainsAny(id, "\r\n\x00") || bytes.ContainsAny(name, "\r\n\x00"); bad != (err != nil) {
			t.Fatalf("id %q, name %q: %v", id, name, err)
		} else if bad {
			if !bytes.Equal(out, dst) {
				t.Fatalf("refused, and yet appended %q", out)
			}
			return
		}
		out = eventstream.AppendComment(out, data)
		r := eventstream.NewReader(bytes.NewReader(append(out, "data: after\n\n"...)), &eventstream.Options{MaxEvent: -1, MaxField: math.MaxInt})
		var got []string
		for {
			e, err := r.Next()
			if err != nil {
				break
			}
			if len(got) == 1 && (!bytes.Equal(e.ID, id) || !bytes.Equal(e.Name, name) || e.HasRetry != (retry > 0)) {
				t.Fatalf("%q: %+v", out, e)
			}
			got = append(got, string(e.Data))
		}
		lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
		if want := []string{"before", lines, "after"}; !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", out, got, want)
		}
	})
}
