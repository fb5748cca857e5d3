package explain

import (
	"fmt"

	"github.com/wirespool/wirespool/sse/eventstream"
)

// Event is one line of a listing of server-sent events.
type Event struct {
	N       int // running number, from 1
	Event   eventstream.Event
	Report  *Report            // on the data of a message; nil for another event
	Refused *eventstream.Error // an event that was too long, of which there is nothing else
}

// Event explains an event, which it borrows. Only the data of events called message, or nothing,
// is said to be JSON-RPC, and no data at all is not a message.
func (e *Explainer) Event(event eventstream.Event) *Event {
	out := &Event{Event: event}
	if event.Is("message") && len(event.Data) > 0 {
		out.Report = e.Frame(event.Data, 0)
		if f := out.Report.Err; f != nil {
			f.Stream = -1 // data is not one stretch of the stream
		}
		for i := range out.Report.Elements {
			if f := out.Report.Elements[i].Err; f != nil {
				f.Stream = -1
			}
		}
	}
	return out
}

// Bad reports whether the event was refused, or its message, or an element of that.
func (e *Event) Bad() bool {
	return e.Refused != nil || (&Entry{Report: e.Report}).Bad()
}

// AppendText appends the event for people: what it sets, then its message explained or its data.
func (e *Event) AppendText(dst []byte) []byte {
	dst = fmt.Appendf(dst, "%4d  ", e.N)
	if e.Refused != nil {
		return append(AppendSafe(dst, e.Refused.Error(), 256), '\n')
	}
	v := &e.Event
	if v.Data != nil {
		dst = append(AppendSafe(append(dst, "event "...), e.name(), shortScalar), ' ')
	}
	if v.HasID {
		dst = append(AppendSafe(append(dst, "id="...), v.ID, shortScalar), ' ')
	}
	if v.HasRetry {
		dst = fmt.Appendf(dst, "retry=%dms ", v.Retry.Milliseconds())
	}
	switch {
	case v.Data == nil:
		return append(dst, "without data\n"...)
	case len(v.Data) == 0:
		return append(dst, "(0 bytes)\n"...)
	case e.Report == nil:
		dst = fmt.Appendf(dst, "(%d bytes): ", len(v.Data))
		return append(AppendSafe(dst, v.Data, 256), '\n')
	}
	dst[len(dst)-1] = ':'
	return (&Entry{Report: e.Report}).AppendText(append(dst, ' '))
}

// AppendJSON appends the event as one line of JSON.
func (e *Event) AppendJSON(dst []byte) []byte {
	if e.Refused != nil {
		dst = appendText(append(dst, `{"error":{"message":`...), e.Refused.Error())
		return fmt.Appendf(dst, ",\"stream\":%d}}\n", e.Refused.Offset)
	}
	v := &e.Event
	dst = appendText(append(dst, `{"event":`...), e.name())
	if v.Data == nil {
		dst = append(dst, `,"data":null`...)
	} else {
		dst = appendText(append(dst, `,"data":`...), v.Data)
	}
	if v.HasID {
		dst = appendText(append(dst, `,"id":`...), v.ID)
	}
	if v.HasRetry {
		dst = fmt.Appendf(dst, `,"retry":%d`, v.Retry.Milliseconds())
	}
	if e.Report != nil && e.Report.Err != nil {
		dst = appendFaultJSON(dst, e.Report.Err)
	}
	return append(dst, "}\n"...)
}

// name is the type of the event.
func (e *Event) name() []byte {
	if len(e.Event.Name) == 0 {
		return []byte("message")
	}
	return e.Event.Name
}
