package codec

// Fact names a member that a [Decoder] notes while it scans, so that nobody
// has to parse a message twice. [Message.Fact] returns its value.
type Fact uint8

// The facts. Those of one object stand together; within each object of this
// table a name that occurs twice makes the message invalid.
const (
	// Of the message object itself.
	FactJSONRPC Fact = iota
	FactID
	FactMethod
	FactParams
	FactResult
	FactError

	// Of params.
	FactMeta // also _meta of a result: a message has only one of the two
	FactName
	FactURI
	FactArguments
	FactTaskID
	FactRequestID
	FactProgressToken // of params itself (notifications/progress), not of _meta
	FactProgress
	FactTotal
	FactCursor
	FactLevel
	FactRequestState
	FactInputResponses
	FactProtocolVersion // of an initialize request, or of its result
	FactCapabilities
	FactClientInfo

	// Of params._meta or result._meta.
	FactMetaProgressToken
	FactMetaProtocolVersion
	FactMetaClientCapabilities
	FactMetaClientInfo
	FactMetaServerInfo
	FactMetaLogLevel
	FactMetaSubscriptionID
	FactMetaRelatedTask
	FactTraceparent
	FactTracestate
	FactBaggage

	// Of result.
	FactResultType
	FactIsError
	FactSupportedVersions

	// Of error.
	FactErrorCode
	FactErrorMessage
	FactErrorData

	factCount
)

// String returns where the fact stands in a message, such as "params.name".
func (f Fact) String() string {
	if f < factCount {
		return factPath[f]
	}
	return "unknown fact"
}

var factPath = [factCount]string{
	FactJSONRPC: "jsonrpc", FactID: "id", FactMethod: "method",
	FactParams: "params", FactResult: "result", FactError: "error",

	FactMeta: "_meta", FactName: "params.name", FactURI: "params.uri",
	FactArguments: "params.arguments", FactTaskID: "params.taskId",
	FactRequestID: "params.requestId", FactProgressToken: "params.progressToken",
	FactProgress: "params.progress", FactTotal: "params.total",
	FactCursor: "params.cursor", FactLevel: "params.level",
	FactRequestState: "params.requestState", FactInputResponses: "params.inputResponses",
	FactProtocolVersion: "protocolVersion", FactCapabilities: "params.capabilities",
	FactClientInfo: "params.clientInfo",

	FactMetaProgressToken:      "_meta.progressToken",
	FactMetaProtocolVersion:    "_meta.io.modelcontextprotocol/protocolVersion",
	FactMetaClientCapabilities: "_meta.io.modelcontextprotocol/clientCapabilities",
	FactMetaClientInfo:         "_meta.io.modelcontextprotocol/clientInfo",
	FactMetaServerInfo:         "_meta.io.modelcontextprotocol/serverInfo",
	FactMetaLogLevel:           "_meta.io.modelcontextprotocol/logLevel",
	FactMetaSubscriptionID:     "_meta.io.modelcontextprotocol/subscriptionId",
	FactMetaRelatedTask:        "_meta.io.modelcontextprotocol/related-task",
	FactTraceparent:            "_meta.traceparent",
	FactTracestate:             "_meta.tracestate",
	FactBaggage:                "_meta.baggage",

	FactResultType: "result.resultType", FactIsError: "result.isError",
	FactSupportedVersions: "result.supportedVersions",

	FactErrorCode: "error.code", FactErrorMessage: "error.message", FactErrorData: "error.data",
}

// object says in which object of a message the scan stands.
type object uint8

const (
	inMessage object = iota
	inParams
	inResult
	inError
	inMeta // of params or of result
)

// fact returns the fact that the member name stands for in object o. Names
// match byte for byte once escapes are gone: "Name" is not "name".
func (o object) fact(name []byte) (Fact, bool) {
	switch o {
	case inMessage:
		return messageFact(name)
	case inParams:
		return paramsFact(name)
	case inResult:
		return resultFact(name)
	case inError:
		return errorFact(name)
	}
	return metaFact(name)
}

func messageFact(name []byte) (Fact, bool) {
	switch string(name) {
	case "jsonrpc":
		return FactJSONRPC, true
	case "id":
		return FactID, true
	case "method":
		return FactMethod, true
	case "params":
		return FactParams, true
	case "result":
		return FactResult, true
	case "error":
		return FactError, true
	}
	return 0, false
}

func paramsFact(name []byte) (Fact, bool) {
	switch string(name) {
	case "_meta":
		return FactMeta, true
	case "name":
		return FactName, true
	case "uri":
		return FactURI, true
	case "arguments":
		return FactArguments, true
	case "taskId":
		return FactTaskID, true
	case "requestId":
		return FactRequestID, true
	case "progressToken":
		return FactProgressToken, true
	case "progress":
		return FactProgress, true
	case "total":
		return FactTotal, true
	case "cursor":
		return FactCursor, true
	case "level":
		return FactLevel, true
	case "requestState":
		return FactRequestState, true
	case "inputResponses":
		return FactInputResponses, true
	case "protocolVersion":
		return FactProtocolVersion, true
	case "capabilities":
		return FactCapabilities, true
	case "clientInfo":
		return FactClientInfo, true
	}
	return 0, false
}

func metaFact(name []byte) (Fact, bool) {
	switch string(name) {
	case "progressToken":
		return FactMetaProgressToken, true
	case "io.modelcontextprotocol/protocolVersion":
		return FactMetaProtocolVersion, true
	case "io.modelcontextprotocol/clientCapabilities":
		return FactMetaClientCapabilities, true
	case "io.modelcontextprotocol/clientInfo":
		return FactMetaClientInfo, true
	case "io.modelcontextprotocol/serverInfo":
		return FactMetaServerInfo, true
	case "io.modelcontextprotocol/logLevel":
		return FactMetaLogLevel, true
	case "io.modelcontextprotocol/subscriptionId":
		return FactMetaSubscriptionID, true
	case "io.modelcontextprotocol/related-task":
		return FactMetaRelatedTask, true
	case "traceparent":
		return FactTraceparent, true
	case "tracestate":
		return FactTracestate, true
	case "baggage":
		return FactBaggage, true
	}
	return 0, false
}

func resultFact(name []byte) (Fact, bool) {
	switch string(name) {
	case "_meta":
		return FactMeta, true
	case "resultType":
		return FactResultType, true
	case "isError":
		return FactIsError, true
	case "protocolVersion":
		return FactProtocolVersion, true
	case "supportedVersions":
		return FactSupportedVersions, true
	}
	return 0, false
}

func errorFact(name []byte) (Fact, bool) {
	switch string(name) {
	case "code":
		return FactErrorCode, true
	case "message":
		return FactErrorMessage, true
	case "data":
		return FactErrorData, true
	}
	return 0, false
}
