package httpx

import (
	"mime"
	"net/http"
	"strings"

	"github.com/wirespool/wirespool/protocol"
)

// Accept says which of the two forms of an answer a client takes.
type Accept struct {
	JSON        bool
	EventStream bool
	// Both is set when the client names both types itself, as the revisions
	// demand of it; wildcards and a missing header do not count.
	Both bool
}

// ParseAccept reads the Accept headers of a request. None at all means
// everything (RFC 9110 §12.5.1), as does one that is empty; an element that is
// malformed counts for nothing. The most specific range that matches a type
// decides, and q=0 means no.
func ParseAccept(values []string) Accept {
	if len(values) == 1 {
		switch values[0] { // what nearly every client sends
		case "application/json, text/event-stream", "application/json,text/event-stream", "text/event-stream, application/json":
			return Accept{JSON: true, EventStream: true, Both: true}
		case protocol.MediaTypeEventStream:
			return Accept{EventStream: true}
		}
	}
	var json, events preference
	empty, size := true, 0
	for _, line := range values {
		if size += len(line); size > maxAccept {
			return Accept{}
		}
		for element, more := "", true; more; {
			element, line, more = cutQuoted(line, ',')
			element = protocol.TrimOWS(element)
			if element == "" {
				continue
			}
			empty = false
			name, yes, ok := mediaRange(element)
			if !ok {
				continue
			}
			json.consider(name, protocol.MediaTypeJSON, "application/*", yes)
			events.consider(name, protocol.MediaTypeEventStream, "text/*", yes)
		}
	}
	if empty {
		return Accept{JSON: true, EventStream: true}
	}
	return Accept{
		JSON:        json.yes,
		EventStream: events.yes,
		Both:        json.yes && events.yes && json.exact == exact && events.exact == exact,
	}
}

// preference is what the ranges seen so far say about one type.
type preference struct {
	exact int // how specific the deciding range is
	yes   bool
}

const exact = 3

func (p *preference) consider(name, full, half string, yes bool) {
	how := 0
	switch {
	case strings.EqualFold(name, full):
		how = exact
	case strings.EqualFold(name, half):
		how = 2
	case name == "*/*":
		how = 1
	}
	switch {
	case how == 0 || how < p.exact:
	case how > p.exact:
		p.exact, p.yes = how, yes
	default: // said twice: the kinder one counts
		p.yes = p.yes || yes
	}
}

// mediaRange takes one element of an Accept header apart: the range without its
// parameters, and whether its weight is above zero.
func mediaRange(element string) (name string, yes, ok bool) {
	name, params, more := strings.Cut(element, ";")
	name = protocol.TrimOWS(name)
	kind, subtype, slash := strings.Cut(name, "/")
	if !slash || !isToken(kind) || !isToken(subtype) || kind == "*" && subtype != "*" {
		return "", false, false
	}
	yes = true
	for more {
		var param string
		param, params, more = cutQuoted(params, ';')
		key, value, _ := strings.Cut(param, "=")
		if !strings.EqualFold(protocol.TrimOWS(key), "q") {
			continue
		}
		weight, valid := qvalue(protocol.TrimOWS(value))
		if !valid {
			return "", false, false
		}
		yes = weight
	}
	return name, yes, true
}

// cutQuoted splits off what comes before the first separator that is not inside
// a quoted string.
func cutQuoted(s string, separator byte) (first, rest string, more bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == separator && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// qvalue reads a weight of RFC 9110 §12.4.2: 0 to 1 with up to three decimals.
func qvalue(s string) (above, ok bool) {
	if len(s) == 0 || len(s) > 5 || s[0] != '0' && s[0] != '1' || len(s) > 1 && s[1] != '.' {
		return false, false
	}
	above = s[0] == '1'
	for i := 2; i < len(s); i++ {
		switch {
		case s[i] < '0' || s[i] > '9' || s[0] == '1' && s[i] != '0':
			return false, false
		case s[i] != '0':
			above = true
		}
	}
	return above, true
}

func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0 {
			continue
		}
		return false
	}
	return s != ""
}

// ContentType refuses a body that does not say it is JSON in UTF-8: 415. A
// missing header is refused too; a browser's form or text/plain is how another
// site would reach us without asking first.
func ContentType(h http.Header) *Refusal {
	values := h[protocol.HeaderContentType]
	if len(values) == 1 && (values[0] == protocol.MediaTypeJSON || isJSON(values[0])) {
		if len(h["Content-Encoding"]) == 0 || strings.EqualFold(h.Get("Content-Encoding"), "identity") {
			return nil
		}
		return Refuse(http.StatusUnsupportedMediaType, "a request body must not be encoded")
	}
	return Refuse(http.StatusUnsupportedMediaType, "Content-Type must be "+protocol.MediaTypeJSON+", in UTF-8")
}

func isJSON(value string) bool {
	if len(value) > maxAccept {
		return false
	}
	media, params, err := mime.ParseMediaType(value)
	if err != nil || media != protocol.MediaTypeJSON {
		return false
	}
	charset, given := params["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}
