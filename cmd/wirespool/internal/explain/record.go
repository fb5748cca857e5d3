package explain

import (
	"bytes"
	"encoding/base64"
	"math"
	"time"

	"github.com/wirespool/wirespool/codec"
)

// record is one line of a capture as it is read back: an entry that [Entry.AppendJSON] wrote with
// Raw, or for bytes that have no frame, without; or one of a trace, with the message as it is.
type record struct {
	jsonrpc         bool // a message, not a line about one
	direction       Direction
	timed           bool
	time            float64
	offset, lost    int64
	raw             []byte // nil when there is none
	refused         bool   // the framing refused it, so that there was no frame to keep
	code, stream    int64
	message         string
	hasRaw, hasLost bool
	hop             string
	http            codec.Value
}

// ReadCapture explains again what one line of a capture is about, from the frame it carries and
// not from what was said of it. It reports false for a line that is not from a capture; what else
// such a line says, and in which order, does not matter.
func (e *Explainer) ReadCapture(line []byte) (Entry, bool) {
	rec, ok := e.parseRecord(line)
	if !ok {
		return Entry{}, false
	}
	entry := Entry{
		Timed: rec.timed, Direction: rec.direction, Offset: rec.offset,
		Time: time.Duration(math.Round(rec.time*1e6)) * time.Microsecond,
		Hop:  rec.hop, HTTP: bytes.Clone(rec.http),
	}
	switch {
	case rec.hasRaw:
		entry.Report = e.Frame(rec.raw, rec.offset)
	case rec.hasLost:
		entry.Lost = rec.lost
	case rec.http != nil && !rec.refused: // a request or response without a message
	default:
		entry.Report = &Report{Err: &Fault{Code: rec.code, Offset: -1, Stream: rec.stream, Message: rec.message}}
	}
	return entry, true
}

func (e *Explainer) parseRecord(line []byte) (rec record, ok bool) {
	// The decoder refuses any such line, for want of a jsonrpc member, but first it has proved that
	// the line is JSON.
	err := e.lines.Decode(line, &e.message)
	if !isJSON(err) {
		return rec, false
	}
	for name, value := range codec.Value(bytes.TrimSpace(line)).Members() {
		rec.take(name, value)
	}
	ok = rec.direction != Unknown && !rec.jsonrpc && (rec.hasRaw || rec.hasLost || rec.refused || rec.http != nil)
	return rec, ok
}

// take notes one member of the line.
func (rec *record) take(name, value codec.Value) {
	switch string(name) {
	case `"jsonrpc"`:
		rec.jsonrpc = true
	case `"t"`:
		rec.time, rec.timed = value.Float64()
	case `"dir"`:
		text, _ := value.Text()
		for d := ClientToServer; d <= ServerToClient; d++ {
			if directions[d] == string(text) {
				rec.direction = d
			}
		}
	case `"offset"`:
		rec.offset, _ = value.Int64()
	case `"lost"`:
		rec.lost, rec.hasLost = value.Int64()
	case `"raw"`:
		rec.raw, rec.hasRaw = value.Text()
	case `"msg"`: // of a trace
		rec.raw, rec.hasRaw = value, true
	case `"hop"`:
		text, _ := value.Text()
		rec.hop = string(text)
	case `"http"`:
		rec.http = value
	case `"base64"`:
		text, _ := value.Text()
		raw, err := base64.StdEncoding.DecodeString(string(text))
		rec.raw, rec.hasRaw = raw, err == nil
	case `"error"`:
		rec.refused = value.Kind() == codec.Object
		for name, value := range value.Members() {
			switch string(name) {
			case `"code"`:
				rec.code, _ = value.Int64()
			case `"stream"`:
				rec.stream, _ = value.Int64()
			case `"message"`:
				text, _ := value.Text()
				rec.message = string(text)
			}
		}
	}
}
