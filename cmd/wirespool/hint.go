package main

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/framing"
)

// sseLine is a line of an event stream, which is no message.
var sseLine = regexp.MustCompile(`^\x{FEFF}?(?:(?:data|event|id|retry)(?::|$)|:)`)

// hintAt says what the input of inspect may be instead, from its first frame: text,
// and r what there was to say about it.
func hintAt(text []byte, r *explain.Report) string {
	switch {
	case r.Err == nil:
	case sseLine.Match(text):
		return "this looks like server-sent events: use --sse"
	case breaksOff(text, r):
		return "one message over several lines? With newline framing each is on one line"
	}
	return ""
}

// breaksOff reports whether a frame is the begin of an object or array.
func breaksOff(text []byte, r *explain.Report) bool {
	begin := bytes.TrimLeft(text, "\xEF\xBB\xBF \t")
	return len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') && r.Err.Offset == int64(len(text))
}

// hintAtFraming is hintAt for a first frame that was refused by how it is framed.
func hintAtFraming(how framing.Framing, refused *framing.Error) string {
	switch {
	case refused.Kind != framing.WrongFraming:
	case how == framing.ContentLength:
		return "use --framing newline or detect"
	case !strings.Contains(refused.Reason, "HTTP"):
		return "use --framing content-length or detect"
	}
	return ""
}
