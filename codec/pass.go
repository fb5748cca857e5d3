package codec

import "github.com/wirespool/wirespool/internal/scan"

// frameOf is where the pass stands in an object that it left for one inside.
type outerObject struct {
	in    object
	fact  Fact // the member whose value is being walked
	start uint32
}

// message walks the message object at b[i], inside depth open containers, and
// notes facts and the first fault in r. Only the objects of [object] are
// walked member by member, three levels at most; all else is skipped in one
// go. The text is checked to its end even when the message is already refused:
// bad JSON outranks a bad message.
func (d *Decoder) message(b []byte, i, depth int, r *record) (end int, f scan.Fault) {
	var outer [2]outerObject
	level := 0
	in := inMessage
	r.seen, r.unusableID, r.fault = 0, false, fault{}
	r.start = uint32(i)

open:
	if depth >= d.s.MaxDepth {
		return i, scan.TooDeep
	}
	depth++
	if i = d.s.Space(b, i+1); i < len(b) && b[i] == '}' {
		goto closing
	}

member:
	{
		if i >= len(b) {
			return len(b), scan.UnexpectedEnd
		}
		if b[i] != '"' {
			return i, scan.MissingName
		}
		nameAt := i
		quote, escaped, f := scan.String(b, i+1)
		if f != scan.OK {
			return quote, f
		}
		name := b[nameAt+1 : quote]
		if i, f = d.s.Colon(b, quote+1); f != scan.OK {
			return i, f
		}
		var fact Fact
		var known bool
		if escaped {
			fact, known = in.escapedFact(name)
		} else {
			fact, known = in.fact(name)
		}
		if !known {
			if i, f = d.s.Value(b, i, depth); f != scan.OK {
				return i, f
			}
			goto behind
		}
		if r.has(fact) {
			r.refuse(fault{reason: duplicate, fact: fact, at: uint32(nameAt)})
			if fact == FactID {
				r.unusableID = true
			}
			if i, f = d.s.Value(b, i, depth); f != scan.OK {
				return i, f
			}
			goto behind
		}
		start := i
		if i < len(b) && b[i] == '{' {
			if inside, ok := d.enter(b, r, in, fact, i); ok {
				r.seen |= 1 << fact
				outer[level] = outerObject{in, fact, uint32(start)}
				level++
				in = inside
				goto open
			}
		}
		if i, f = d.s.Value(b, i, depth); f != scan.OK {
			return i, f
		}
		r.seen |= 1 << fact
		r.at[fact] = span{uint32(start), uint32(i)}
		if in == inMessage || in == inError {
			d.check(b, r, fact)
		}
	}

behind:
	if i = d.s.Space(b, i); i >= len(b) {
		return len(b), scan.UnexpectedEnd
	}
	switch b[i] {
	case ',':
		i = d.s.Space(b, i+1)
		goto member
	case '}':
		goto closing
	}
	return i, scan.MissingComma

closing:
	i++
	depth--
	if level == 0 {
		r.end = uint32(i)
		return i, scan.OK
	}
	level--
	o := outer[level]
	r.at[o.fact] = span{o.start, uint32(i)}
	in = o.in
	goto behind
}

// enter decides whether the object at b[i], the value of fact, is walked
// member by member.
func (d *Decoder) enter(b []byte, r *record, in object, fact Fact, i int) (object, bool) {
	switch {
	case fact == FactMeta:
		return inMeta, true
	case in == inError:
		return 0, false
	case fact == FactError:
		return inError, true
	case fact == FactParams:
		// The facts of params and result share slots, so only one is walked.
		return inParams, !r.has(FactResult)
	case fact == FactResult:
		return inResult, !r.has(FactParams) || b[r.at[FactParams].start] == 'n'
	}
	return 0, false
}

// escapedFact is fact for a name that was spelt with escapes.
func (o object) escapedFact(name []byte) (Fact, bool) {
	if len(name) > 6*longestName {
		return 0, false
	}
	var buf [6 * longestName]byte
	return o.fact(appendUnescaped(buf[:0], name))
}

// longestName is the length of the longest member name that is a fact; an
// escape spells one byte with at most six.
const longestName = len("io.modelcontextprotocol/clientCapabilities")

// refuse notes why the message is refused; the first reason stays.
func (r *record) refuse(f fault) {
	if r.fault.reason == noFault {
		r.fault = f
	}
}
