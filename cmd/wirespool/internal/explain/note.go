package explain

import (
	"bytes"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// Notes are about what the codec accepts and peers in the field refuse, misread or drop. Each rule
// looks at one message and returns what is to be said, or nothing.

const (
	noteBatch             = "arrays belong to 2024-11-05 and 2025-03-26; from 2025-06-18 on peers refuse them"
	noteInitializeInBatch = "initialize must not stand in an array"

	// longLine is where readers with a fixed buffer have been seen to give up.
	longLine = 1 << 20
)

// subject is the message a rule looks at.
type subject struct {
	*codec.Message
	raw   codec.Value // the message object
	info  protocol.MethodInfo
	known bool // info is that of Method
}

// rules are those for accepted messages. One that may say several things joins them.
var rules = []func(*subject) string{
	unknownMembers, idSpelling, methodName, methodForm, paramsForm, paramsNames, needed, valueTypes,
	emptyCursor, logLevel, promptArguments, version, modernMeta, methodEra, resultForm, errorForm,
}

func messageNotes(m *codec.Message, raw []byte) (notes []string) {
	s := &subject{Message: m, raw: raw}
	s.info, s.known = protocol.LookupMethod(m.Method)
	for _, rule := range rules {
		if note := rule(s); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// frameNotes are about the frame as a whole, which is valid JSON.
func frameNotes(frame []byte) (notes []string) {
	if bytes.HasPrefix(frame, []byte("\xEF\xBB\xBF")) {
		notes = append(notes, "starts with a byte order mark, which most peers take for a syntax error")
	}
	if len(frame) > longLine {
		notes = append(notes, "longer than 1 MiB, where some readers give up")
	}
	return notes
}

// jsonNotes are about text that is not JSON.
func jsonNotes(frame []byte, why *Fault) (notes []string) {
	text := bytes.TrimLeft(frame, "\xEF\xBB\xBF \t\r\n")
	switch {
	case len(text) > 0 && text[0] != '{' && text[0] != '[':
		notes = append(notes, "not a message: the stream is for messages alone, logs belong on standard error")
	case int(why.Offset) == len(frame):
		notes = append(notes, "breaks off: with newline framing a message is one line, without a line break inside")
	}
	return notes
}

// messageMembers are the only members of a message object.
var messageMembers = []string{"jsonrpc", "id", "method", "params", "result", "error"}

func unknownMembers(s *subject) string {
	if name := firstOther(s.raw, messageMembers); name != "" {
		return fmt.Sprintf("member %s beside jsonrpc, id and the rest: strict peers drop such a message without an answer", name)
	}
	return ""
}

func idSpelling(s *subject) string {
	switch {
	case s.ID == nil:
	case s.ID[0] == '"':
		if len(s.ID) == 2 {
			return "the id is an empty string, which some peers take for none"
		}
	case bytes.ContainsAny(s.ID, ".eE"):
		return fmt.Sprintf("id %s is an integer spelt as a float: peers refuse it or answer with another spelling", shown(s.ID))
	case len(s.ID) > len("9007199254740991"):
		return "the id is beyond 2^53, where peers that keep numbers as floats answer with another one"
	}
	return ""
}

func methodName(s *subject) string {
	switch {
	case s.Method == nil || s.known:
	case protocol.IsReservedMethod(s.Method):
		return "names that begin with rpc. are reserved by JSON-RPC"
	default:
		if meant := suggest(string(s.Method)); meant != "" {
			return fmt.Sprintf("unknown method; names compare exactly, did you mean %s?", meant)
		}
	}
	return ""
}

func methodForm(s *subject) string {
	switch {
	case !s.known:
	case s.Kind == codec.Notification && !s.info.Notification:
		return fmt.Sprintf("%s without an id is a notification: it is not run and never answered", s.info.Name)
	case s.Kind == codec.Request && s.info.Notification:
		return fmt.Sprintf("%s is a notification: with an id it is a request, which is refused", s.info.Name)
	}
	return ""
}

func paramsForm(s *subject) string {
	switch s.Fact(codec.FactParams).Kind() {
	case codec.Array:
		return "params is an array: MCP has named params only, peers answer -32602"
	case codec.Null:
		return "params is null: some peers refuse it, leave the member out"
	}
	return ""
}

// paramsNames finds names that are meant to be others: a JSON parser that ignores case would read
// them, a strict one does not.
func paramsNames(s *subject) string {
	if !s.known {
		return ""
	}
	for name := range s.Params.Members() {
		text, _ := name.Text()
		if right := plainNames[plain(string(text))]; right != "" && right != string(text) {
			return fmt.Sprintf("params has %s: names compare exactly, %q is another member", shown(name), right)
		}
	}
	return ""
}

// plainNames finds the member of params that a name is a spelling of.
var plainNames = func() map[string]string {
	names := map[string]string{}
	for f := codec.FactMeta; f <= codec.FactClientInfo; f++ {
		names[plain(factName(f))] = factName(f)
	}
	return names
}()

func emptyCursor(s *subject) string {
	if s.known && string(s.Fact(codec.FactCursor)) == `""` {
		return "the cursor is empty: for some peers that is the first page; leave it out to start over"
	}
	return ""
}

func logLevel(s *subject) string {
	if level, ok := s.Fact(codec.FactLevel).Text(); ok && s.known {
		if _, known := protocol.LookupLogLevel(level); !known {
			return "level is none of debug, info, notice, warning, error, critical, alert, emergency"
		}
	}
	return ""
}

func promptArguments(s *subject) string {
	if s.info.Name != protocol.MethodPromptsGet {
		return ""
	}
	for name, value := range codec.Value(s.Fact(codec.FactArguments)).Members() {
		if value.Kind() != codec.String {
			return fmt.Sprintf("prompt argument %s is %s: arguments of prompts are strings", shown(name), a(value.Kind()))
		}
	}
	return ""
}

// version is about the protocolVersion of a handshake: in params of initialize, and in what looks
// like its result.
func version(s *subject) string {
	text, ok := s.Fact(codec.FactProtocolVersion).Text()
	if !ok || s.Method != nil && s.info.Name != protocol.MethodInitialize {
		return ""
	}
	if s.Method == nil {
		if info, _ := codec.Find(s.Result, "serverInfo"); info == nil {
			if capabilities, _ := codec.Find(s.Result, "capabilities"); capabilities == nil {
				return "" // somebody's own member
			}
		}
	}
	rev, _ := protocol.LookupRevision(text)
	switch {
	case rev.Era() == protocol.Modern && s.Method == nil:
		return fmt.Sprintf("%s has no initialize, so no initialize is answered with it: a client gives up", rev)
	case rev.Era() == protocol.Modern:
		return fmt.Sprintf("%s has no initialize: it is answered with %s or older", rev, protocol.NewestLegacy)
	case rev.Era() == protocol.EraUnknown && s.Method == nil:
		return "protocolVersion is no revision of MCP: a client gives up"
	case rev.Era() == protocol.EraUnknown:
		return "protocolVersion is no revision of MCP: a server answers with one it knows"
	}
	return ""
}

// modern returns the revision of 2026-07-28 or later that a message is of, which its own key alone
// decides; "" when it is none.
func (s *subject) modern() protocol.Revision {
	text, _ := s.Fact(codec.FactMetaProtocolVersion).Text()
	if rev, _ := protocol.LookupRevision(text); rev.Era() == protocol.Modern {
		return rev
	}
	return ""
}

// methodEra finds methods that the revision of the message does not have.
func methodEra(s *subject) string {
	if !s.known || s.Kind != codec.Request || s.info.Notification {
		return ""
	}
	if rev := s.modern(); rev != "" {
		if s.info.Use(rev) == 0 {
			return fmt.Sprintf("%s has no %s: the answer is -32601", rev, s.info.Name)
		}
		return ""
	}
	if s.Fact(codec.FactMetaProtocolVersion) != nil {
		return "" // modernMeta has said so
	}
	for rev := range protocol.Revisions() {
		if rev.Era() == protocol.Legacy && s.info.Use(rev) != 0 {
			return ""
		}
	}
	return fmt.Sprintf("%s is of %s, but _meta lacks %s, which alone makes a request one of that", s.info.Name, protocol.NewestModern, protocol.MetaProtocolVersion)
}

func modernMeta(s *subject) string {
	rev := s.Fact(codec.FactMetaProtocolVersion)
	switch {
	case s.Kind != codec.Request:
	case rev == nil && (s.Fact(codec.FactMetaClientCapabilities) != nil || s.Fact(codec.FactMetaClientInfo) != nil):
		return "_meta has no protocolVersion beside the rest, and that key alone makes a request one of 2026-07-28"
	case rev == nil:
	case s.Fact(codec.FactMetaClientCapabilities) == nil:
		return "_meta lacks " + protocol.MetaClientCapabilities + ", which 2026-07-28 requires"
	default:
		text, _ := rev.Text()
		if known, _ := protocol.LookupRevision(text); known.Era() != protocol.Modern {
			return "the protocolVersion of _meta is none that is named there: the answer is -32022"
		}
	}
	return ""
}

func resultForm(s *subject) string {
	if k := s.Result.Kind(); k != codec.Absent && k != codec.Object {
		return fmt.Sprintf("result is %s: MCP wants an object, peers drop the answer", a(k))
	}
	return ""
}

func errorForm(s *subject) string {
	code, _ := s.Fact(codec.FactErrorCode).Int64()
	switch {
	case s.Kind != codec.ErrorResponse:
	case s.ID == nil:
		return "the error names no request: the one that caused it waits until it times out"
	case codec.LayerOf(code) == codec.LayerReserved:
		return "error codes -32599 to -32100 are reserved by JSON-RPC"
	}
	return ""
}

// firstOther returns the first member name of object that is not in names, fit to be shown.
func firstOther(object codec.Value, names []string) string {
members:
	for name := range object.Members() {
		text, _ := name.Text()
		for _, known := range names {
			if string(text) == known {
				continue members
			}
		}
		return shown(name)
	}
	return ""
}

// shown is a token of a message inside a note.
func shown[S ~[]byte](token S) string { return string(AppendSafe(nil, token, 40)) }

// a is a JSON type with its article.
func a(k codec.ValueKind) string {
	switch k {
	case codec.Null:
		return "null"
	case codec.Array, codec.Object:
		return "an " + k.String()
	}
	return "a " + k.String()
}
