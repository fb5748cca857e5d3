package fuzz_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// FuzzServer lets a server serve a peer that sends any stream, in pieces and with
// pauses, and ends its side. The server ends without an error and nothing of it
// stays behind; each request of the stream was answered once, also those just
// before the end, unless it was cancelled; and nothing else was answered but what
// no one could read. Time is that of a bubble, where a server that waits for what
// never comes is a failure.
func FuzzServer(f *testing.F) {
	all := []byte(nil)
	for i, tt := range frames {
		if len(tt.frame) < 500 {
			f.Add([]byte(tt.frame+"\n"+tt.frame+"\n"), []byte{byte(i), 9}, uint8(framing.Newline), i%2 == 0)
			all = append(append(all, tt.frame...), '\n')
		}
	}
	for _, exchange := range exchanges {
		for _, plain := range []bool{false, true} {
			f.Add([]byte(exchange), []byte{255}, uint8(framing.Newline), plain)
			f.Add([]byte(exchange), []byte{3, 130, 0, 77}, uint8(framing.Detect), plain)
			f.Add(headed(exchange), []byte{200, 1}, uint8(framing.ContentLength), plain)
		}
	}
	f.Add(all, []byte{0, 7, 40}, uint8(framing.Newline), true)
	f.Fuzz(func(t *testing.T, stream, cuts []byte, mode uint8, plain bool) {
		kind := framing.Framing(mode % 3)
		synctest.Test(t, func(t *testing.T) {
			out, err := serve(stream, cuts, kind, plain)
			if err != nil {
				t.Fatalf("%s %q: the server ended with %v", kind, stream, err)
			}
			if wrong := owed(stream, kind, plain).compare(answers(t, out, kind)); wrong != "" {
				t.Fatalf("%s %q, cut %v, plain %v: %s\nanswered %q", kind, stream, cuts, plain, wrong, out)
			}
		})
	})
}

// exchanges are streams of a peer that means it, mostly.
var exchanges = []string{
	"",
	line(`"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`) +
		line(`"method":"notifications/initialized"`) + line(`"id":2,"method":"echo","params":{"text":"a"}`) +
		line(`"id":"3","method":"sleep"`) + line(`"id":4,"method":"ping"`) + line(`"method":"notifications/cancelled","params":{"requestId":"3"}`) +
		line(`"id":5,"method":"sleep"`) + line(`"id":5,"method":"sleep"`),
	line(`"id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`) +
		line(`"id":2,"method":"sleep"`) + line(`"method":"notifications/initialized"`) +
		`[{"jsonrpc":"2.0","id":3,"method":"sleep"},{"jsonrpc":"2.0","id":4,"method":"echo"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}},{"id":7},1]` + "\n" +
		line(`"id":5,"method":"ask"`) + line(`"id":1,"result":{}`) + line(`"id":6,"method":"nothing"`) + `{"jsonrpc":"2.0","id":8,"method":"ping"}`,
	line(`"id":1,"method":"ask"`) + line(`"id":2,"method":"ask"`) + line(`"id":2,"error":{"code":1,"message":"no"}`) + line(`"id":1,"result":{}`) +
		line(`"id":3,"method":"fail"`) + line(`"id":4,"method":"notifications/cancelled","params":{"requestId":1}`),
	line(`"id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`) +
		line(`"id":2,"method":"sleep","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`),
	"{}\n{\"id\":1}\n[]\n\nnonsense\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"",
}

// line is a message with these members, and its line end.
func line(members string) string { return `{"jsonrpc":"2.0",` + members + "}\n" }

// headed is the lines of a stream, each behind a header.
func headed(lines string) []byte {
	var out bytes.Buffer
	w := framing.NewWriter(&out, framing.ContentLength, nil)
	for text := range bytes.Lines([]byte(lines)) {
		_ = w.SendBytes(context.Background(), bytes.TrimSuffix(text, []byte("\n"))) // an empty line is refused
	}
	return out.Bytes()
}

// serve returns what a server writes to the peer, and what Serve returns. The
// server that is plain speaks JSON-RPC, the other MCP.
func serve(stream, cuts []byte, kind framing.Framing, plain bool) ([]byte, error) {
	opts := new(dispatch.Options)
	if plain {
		opts.Profile = dispatch.JSONRPC
	}
	server := dispatch.NewServer(opts)
	server.Handle("echo", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, cmp.Or(string(r.Params()), "{}")...), nil
	})
	server.Handle("sleep", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		select {
		case <-time.After(3 * time.Millisecond): // longer than a handler keeps the reader
			return append(dst, "{}"...), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	server.Handle("ask", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		_, err := r.Call(ctx, "ping", nil)
		return append(dst, "{}"...), err
	})
	server.Handle("fail", func(context.Context, *dispatch.Request, []byte) ([]byte, error) {
		return nil, errors.New("as it was asked to")
	})
	peer := &pausing{in: &pieces{rest: stream, cuts: cuts}, cuts: cuts}
	err := server.Serve(context.Background(), transport.Stream(peer, kind, nil))
	_ = server.Shutdown(context.Background()) // there is no connection left to wait for
	return peer.out.Bytes(), err
}

