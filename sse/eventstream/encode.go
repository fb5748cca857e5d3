package eventstream

import (
	"bytes"
	"errors"
	"strconv"
	"time"
)

var (
	// ErrID is returned for an id with a CR or LF, which would end its line and
	// begin another field, or a NUL, for which receivers ignore it.
	ErrID = errors.New("eventstream: event id with CR, LF or NUL")

	// ErrName is returned for an event name with a CR, LF or NUL.
	ErrName = errors.New("eventstream: event name with CR, LF or NUL")
)

// AppendEvent appends e in wire form to dst, which is all it writes to; e is
// borrowed until it returns. The result may be sent to any number of receivers.
// There is always a data line, so that every receiver takes it for an event;
// data with line ends of any kind becomes several lines, which receivers join
// with LF. It returns dst as it was and ErrID or ErrName for what would break
// out of its line. It does not allocate where dst has room.
func AppendEvent(dst []byte, e Event) ([]byte, error) {
	switch {
	case !inLine(e.ID):
		return dst, ErrID
	case !inLine(e.Name):
		return dst, ErrName
	}
	if e.HasID || len(e.ID) > 0 {
		dst = append(append(append(dst, "id: "...), e.ID...), '\n')
	}
	if len(e.Name) > 0 {
		dst = append(append(append(dst, "event: "...), e.Name...), '\n')
	}
	if e.HasRetry || e.Retry > 0 {
		dst = appendRetryLine(dst, e.Retry)
	}
	if lineEnd(e.Data) < len(e.Data) {
		return append(appendLines(dst, e.Data), '\n'), nil
	}
	return append(append(append(dst, "data: "...), e.Data...), "\n\n"...), nil
}

// AppendHead appends what stands before an event's data: the id and event lines
// for what is not empty, and "data: ". The caller appends the data, which must
// be one line, then [AppendTail]. It returns dst as it was and ErrID or ErrName
// for what would break out of its line.
func AppendHead[ID, Name ~string | ~[]byte](dst []byte, id ID, name Name) ([]byte, error) {
	if err := check(id, name); err != nil {
		return dst, err
	}
	if len(id) > 0 {
		dst = append(append(append(dst, "id: "...), id...), '\n')
	}
	if len(name) > 0 {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	return append(dst, "data: "...), nil
}

// AppendTail ends the event that [AppendHead] began.
func AppendTail(dst []byte) []byte { return append(dst, "\n\n"...) }

// AppendPrime appends an event with an id and empty data, which gives a client
// the position to resume from before there is anything to say, and with the
// reconnection time if retry is positive, rounded up to a millisecond. It
// returns dst as it was and ErrID for an id that would break out of its line.
func AppendPrime[ID ~string | ~[]byte](dst []byte, id ID, retry time.Duration) ([]byte, error) {
	if err := check(id, ""); err != nil {
		return dst, err
	}
	dst = append(append(append(dst, "id: "...), id...), '\n')
	if retry > 0 {
		dst = appendRetryLine(dst, retry)
	}
	return append(dst, "data:\n\n"...), nil
}

// AppendRetry appends a block that only sets the reconnection time, rounded up
// to a millisecond. A negative one counts as zero.
func AppendRetry(dst []byte, retry time.Duration) []byte {
	return append(appendRetryLine(dst, retry), '\n')
}

// AppendComment appends text as a comment, one comment line for each of its
// lines, and a blank line. Receivers ignore it; it keeps intermediaries from
// closing a quiet stream (SE-08). text may be empty.
func AppendComment[Text ~string | ~[]byte](dst []byte, text Text) []byte {
	dst = append(dst, ':')
	if len(text) > 0 {
		dst = append(dst, ' ')
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case c == '\r' || c == '\n':
			dst = append(dst, "\n: "...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, "\n\n"...)
}

// check refuses what would end the line it stands in.
func check[ID, Name ~string | ~[]byte](id ID, name Name) error {
	if !inLine(id) {
		return ErrID
	}
	if !inLine(name) {
		return ErrName
	}
	return nil
}

func inLine[Text ~string | ~[]byte](s Text) bool {
	for i := range len(s) {
		if c := s[i]; c <= '\r' && (c == '\n' || c == '\r' || c == 0) {
			return false
		}
	}
	return true
}

func appendRetryLine(dst []byte, d time.Duration) []byte {
	ms := int64(max(d, 0) / time.Millisecond)
	if d > 0 && d%time.Millisecond != 0 {
		ms++
	}
	return append(strconv.AppendInt(append(dst, "retry: "...), ms, 10), '\n')
}

// appendLines appends each line of text as a data line.
func appendLines(dst, text []byte) []byte {
	for {
		i := lineEnd(text)
		dst = append(append(append(dst, "data: "...), text[:i]...), '\n')
		if i == len(text) {
			return dst
		}
		if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
		text = text[i+1:]
	}
}

// lineEnd returns the index of the first CR or LF, or the length.
func lineEnd(text []byte) int {
	end := len(text)
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		end = i
	}
	if i := bytes.IndexByte(text[:end], '\r'); i >= 0 {
		end = i
	}
	return end
}
