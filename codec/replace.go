package codec

// AppendReplaced appends the text of the fact outer, such as FactParams, with
// the value of the fact inner replaced, which stands somewhere inside it:
// everything else is copied as it stood in the frame. Who passes messages on
// under ids of his own need not take them apart for that. Where the message
// lacks one of the two facts, or inner is not inside outer, dst comes back as it
// was and ok false. value is raw JSON and borrowed; dst must not overlap the
// frame. The facts are those of the frame, whatever the fields of m say by now.
func (m *Message) AppendReplaced(dst []byte, outer, inner Fact, value []byte) (text []byte, ok bool) {
	r := &m.rec
	if !r.has(outer) || !r.has(inner) {
		return dst, false
	}
	o, i := r.at[outer], r.at[inner]
	if i.start < o.start || o.end < i.end || o == i {
		return dst, false
	}
	dst = append(dst, m.frame[o.start:i.start]...)
	dst = append(dst, value...)
	return append(dst, m.frame[i.end:o.end]...), true
}
