package fuzz_test

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/wirespool/wirespool/codec"
)

const (
	parseError     = -32700
	invalidRequest = -32600
)

// verdict is what a decoder has to say about a frame or an element of a batch.
// Values are as they stand, and "" where they are absent: no JSON value is
// empty.
type verdict struct {
	kind      codec.Kind
	code      int64 // 0 when accepted
	id        string
	named     bool // method is there
	method    string
	params    string
	result    string
	errorText string // the error object
	array     string
	facts     map[codec.Fact]string
	elements  []verdict
}

// names are the members that an object may have once, and the facts they are.
type names map[string]codec.Fact

var (
	envelope = names{
		"jsonrpc": codec.FactJSONRPC, "id": codec.FactID, "method": codec.FactMethod,
		"params": codec.FactParams, "result": codec.FactResult, "error": codec.FactError,
	}
	ofParams = names{
		"_meta": codec.FactMeta, "name": codec.FactName, "uri": codec.FactURI, "arguments": codec.FactArguments,
		"taskId": codec.FactTaskID, "requestId": codec.FactRequestID, "progressToken": codec.FactProgressToken,
		"progress": codec.FactProgress, "cursor": codec.FactCursor, "total": codec.FactTotal,
		"requestState": codec.FactRequestState, "inputResponses": codec.FactInputResponses,
		"protocolVersion": codec.FactProtocolVersion, "capabilities": codec.FactCapabilities,
		"clientInfo": codec.FactClientInfo, "level": codec.FactLevel,
	}
	ofResult = names{
		"_meta": codec.FactMeta, "resultType": codec.FactResultType, "isError": codec.FactIsError,
		"protocolVersion": codec.FactProtocolVersion, "supportedVersions": codec.FactSupportedVersions,
	}
	ofError = names{"code": codec.FactErrorCode, "message": codec.FactErrorMessage, "data": codec.FactErrorData}
	ofMeta  = names{
		"progressToken": codec.FactMetaProgressToken,
		"io.modelcontextprotocol/protocolVersion":    codec.FactMetaProtocolVersion,
		"io.modelcontextprotocol/clientCapabilities": codec.FactMetaClientCapabilities,
		"io.modelcontextprotocol/clientInfo":         codec.FactMetaClientInfo,
		"io.modelcontextprotocol/serverInfo":         codec.FactMetaServerInfo,
		"io.modelcontextprotocol/logLevel":           codec.FactMetaLogLevel,
		"io.modelcontextprotocol/subscriptionId":     codec.FactMetaSubscriptionID,
		"io.modelcontextprotocol/related-task":       codec.FactMetaRelatedTask,
		"traceparent":                                codec.FactTraceparent,
		"tracestate":                                 codec.FactTracestate,
		"baggage":                                    codec.FactBaggage,
	}
)

// model decodes under these limits, all of them set.
type model struct{ codec.Limits }

func refused(code int64) verdict { return verdict{code: code} }

// decode is what codec.Decoder.Decode and codec.Message.Element have to say.
func (m model) decode(frame []byte) verdict {
	if len(frame) > m.MaxBytes {
		return refused(invalidRequest)
	}
	frame = bytes.TrimPrefix(frame, []byte("\uFEFF"))
	if !acceptable(frame, m.MaxDepth) {
		return refused(parseError)
	}
	frame = bytes.Trim(frame, white)
	switch frame[0] {
	case '{':
		return m.message(frame)
	case '[':
		return m.batch(frame)
	}
	return refused(invalidRequest)
}

