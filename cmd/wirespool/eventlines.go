package main

import (
	"fmt"
	"slices"
	"strings"
)

// eventLines looks at the lines of an event stream that its grammar passes over in silence: fields
// that nobody knows, and an event without the blank line that ends it (SE-02).
type eventLines struct {
	n     int  // of the line, from 1
	known int  // lines that are fields or comments
	odd   int  // lines that are neither
	first int  // the number of the first odd one
	open  bool // there are fields behind the last blank line
	cr    bool // the last byte was one
	mark  bool // the byte order mark was skipped
	json  bool // the first odd line begins like JSON
	start []byte
}

// longestField is that of the fields there are, with its colon.
const longestField = len("event:")

// Write takes the stream, cut anywhere.
func (l *eventLines) Write(p []byte) (int, error) {
	for _, c := range p {
		switch {
		case c == '\n' && l.cr: // the line has ended
		case c == '\n' || c == '\r':
			l.end()
		case len(l.start) <= longestField:
			l.start = append(l.start, c)
			if l.n == 0 && !l.mark && string(l.start) == "\uFEFF" {
				l.start, l.mark = l.start[:0], true
			}
		}
		l.cr = c == '\r'
	}
	return len(p), nil
}

// Close ends the stream, perhaps in the middle of a line.
func (l *eventLines) Close() error {
	switch {
	case len(l.start) == 0:
	case slices.ContainsFunc(fields, func(name string) bool { return strings.HasPrefix(name, string(l.start)) }):
		l.known++
		l.open = true
	default:
		l.end()
	}
	return nil
}

// fields are those that make an event.
var fields = []string{"data", "event", "id"}

// end judges a line.
func (l *eventLines) end() {
	l.n++
	name, _, _ := strings.Cut(string(l.start), ":")
	switch {
	case len(l.start) == 0:
		l.open = false
	case slices.Contains(fields, name):
		l.known++
		l.open = true
	case name == "" || name == "retry": // "" is that of a comment
		l.known++
	default:
		if l.odd++; l.first == 0 {
			l.first, l.json = l.n, l.start[0] == '{' || l.start[0] == '['
		}
	}
	l.start = l.start[:0]
}

// problems says what of the stream was no event, when there were so many.
func (l *eventLines) problems(events int) (what []string) {
	switch {
	case events > 0:
	case l.known == 0 && l.json:
		return []string{"this is no event stream: it is JSON: leave out --sse"}
	case l.known == 0 && l.odd > 0:
		return []string{"this is no event stream: no line of it is a field or a comment"}
	default:
		what = append(what, "no event")
	}
	if l.odd > 0 {
		what = append(what, fmt.Sprintf("lines with fields that nobody knows: %d, the first is line %d", l.odd, l.first))
	}
	if l.open {
		what = append(what, "the last event is cut off: no blank line ends it")
	}
	return what
}
