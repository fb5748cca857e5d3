package explain

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/wirespool/wirespool/codec"
)

// AppendJSON appends the entry as one line of JSON. The members that place it come first, so that
// a listing with Raw is recognised by its first bytes.
func (e *Entry) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	if e.N > 0 {
		dst = fmt.Appendf(dst, `"n":%d,`, e.N)
	}
	if e.Timed {
		dst = strconv.AppendFloat(append(dst, `"t":`...), e.Time.Seconds(), 'f', 6, 64)
		dst = append(dst, ',')
	}
	if e.Direction != Unknown {
		dst = fmt.Appendf(dst, `"dir":"%s",`, directions[e.Direction])
	}
	dst = fmt.Appendf(dst, `"offset":%d`, e.Offset)
	if e.Hop != "" {
		dst = appendText(append(dst, `,"hop":`...), []byte(e.Hop))
	}
	if e.HTTP != nil {
		dst = AppendJSON(append(dst, `,"http":`...), e.HTTP)
	}
	switch {
	case e.Report == nil && e.HTTP != nil:
	case e.Report == nil:
		dst = fmt.Appendf(dst, `,"lost":%d`, e.Lost)
	case e.Raw != nil:
		dst = appendReportJSON(appendRaw(dst, e.Raw), e.Report)
	default:
		dst = appendReportJSON(dst, e.Report)
	}
	return append(dst, '}', '\n')
}

// appendRaw appends the frame as a string, or in base64 where it is not UTF-8 and a string could
// not give it back.
func appendRaw(dst, raw []byte) []byte {
	if !utf8.Valid(raw) {
		return append(base64.StdEncoding.AppendEncode(append(dst, `,"base64":"`...), raw), '"')
	}
	return appendText(append(dst, `,"raw":`...), raw)
}

func appendReportJSON(dst []byte, r *Report) []byte {
	if r.Bytes > 0 {
		dst = fmt.Appendf(dst, `,"bytes":%d`, r.Bytes)
	}
	if r.Depth > 0 {
		dst = fmt.Appendf(dst, `,"depth":%d`, r.Depth)
	}
	dst = fmt.Appendf(dst, `,"kind":"%s"`, r.Kind)
	for _, f := range []*Fact{&r.ID, &r.Method} {
		if f.Value != nil {
			dst = AppendJSON(fmt.Appendf(dst, `,"%s":`, f.Name), f.Value)
		}
	}
	dst = appendFactsJSON(dst, r)
	if r.Err != nil {
		dst = appendFaultJSON(dst, r.Err)
	}
	for i, note := range r.Notes {
		dst = appendText(append(dst, first(i, `,"notes":[`)...), note)
	}
	if len(r.Notes) > 0 {
		dst = append(dst, ']')
	}
	for i := range r.Elements {
		dst = fmt.Appendf(append(dst, first(i, `,"elements":[`)...), `{"element":%d`, i)
		dst = append(appendReportJSON(dst, &r.Elements[i]), '}')
	}
	if len(r.Elements) > 0 {
		dst = append(dst, ']')
	}
	return dst
}

// appendFactsJSON appends the values of short facts, and of the others the sizes.
func appendFactsJSON(dst []byte, r *Report) []byte {
	values, sizes := 0, 0
	for _, f := range r.Facts {
		if f.Value != nil {
			dst = AppendJSON(fmt.Appendf(dst, `%s"%s":`, first(values, `,"facts":{`), f.Name), f.Value)
			values++
		}
	}
	if values > 0 {
		dst = append(dst, '}')
	}
	for _, f := range slices.Concat([]Fact{r.ID, r.Method}, r.Facts) {
		if f.Value == nil && f.Name != "" {
			dst = fmt.Appendf(dst, `%s"%s":%d`, first(sizes, `,"sizes":{`), f.Name, f.Size)
			sizes++
		}
	}
	if sizes > 0 {
		dst = append(dst, '}')
	}
	return dst
}

func appendFaultJSON(dst []byte, f *Fault) []byte {
	dst = fmt.Appendf(dst, `,"error":{"code":%d`, f.Code)
	if f.Offset >= 0 {
		dst = fmt.Appendf(dst, `,"offset":%d`, f.Offset)
	}
	if f.Stream >= 0 {
		dst = fmt.Appendf(dst, `,"stream":%d`, f.Stream)
	}
	dst = appendText(append(dst, `,"message":`...), f.Message)
	if len(f.Near) > 0 {
		dst = appendText(append(dst, `,"near":`...), f.Near)
	}
	return append(dst, '}')
}

// first returns what goes before item i of a list: its opening, or a comma.
func first(i int, opening string) string {
	if i > 0 {
		return ","
	}
	return opening
}

// appendText appends text as a JSON string.
func appendText[S ~string | ~[]byte](dst []byte, text S) []byte {
	return AppendJSON(dst, codec.AppendString(nil, text))
}