// message judges one message object.
func (m model) message(object []byte) verdict {
	v := verdict{facts: map[codec.Fact]string{}}
	twice := v.note(object, envelope)
	params, result, errorText := v.facts[codec.FactParams], v.facts[codec.FactResult], v.facts[codec.FactError]
	if params == "null" {
		params = "" // CO-17
	}
	again := v.note([]byte(errorText), ofError)
	if params == "" || result == "" { // with both, whose facts would they be?
		again = slices.Concat(again, v.note([]byte(params), ofParams), v.note([]byte(result), ofResult))
		again = slices.Concat(again, v.note([]byte(v.facts[codec.FactMeta]), ofMeta))
	}

	id, hasID := v.facts[codec.FactID]
	goodID := !hasID || m.usable(id) && !slices.Contains(twice, codec.FactID)
	if goodID && id != "null" {
		v.id = id
	}
	method, hasMethod := v.facts[codec.FactMethod]
	if goodMethod := hasMethod && method[0] == '"'; goodMethod {
		v.named, v.method = true, text([]byte(method))
	}
	v.params, v.result, v.errorText = params, result, errorText

	version := v.facts[codec.FactJSONRPC]
	switch {
	case len(twice)+len(again) > 0, !goodID, hasMethod != v.named, loneSurrogate(method):
	case version == "", version[0] != '"', text([]byte(version)) != "2.0":
	case params != "" && params[0] != '{' && params[0] != '[':
	case hasMethod && result == "" && errorText == "" && !hasID:
		v.kind = codec.Notification
	case hasMethod && result == "" && errorText == "" && id != "null":
		v.kind = codec.Request
	case hasMethod, params != "":
	case result != "" && errorText == "" && v.id != "":
		v.kind = codec.Response
	case errorText != "" && result == "" && v.goodError():
		v.kind = codec.ErrorResponse
	}
	if v.kind == codec.Invalid {
		v.code = invalidRequest
	}
	if len(v.facts) == 0 {
		v.facts = nil
	}
	return v
}

// note keeps the facts of an object and returns those whose name is there
// again; of them the first counts.
func (v *verdict) note(object []byte, known names) (twice []codec.Fact) {
	for _, m := range members(object) {
		fact, ok := known[m.name]
		if !ok {
			continue
		}
		if _, seen := v.facts[fact]; seen {
			twice = append(twice, fact)
			continue
		}
		v.facts[fact] = string(m.value)
	}
	return twice
}

// usable reports whether an id token may be echoed (CO-04 to CO-06), null
// aside.
func (m model) usable(id string) bool {
	switch {
	case len(id) > m.MaxID:
		return false
	case id[0] == '"':
		return !loneSurrogate(id)
	case id[0] == '-' || '0' <= id[0] && id[0] <= '9':
		_, ok := integer(id)
		return ok
	}
	return id == "null"
}

// goodError judges the error object (CO-15).
func (v *verdict) goodError() bool {
	code, message := v.facts[codec.FactErrorCode], v.facts[codec.FactErrorMessage]
	if v.errorText[0] != '{' || code == "" || message == "" || message[0] != '"' {
		return false
	}
	if code[0] != '-' && (code[0] < '0' || code[0] > '9') {
		return false
	}
	digits, ok := integer(code)
	_, err := strconv.ParseInt(digits, 10, 64)
	return ok && err == nil
}

// batch judges an array. Its elements are judged one by one, unless the array
// is refused as a whole.
func (m model) batch(array []byte) verdict {
	v := verdict{kind: codec.Batch, array: string(array)}
	var calls, answers bool
	for _, element := range elements(array) {
		if element[0] != '{' {
			v.elements = append(v.elements, refused(invalidRequest))
			continue
		}
		v.elements = append(v.elements, m.message(element))
		call, answer := role(element)
		calls, answers = calls || call, answers || answer
	}
	if len(v.elements) == 0 || len(v.elements) > m.MaxBatch || calls && answers {
		return refused(invalidRequest)
	}
	return v
}

// role tells calls from answers, which no array may mix (CO-35). What has a
// method is a call, if a malformed one.
func role(object []byte) (call, answer bool) {
	for _, m := range members(object) {
		call = call || m.name == "method"
		answer = answer || m.name == "result" || m.name == "error"
	}
	return call, answer && !call
}