// pausing is the peer's stream. Some of the cuts are pauses too, in which a
// handler or a writer loses the reader.
type pausing struct {
	in            *pieces
	out           bytes.Buffer
	cuts          []byte
	reads, writes int
}

func (p *pausing) Read(to []byte) (int, error) {
	p.pause(&p.reads)
	return p.in.Read(to)
}

func (p *pausing) Write(b []byte) (int, error) {
	p.pause(&p.writes)
	return p.out.Write(b)
}

func (p *pausing) Close() error { return nil }

func (p *pausing) pause(n *int) {
	if len(p.cuts) > 0 {
		cut := p.cuts[*n%len(p.cuts)]
		if *n++; cut >= 128 {
			<-time.After(time.Duration(cut-127) * 20 * time.Microsecond)
		}
	}
}

// debt is how often what was received is to be answered, by id.
type debt struct {
	must, may map[codec.IDKey]int // may: on top of must
	// Answers without an id: for what has none that can be read, and for elements
	// of arrays, which may be refused as a whole.
	unreadable, loose int
}

// owed reads a stream as a server does that takes one message after the other.
func owed(stream []byte, kind framing.Framing, plain bool) *debt {
	d := &debt{must: map[codec.IDKey]int{}, may: map[codec.IDKey]int{}}
	r := framing.NewReader(bytes.NewReader(stream), kind, nil)
	var m, element codec.Message
	for {
		frame, err := r.Next()
		if framing.Recoverable(err) {
			d.unreadable++
			continue
		}
		if err != nil {
			return d
		}
		err = codec.Decode(frame.Bytes(), &m)
		if m.Kind != codec.Batch {
			d.message(&m, err, plain, false)
			continue
		}
		if !plain {
			d.loose++
		}
		for i := range m.Len() {
			err := m.Element(i, &element)
			d.message(&element, err, plain, true)
		}
	}
}

func (d *debt) message(m *codec.Message, err error, plain, inArray bool) {
	switch {
	case m.Kind == codec.Notification && string(m.Method) == protocol.NotificationCancelled:
		key := codec.ID(m.Fact(codec.FactRequestID)).Key()
		d.may[key] += d.must[key]
		d.must[key] = 0
	case err != nil && m.Method == nil && (m.Result != nil || m.Error != nil):
		// It looks like an answer.
	case m.Kind == codec.Request || err != nil && m.ID != nil:
		if key := m.ID.Key(); inArray && !plain {
			d.may[key]++ // arrays may be refused
		} else {
			d.must[key]++
		}
	case err != nil && inArray:
		d.loose++
	case err != nil:
		d.unreadable++
	}
}

// compare says what is wrong with the answers, if anything. An answer goes
// without its id while another request with this id is in flight.
func (d *debt) compare(got map[codec.IDKey]int) string {
	const flood = 64 // so many that nobody can read are answered without a pause
	loose := got[codec.NullID.Key()]
	least, most := min(d.unreadable, flood), d.unreadable+d.loose
	for key, must := range d.must {
		n := got[key]
		if must > 0 && n == 0 {
			return "a request has no answer"
		}
		least += max(must-n, 0)
		most += max(must+d.may[key]-n, 0)
	}
	for key, n := range got {
		if key != codec.NullID.Key() && n > d.must[key]+d.may[key] {
			return "an answer to nothing, or a second one"
		}
	}
	if loose < least {
		return "something was not answered"
	}
	if loose > most {
		return "too many answers without an id"
	}
	return ""
}

// answers counts the answers in what a server wrote, by id.
func answers(t *testing.T, out []byte, kind framing.Framing) map[codec.IDKey]int {
	t.Helper()
	got := map[codec.IDKey]int{}
	r := framing.NewReader(bytes.NewReader(out), kind, nil)
	var m, element codec.Message
	for {
		frame, err := r.Next()
		if err == io.EOF {
			return got
		}
		if err == nil {
			err = codec.Decode(frame.Bytes(), &m)
		}
		if err != nil {
			t.Fatalf("the server wrote %q: %v", out, err)
		}
		count(got, &m)
		for i := range m.Len() {
			if err := m.Element(i, &element); err != nil {
				t.Fatalf("the server wrote %q: element %d: %v", out, i, err)
			}
			count(got, &element)
		}
	}
}

func count(got map[codec.IDKey]int, m *codec.Message) {
	if m.Kind != codec.Response && m.Kind != codec.ErrorResponse {
		return // a call of ours
	}
	if m.ID == nil {
		m.ID = codec.NullID
	}
	got[m.ID.Key()]++
}
