// Package demo shows an MCP exchange message by message: it drives a server
// over stdio and writes down what passes.
package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/transport"
)

// Trace writes one line for each message, and one for each part of the demo.
// Its methods may be called concurrently.
type Trace struct {
	Out    io.Writer
	JSON   bool // one object per message instead
	Colour bool

	mu    sync.Mutex
	part  string
	begun time.Time
	err   error // the first write that failed
}

// message is what a trace tells of one message.
type message struct {
	Part   string          `json:"part,omitempty"`
	Micros int64           `json:"t_us"` // since the part began
	Dir    string          `json:"dir"`
	Kind   string          `json:"kind"`
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Bytes  int             `json:"bytes"`
	Took   int64           `json:"took_us,omitempty"` // from the request to its answer
	Text   string          `json:"text"`
}

// Colours of the directions, for a terminal.
const (
	colourOut  = "\x1b[36m"
	colourIn   = "\x1b[32m"
	colourBad  = "\x1b[31m"
	colourPart = "\x1b[1m"
	colourOff  = "\x1b[0m"
)

// Part begins a part of the demo.
func (t *Trace) Part(name, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.part, t.begun = name, time.Now()
	if t.JSON {
		t.write(fmt.Appendf(nil, `{"part":%q,"text":%q}`+"\n", name, text))
		return
	}
	t.write(fmt.Appendf(nil, "\n%s== %s: %s%s\n", t.colour(colourPart), name, text, t.colour(colourOff)))
}

// Note says what a step is about, or what came of it.
func (t *Trace) Note(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.JSON {
		t.write(fmt.Appendf(nil, "   # %s\n", fmt.Sprintf(format, args...)))
	}
}

// Err returns the first error of writing the trace.
func (t *Trace) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// failed is the kind of what is no message, but the end of a request that the
// transport could not get answered.
const failed = "failed"

// excerpt is how much of a message the trace shows, and long how much of what is
// none.
const (
	excerpt = 110
	long    = 250
)

// message writes a line. took is 0 for what answers nothing, size the length of what
// text is about.
func (t *Trace) message(dir, kind string, id codec.ID, method string, text []byte, size int, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := time.Since(t.begun)
	if t.JSON {
		m := message{
			Part: t.part, Micros: at.Microseconds(), Dir: dir, Kind: kind,
			ID: json.RawMessage(id), Method: method, Bytes: size, Took: took.Microseconds(), Text: string(text),
		}
		line, err := json.Marshal(m)
		if err != nil {
			t.err = err
			return
		}
		t.write(append(line, '\n'))
		return
	}
	arrow, colour := "-->", colourOut
	if dir == "s2c" {
		arrow, colour = "<--", colourIn
	}
	switch kind {
	case failed, codec.Invalid.String(), codec.ErrorResponse.String():
		colour = colourBad
	}
	what := kind
	if method != "" {
		what = method
	}
	line := fmt.Appendf(nil, "%s%8dµs %s %-27s", t.colour(colour), at.Microseconds(), arrow, what)
	label := ""
	if len(id) > 0 {
		label = "id " + string(id)
	}
	line = fmt.Appendf(line, " %-6s %5d B", label, size)
	if took > 0 {
		line = fmt.Appendf(line, " %7dµs", took.Microseconds())
	} else {
		line = append(line, "          "...)
	}
	line = append(line, "  "...)
	limit := excerpt
	if kind == codec.Invalid.String() && dir == "s2c" {
		limit = long
	}
	line = explain.AppendSafe(line, text, limit)
	t.write(append(line, t.colour(colourOff)+"\n"...))
}

func (t *Trace) colour(c string) string {
	if t.Colour {
		return c
	}
	return ""
}

// write writes a line. Caller holds t.mu.
func (t *Trace) write(line []byte) {
	if t.err == nil {
		_, t.err = t.Out.Write(line)
	}
}

// dialer makes connections whose messages are traced.
type dialer struct {
	transport.Dialer
	trace *Trace
}

func (d dialer) Dial(ctx context.Context) (transport.Conn, error) {
	c, err := d.Dialer.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, trace: d.trace, sent: make(map[codec.IDKey]time.Time)}, nil
}

// conn traces what a connection carries.
type conn struct {
	transport.Conn
	trace *Trace

	mu   sync.Mutex
	sent map[codec.IDKey]time.Time // requests of ours
}

// Send implements [transport.Conn].
func (c *conn) Send(ctx context.Context, m *codec.Message) error {
	c.sending(m)
	return c.Conn.Send(ctx, m)
}

// exchange traces the answers to what the server asks.
type exchange struct {
	transport.Exchange
	conn *conn
}

// Send implements [transport.Exchange].
func (e exchange) Send(ctx context.Context, m *codec.Message) error {
	e.conn.sending(m)
	return e.Exchange.Send(ctx, m)
}

// sending traces a message that is about to be sent.
func (c *conn) sending(m *codec.Message) {
	text, err := m.AppendText(nil)
	if err != nil {
		return // sending it says so
	}
	if m.Kind == codec.Request {
		c.mu.Lock()
		c.sent[m.ID.Key()] = time.Now()
		c.mu.Unlock()
	}
	kind := m.Kind
	if kind == codec.Batch {
		c.noteBatch(text, &kind)
	}
	c.trace.message("c2s", kind.String(), m.ID, string(m.Method), text, len(text), 0)
}

// noteBatch notes the requests in an array; what is no array at all is the
// demo's own broken line.
func (c *conn) noteBatch(text []byte, kind *codec.Kind) {
	var m, item codec.Message
	if codec.Decode(text, &m) != nil {
		*kind = codec.Invalid
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range m.Len() {
		if m.Element(i, &item) == nil && item.Kind == codec.Request {
			c.sent[item.ID.Key()] = time.Now()
		}
	}
}

// Read implements [transport.Conn].
func (c *conn) Read(in *transport.Inbound) error {
	if err := c.Conn.Read(in); err != nil {
		return err
	}
	in.Via = exchange{in.Via, c}
	kind := in.Kind.String()
	text, err := in.AppendText(nil)
	if in.Err != nil {
		err = in.Err
	}
	size := len(text)
	switch {
	case in.Failed:
		kind, text = failed, []byte(err.Error())
		size = len(text)
	case err != nil:
		text, size = unreadable(in, err), in.Bytes
	}
	c.trace.message("s2c", kind, in.ID, string(in.Method), text, size, c.took(in))
	return nil
}

// unreadable says why what came is no message, and what it looks like.
func unreadable(in *transport.Inbound, err error) []byte {
	text := []byte(err.Error())
	if fault := explain.New(nil).Frame(in.Raw(), 0).Err; fault != nil && len(fault.Near) > 0 {
		text = append(append(append(text, "; near «"...), fault.Near...), "»"...)
	}
	return text
}

// took returns how long a request of ours has taken, or the slowest of an
// array.
func (c *conn) took(in *transport.Inbound) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	take := func(id codec.ID) (took time.Duration) {
		if at, ok := c.sent[id.Key()]; ok {
			took = time.Since(at)
			delete(c.sent, id.Key())
		}
		return took
	}
	switch {
	case in.Failed || in.Kind == codec.Response || in.Kind == codec.ErrorResponse:
		return take(in.ID)
	case in.Kind == codec.Batch:
		var item codec.Message
		var longest time.Duration
		for i := range in.Len() {
			if in.Element(i, &item) == nil {
				longest = max(longest, take(item.ID))
			}
		}
		return longest
	}
	return 0
}
