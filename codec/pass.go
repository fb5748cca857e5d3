package codec

import (
	"github.com/wirespool/wirespool/internal/scan"
)

// outerObject is an object that the pass has left for one inside of it.
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
	seen := uint64(0) // r.seen, which is not kept up to date
	r.escaped, r.unusableID, r.fault = 0, false, fault{}
	r.start = uint32(i)

	var fact Fact
	var known bool
	var nameAt int

open:
	if depth >= d.s.MaxDepth {
		return i, scan.TooDeep
	}
	depth++
	if i++; i < len(b) && b[i] == '"' {
		goto member
	}
	if i = d.s.Space(b, i); i < len(b) && b[i] == '}' {
		goto closing
	}

member:
	// The names that stand in nearly every message are compared a word at a
	// time together with what nearly always follows them.
	if len(b)-i > 8 && b[i] == '"' {
		w := scan.Word(b, i+1)
		if in != inMessage {
			n := 0
			if in == inParams && w<<16 == wordName<<16 {
				fact, n = FactName, 7
			} else if len(b)-i > 16 {
				fact, n = in.frequent(w, scan.Word(b, i+9))
			}
			if n == 0 {
				goto name
			}
			nameAt, i = i, i+n
			goto value
		}
		switch w {
		case wordMethod:
			fact, nameAt, i = FactMethod, i, i+9
			// What most requests are.
			if len(b)-i > 16 && scan.Word(b, i) == wordToolsCall && scan.Word(b, i+8)<<32 == wordToolsCallEnd<<32 && seen&(1<<FactMethod) == 0 {
				seen |= 1 << FactMethod
				r.at[FactMethod] = span{uint32(i), uint32(i + 12)}
				i += 12
				goto behind
			}
			goto value
		case wordParams:
			fact, nameAt, i = FactParams, i, i+9
			goto value
		case wordResult:
			fact, nameAt, i = FactResult, i, i+9
			goto value
		case wordJSONRPC:
			if len(b)-i > 16 && scan.Word(b, i+9)<<16 == wordVersion<<16 && seen&(1<<FactJSONRPC) == 0 {
				seen |= 1 << FactJSONRPC
				r.at[FactJSONRPC] = span{uint32(i + 10), uint32(i + 15)}
				i += 15
				goto behind
			}
		default:
			if w<<32 == wordID<<32 {
				fact, nameAt, i = FactID, i, i+5
				if n := plainInteger(b[i:]); n > 0 && n <= d.limits.MaxID && seen&(1<<FactID) == 0 {
					seen |= 1 << FactID
					r.at[FactID] = span{uint32(i), uint32(i + n)}
					i += n
					goto behind
				}
				goto value
			}
		}
	}

name:
	{
		if i >= len(b) {
			return len(b), scan.UnexpectedEnd
		}
		if b[i] != '"' {
			return i, scan.MissingName
		}
		nameAt = i
		quote, escaped := 0, false
		if len(b)-i > 8 {
			quote = scan.Short(scan.Word(b, i+1))
		}
		if quote > 0 {
			quote += i - 1
		} else if quote, escaped, f = scan.String(b, i+1); f != scan.OK {
			return quote, f
		}
		name := b[nameAt+1 : quote]
		if i, f = d.s.Colon(b, quote+1); f != scan.OK {
			return i, f
		}
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
	}

value:
	{
		if seen&(1<<fact) != 0 {
			r.refuse(fault{reason: duplicate, fact: fact, at: uint32(nameAt)})
			if fact == FactID {
				r.unusableID = true
			}
			if i, f = d.s.Value(b, d.s.Space(b, i), depth); f != scan.OK {
				return i, f
			}
			goto behind
		}
		i = d.s.Space(b, i)
		start := i
		if i < len(b) {
			switch b[i] {
			case '"':
				if len(b)-i > 8 {
					if n := scan.Short(scan.Word(b, i+1)); n > 0 {
						i += n
						if fact == FactMethod {
							seen |= 1 << FactMethod
							r.at[FactMethod] = span{uint32(start), uint32(i)}
							goto behind
						}
						goto noted
					}
				}
				quote, escaped, f := scan.String(b, i+1)
				if f != scan.OK {
					return quote, f
				}
				i = quote + 1
				if escaped {
					r.escaped |= 1 << fact
				} else if fact == FactMethod {
					seen |= 1 << FactMethod
					r.at[FactMethod] = span{uint32(start), uint32(i)}
					goto behind
				}
				goto noted
			case '{':
				if inside, ok := d.enter(b, r, seen, in, fact); ok {
					seen |= 1 << fact
					outer[level] = outerObject{in, fact, uint32(start)}
					level++
					in = inside
					goto open
				}
			}
		}
		if i, f = d.s.Value(b, i, depth); f != scan.OK {
			return i, f
		}
	noted:
		seen |= 1 << fact
		r.at[fact] = span{uint32(start), uint32(i)}
		if in == inMessage && fact != FactResult || in == inError {
			d.check(b, r, fact)
		}
	}

behind:
	if i < len(b)-1 && b[i] == ',' && b[i+1] == '"' {
		i++
		goto member
	}
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
		r.seen, r.end = seen, uint32(i)
		return i, scan.OK
	}
	level--
	o := outer[level]
	r.at[o.fact] = span{o.start, uint32(i)}
	in = o.in
	goto behind
}

// plainInteger returns the length of the integer that b begins with, if it is
// one that needs no second look: without a sign and short, with a comma or the
// end of the object behind it.
func plainInteger(b []byte) int {
	for n, c := range b {
		if c-'0' <= 9 {
			continue
		}
		if n > 0 && n <= 18 && (b[0] != '0' || n == 1) && (c == ',' || c == '}') {
			return n
		}
		break
	}
	return 0
}

// enter decides whether an object, the value of fact, is walked member by
// member; seen are the facts before it.
func (d *Decoder) enter(b []byte, r *record, seen uint64, in object, fact Fact) (object, bool) {
	switch {
	case fact == FactMeta:
		return inMeta, true
	case in == inError:
		return 0, false
	case fact == FactError:
		return inError, true
	case fact == FactParams:
		// The facts of params and result share slots, so only one is walked.
		return inParams, seen&(1<<FactResult) == 0
	case fact == FactResult:
		return inResult, seen&(1<<FactParams) == 0 || b[r.at[FactParams].start] == 'n'
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
