package codec

// check judges the type of a member of the message object or of its error.
func (d *Decoder) check(b []byte, r *record, fact Fact) {
	s := r.at[fact]
	v := Value(b[s.start:s.end])
	var why reason
	switch fact {
	case FactJSONRPC:
		if !isText(v, "2.0") {
			why = wrongVersion
		}
	case FactID:
		if why = d.checkID(v, r.escaped&(1<<fact) != 0); why != noFault {
			r.unusableID = true
		}
	case FactMethod:
		if v.Kind() != String {
			why = methodNotString
		} else if r.escaped&(1<<fact) != 0 && hasLoneSurrogate(v[1:len(v)-1]) {
			why = methodSurrogate
		}
	case FactParams:
		if k := v.Kind(); k != Object && k != Array && k != Null {
			why = paramsType
		}
	case FactError:
		if v.Kind() != Object {
			why = errorNotObject
		}
	case FactErrorCode:
		if _, ok := v.Int64(); !ok {
			why = errorCode
		}
	case FactErrorMessage:
		if v.Kind() != String {
			why = errorMessage
		}
	}
	if why != noFault {
		r.refuse(fault{reason: why, fact: fact, at: s.start, limit: uint32(d.limits.MaxID)})
	}
}

// checkID judges an id token (CO-04 to CO-06). Null passes here: whether it is
// wrong depends on the kind of the message.
func (d *Decoder) checkID(v Value, escaped bool) reason {
	if len(v) > d.limits.MaxID {
		return idTooLong
	}
	switch v.Kind() {
	case Number:
		return checkInteger(v)
	case String:
		if escaped && hasLoneSurrogate(v[1:len(v)-1]) {
			return idSurrogate
		}
		return noFault
	case Null:
		return noFault
	}
	return idType
}

// isText reports whether v is a string that reads text, escapes resolved. Half
// a surrogate pair is not U+FFFD, nor any other text.
func isText(v Value, text string) bool {
	if v.Kind() != String {
		return false
	}
	inner := v[1 : len(v)-1]
	if !hasEscape(inner) {
		return string(inner) == text
	}
	var buf [64]byte
	return string(appendUnescaped(buf[:0], inner)) == text && !hasLoneSurrogate(inner)
}

// finish sets the fields and the kind of m from what the pass noted in frame,
// and returns why m is refused.
func (m *Message) finish(frame []byte) error {
	r := &m.rec
	m.Kind, m.frame = Invalid, frame
	m.ID, m.Method, m.Params, m.Result, m.Error, m.Array = nil, nil, nil, nil, nil, nil
	seen := r.seen
	if seen&(1<<FactID) != 0 && !r.unusableID {
		if s := r.at[FactID]; frame[s.start] != 'n' {
			m.ID = ID(frame[s.start:s.end:s.end])
		}
	}
	if seen&(1<<FactMethod) != 0 {
		m.Method = r.method(frame)
	}
	if seen&(1<<FactParams) != 0 {
		if s := r.at[FactParams]; frame[s.start] != 'n' { // null counts as absent (CO-17)
			m.Params = Value(frame[s.start:s.end:s.end])
		}
	}
	if seen&(1<<FactResult|1<<FactError) != 0 {
		m.Result = r.view(frame, FactResult)
		m.Error = r.view(frame, FactError)
	}
	if r.fault.reason == noFault {
		m.classify(r)
	}
	if r.fault.reason != noFault {
		return r.fault.err()
	}
	return nil
}

// method returns the method of the message, nil if it is no string.
func (r *record) method(frame []byte) []byte {
	s := r.at[FactMethod]
	if frame[s.start] != '"' {
		return nil
	}
	if r.escaped&(1<<FactMethod) != 0 {
		text, _ := Value(frame[s.start:s.end]).Text()
		return text
	}
	return frame[s.start+1 : s.end-1 : s.end-1]
}

// classify sets the kind by the members that are there (CO-03), or notes what
// is missing.
func (m *Message) classify(r *record) {
	hasResult, hasError := r.has(FactResult), r.has(FactError)
	refuse := func(why reason, at uint32) { r.refuse(fault{reason: why, at: at}) }
	switch {
	case !r.has(FactJSONRPC):
		refuse(noVersion, r.start)
	case r.has(FactMethod):
		switch {
		case hasResult || hasError:
			refuse(methodInAnswer, r.at[FactMethod].start)
		case !r.has(FactID):
			m.Kind = Notification
		case m.ID == nil:
			refuse(idNull, r.at[FactID].start)
		default:
			m.Kind = Request
		}
	case hasResult && hasError:
		refuse(resultAndError, r.at[FactError].start)
	case !hasResult && !hasError:
		refuse(noMethod, r.start)
	case m.Params != nil:
		refuse(paramsInAnswer, r.at[FactParams].start)
	case hasError && !r.has(FactErrorCode):
		refuse(errorCode, r.at[FactError].start)
	case hasError && !r.has(FactErrorMessage):
		refuse(errorMessage, r.at[FactError].start)
	case hasError:
		m.Kind = ErrorResponse
	case !r.has(FactID):
		refuse(noID, r.start)
	case m.ID == nil:
		refuse(idNull, r.at[FactID].start)
	default:
		m.Kind = Response
	}
}
