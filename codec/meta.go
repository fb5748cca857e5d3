package codec

import "bytes"

// AppendMeta appends params to dst with more members in their _meta: those of
// the object members that _meta has not got yet, in their order behind those it
// has. Everything else stands in the result as it stood in params, but for
// white space between members, with _meta in front. Absent params become an
// object; a _meta that is no object is replaced. Params that are no object,
// having no place for a _meta, are appended unchanged. params and members are
// borrowed until AppendMeta returns; dst must not overlap them.
func AppendMeta(dst []byte, params, members Value) []byte {
	params = bytes.TrimLeft(params, " \t\r\n")
	if k := params.Kind(); k != Object && k != Absent {
		return append(dst, params...)
	}
	var given Value
	for name, value := range params.Members() {
		if isText(name, "_meta") && value.Kind() == Object {
			given = value
		}
	}
	dst = append(dst, `{"_meta":{`...)
	from := len(dst)
	for name, value := range given.Members() {
		dst = appendMember(dst, from, name, value)
	}
	for name, value := range members.Members() {
		if !hasMember(given, name) {
			dst = appendMember(dst, from, name, value)
		}
	}
	dst = append(dst, '}')
	for name, value := range params.Members() {
		if !isText(name, "_meta") {
			dst = appendMember(dst, 0, name, value)
		}
	}
	return append(dst, '}')
}

// appendMember appends a member, with a comma unless it is the first one behind
// from.
func appendMember(dst []byte, from int, name, value Value) []byte {
	if len(dst) > from {
		dst = append(dst, ',')
	}
	dst = append(dst, name...)
	dst = append(dst, ':')
	return append(dst, value...)
}

// hasMember reports whether object has a member with the name that the string
// name is.
func hasMember(object, name Value) bool {
	text, _ := name.Text()
	for given := range object.Members() {
		if isText(given, string(text)) {
			return true
		}
	}
	return false
}
