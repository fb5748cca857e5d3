package explain

import (
	"fmt"

	"github.com/wirespool/wirespool/codec"
)

// AppendText appends the entry for people: one line, one more for each element of a batch, and an
// indented one for each note.
func (e *Entry) AppendText(dst []byte) []byte {
	if e.Timed {
		dst = fmt.Appendf(dst, "%9.3fs ", e.Time.Seconds())
	}
	if e.Direction != Unknown {
		dst = append(append(dst, arrows[e.Direction]...), ' ')
	}
	if e.N > 0 {
		dst = fmt.Appendf(dst, "%4d  ", e.N)
	}
	dst = e.appendWay(dst)
	if e.Report == nil && e.HTTP != nil {
		return append(dst, "no message\n"...)
	}
	if e.Report == nil {
		return fmt.Appendf(dst, "%d bytes not explained\n", e.Lost)
	}
	dst = appendReport(dst, e.Report)
	for i := range e.Report.Elements {
		dst = fmt.Appendf(dst, "        [%d] ", i)
		dst = appendReport(dst, &e.Report.Elements[i])
	}
	return dst
}

// appendWay appends what a trace says of the way: the hop, and of HTTP the method, path and status.
func (e *Entry) appendWay(dst []byte) []byte {
	if e.Hop != "" {
		dst = append(AppendSafe(dst, []byte(e.Hop), shortScalar), ' ')
	}
	for _, name := range []string{"method", "path", "status"} {
		v, _ := codec.Find(e.HTTP, name)
		text, ok := v.Text()
		if !ok {
			text = v
		}
		if len(text) > 0 {
			dst = append(AppendSafe(dst, text, maxPath), ' ')
		}
	}
	return dst
}

// maxPath is how much of a path is shown.
const maxPath = 80

// appendReport appends the line of r and its notes.
func appendReport(dst []byte, r *Report) []byte {
	dst = append(dst, r.Kind.String()...)
	if len(r.Elements) > 0 {
		dst = fmt.Appendf(dst, " of %d", len(r.Elements))
	}
	if r.ID.Name != "" {
		dst = appendFact(append(dst, ' '), &r.ID)
	}
	if r.Method.Name != "" {
		dst = appendMethod(append(dst, ' '), &r.Method)
	}
	if r.Bytes > 0 {
		dst = fmt.Appendf(dst, " (%d bytes", r.Bytes)
		if r.Depth > 0 {
			dst = fmt.Appendf(dst, ", depth %d", r.Depth)
		}
		dst = append(dst, ')')
	}
	for i := range r.Facts {
		dst = appendFact(append(dst, ' '), &r.Facts[i])
	}
	if r.Err != nil {
		dst = appendFault(dst, r.Err)
	}
	dst = append(dst, '\n')
	for _, note := range r.Notes {
		dst = append(append(append(dst, "          note: "...), note...), '\n')
	}
	return dst
}

func appendFact(dst []byte, f *Fact) []byte {
	dst = append(append(dst, f.Name...), '=')
	if f.Value != nil {
		return AppendJSON(dst, f.Value)
	}
	return fmt.Appendf(dst, "<%s of %d bytes>", f.Kind, f.Size)
}

// appendMethod appends a method as it is meant, without quotes unless it needs them to be read.
func appendMethod(dst []byte, f *Fact) []byte {
	text, ok := f.Value.Text()
	if !ok || len(text) == 0 {
		return appendFact(dst, f)
	}
	return AppendSafe(dst, text, shortScalar)
}

func appendFault(dst []byte, f *Fault) []byte {
	dst = fmt.Appendf(dst, ": %d ", f.Code)
	if f.Stream < 0 {
		dst = fmt.Appendf(dst, "at byte %d of the data: ", f.Offset)
	} else if f.Offset >= 0 {
		dst = fmt.Appendf(dst, "at byte %d of the frame, %d of the stream: ", f.Offset, f.Stream)
	} else {
		dst = fmt.Appendf(dst, "at byte %d of the stream: ", f.Stream)
	}
	dst = AppendSafe(dst, f.Message, 256)
	if len(f.Near) > 0 {
		dst = append(AppendSafe(append(dst, "; near «"...), f.Near, len(f.Near)), "»"...)
	}
	return dst
}
