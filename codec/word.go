package codec

// Up to eight bytes of text each, as [scan.Word] reads them.
const (
	// Of a message.
	wordMethod       = 0x3a22646f6874656d // method":
	wordParams       = 0x3a22736d61726170 // params":
	wordResult       = 0x3a22746c75736572 // result":
	wordJSONRPC      = 0x226370726e6f736a // jsonrpc"
	wordVersion      = 0x22302e32223a     // :"2.0"
	wordID           = 0x3a226469         // id":
	wordToolsCall    = 0x632f736c6f6f7422 // "tools/c
	wordToolsCallEnd = 0x226c6c61         // all"

	// Of the objects inside of it.
	wordName     = 0x3a22656d616e     // name":
	wordMeta     = 0x3a226174656d5f   // _meta":
	wordArgument = 0x746e656d75677261 // argument
	wordSEnd     = 0x3a2273           // s":
	wordProgress = 0x73736572676f7270 // progress
	wordEnd      = 0x3a22             // ":
	wordToken    = 0x3a226e656b6f54   // Token":
	wordTracepar = 0x7261706563617274 // tracepar
	wordEnt      = 0x3a22746e65       // ent":
	wordIsError  = 0x22726f7272457369 // isError"
	wordCode     = 0x3a2265646f63     // code":
	wordMessage  = 0x226567617373656d // message"
)

// frequent returns the fact whose member begins with the sixteen bytes of two
// words behind its opening quote, and the length up to its value; 0 if it is none
// of the frequent ones, or spelt in another way.
func (o object) frequent(first, second uint64) (Fact, int) {
	switch {
	case o == inParams && first == wordArgument && second<<40 == wordSEnd<<40:
		return FactArguments, 12
	case o == inParams && first == wordProgress && second<<48 == wordEnd<<48:
		return FactProgress, 11
	case o == inParams && first == wordProgress && second<<8 == wordToken<<8:
		return FactProgressToken, 16
	case o == inMeta && first == wordProgress && second<<8 == wordToken<<8:
		return FactMetaProgressToken, 16
	case o == inMeta && first == wordTracepar && second<<24 == wordEnt<<24:
		return FactTraceparent, 14
	case o != inMeta && o != inError && first<<8 == wordMeta<<8:
		return FactMeta, 8
	case o == inResult && first == wordIsError && byte(second) == ':':
		return FactIsError, 10
	case o == inError && first<<16 == wordCode<<16:
		return FactErrorCode, 7
	case o == inError && first == wordMessage && byte(second) == ':':
		return FactErrorMessage, 10
	}
	return 0, 0
}
