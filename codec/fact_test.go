package codec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// payloadFacts lists the facts of payloads: the object and the name they stand for.
var payloadFacts = []struct {
	fact         codec.Fact
	object, name string
}{
	{codec.FactMeta, "params", "_meta"},
	{codec.FactName, "params", "name"},
	{codec.FactURI, "params", "uri"},
	{codec.FactArguments, "params", "arguments"},
	{codec.FactTaskID, "params", "taskId"},
	{codec.FactRequestID, "params", "requestId"},
	{codec.FactProgressToken, "params", "progressToken"},
	{codec.FactProgress, "params", "progress"},
	{codec.FactTotal, "params", "total"},
	{codec.FactCursor, "params", "cursor"},
	{codec.FactLevel, "params", "level"},
	{codec.FactRequestState, "params", "requestState"},
	{codec.FactInputResponses, "params", "inputResponses"},
	{codec.FactProtocolVersion, "params", "protocolVersion"},
	{codec.FactCapabilities, "params", "capabilities"},
	{codec.FactClientInfo, "params", "clientInfo"},

	{codec.FactMetaProgressToken, "_meta", "progressToken"},
	{codec.FactMetaProtocolVersion, "_meta", "io.modelcontextprotocol/protocolVersion"},
	{codec.FactMetaClientCapabilities, "_meta", "io.modelcontextprotocol/clientCapabilities"},
	{codec.FactMetaClientInfo, "_meta", "io.modelcontextprotocol/clientInfo"},
	{codec.FactMetaServerInfo, "_meta", "io.modelcontextprotocol/serverInfo"},
	{codec.FactMetaLogLevel, "_meta", "io.modelcontextprotocol/logLevel"},
	{codec.FactMetaSubscriptionID, "_meta", "io.modelcontextprotocol/subscriptionId"},
	{codec.FactMetaRelatedTask, "_meta", "io.modelcontextprotocol/related-task"},
	{codec.FactTraceparent, "_meta", "traceparent"},
	{codec.FactTracestate, "_meta", "tracestate"},
	{codec.FactBaggage, "_meta", "baggage"},

	{codec.FactMeta, "result", "_meta"},
	{codec.FactResultType, "result", "resultType"},
	{codec.FactIsError, "result", "isError"},
	{codec.FactProtocolVersion, "result", "protocolVersion"},
	{codec.FactSupportedVersions, "result", "supportedVersions"},
}

// homes are the objects of within that a fact can stand in.
func homes(object string) []string {
	if object == "_meta" {
		return []string{"params._meta", "result._meta"}
	}
	return []string{object}
}

// TestFacts: every fact, with a value of every type, since types are the
// reader's to judge; absent is nil, and so is every fact that is not there.
func TestFacts(t *testing.T) {
	values := []string{
		`"text"`, `""`, `0`, `-1.5e3`, `true`, `false`, `null`, `[]`, `{}`, `[{"name":1}]`,
		`{"name":{"_meta":1},"progressToken":"inner"}`, `"esc\u0061pe\ud800"`, `18446744073709551616`,
	}
	for _, tt := range payloadFacts {
		t.Run(tt.fact.String(), func(t *testing.T) {
			for _, home := range homes(tt.object) {
				for _, value := range values {
					for _, name := range spellings(tt.name) {
						m := accept(t, within(home, `"a":[1], `+name+` : `+value+` ,"b":{}`))
						require.Equal(t, value, string(m.Fact(tt.fact)))
						cut(t, name, m.Fact(tt.fact))
						batch := accept(t, `[0, `+within(home, name+`:`+value)+` ]`)
						el, err := element(t, batch, 1)
						require.Nil(t, err)
						require.Equal(t, value, string(el.Fact(tt.fact)))
					}
				}
				m := accept(t, within(home, `"other":1`))
				require.Nil(t, m.Fact(tt.fact))
			}
		})
	}
}

// TestFactsOfTheMessage: those of the envelope and of an error are raw too.
func TestFactsOfTheMessage(t *testing.T) {
	m := accept(t, `{"jsonrpc" : "2\u002e0","\u0069d": 1.0,"method":"a\/b","params": null}`)
	require.Equal(t, map[string]string{
		"jsonrpc": `"2\u002e0"`, "id": "1.0", "method": `"a\/b"`, "params": "null",
	}, shot(m).Facts)

	m = accept(t, `{"jsonrpc":"2.0","error":{"data":null,"m\u0065ssage":"\n","code":-1.0,"x":1},"id":null}`)
	require.Equal(t, map[string]string{
		"jsonrpc": `"2.0"`, "id": "null", "error": `{"data":null,"m\u0065ssage":"\n","code":-1.0,"x":1}`,
		"error.code": "-1.0", "error.message": `"\n"`, "error.data": "null",
	}, shot(m).Facts)

	m = accept(t, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	require.Equal(t, map[string]string{"jsonrpc": `"2.0"`, "id": "1", "result": "{}"}, shot(m).Facts)
}

// TestFactsTogether has every fact of a call at once, in both directions of
// the list, so that no name shadows another.
func TestFactsTogether(t *testing.T) {
	for _, home := range []string{"params", "params._meta", "result", "result._meta"} {
		var forward, backward []string
		want := map[codec.Fact]string{}
		for _, tt := range payloadFacts {
			if tt.object != home && (tt.object != "_meta" || !strings.HasSuffix(home, "._meta")) {
				continue
			}
			value := `"value of ` + tt.fact.String() + `"`
			want[tt.fact] = value
			forward = append(forward, `"`+tt.name+`":`+value)
			backward = append([]string{`"` + tt.name + `":` + value}, backward...)
		}
		require.NotEmpty(t, want)
		for _, list := range [][]string{forward, backward} {
			m := accept(t, within(home, strings.Join(list, ",")))
			for fact, value := range want {
				require.Equal(t, value, string(m.Fact(fact)), "%s", fact)
			}
		}
	}
}

// TestFactsOnlyInTheirObject: the same name elsewhere is another member.
func TestFactsOnlyInTheirObject(t *testing.T) {
	envelope := map[string]string{"jsonrpc": `"2.0"`, "id": "1", "method": `"m"`}
	for members, want := range map[string]string{
		`"name":1,"uri":2,"_meta":{"progressToken":3},"code":4`:     "",
		`"params":[{"name":1}],"isError":true`:                      `[{"name":1}]`,
		`"params":{"x":{"name":1,"_meta":{"traceparent":2}}}`:       `{"x":{"name":1,"_meta":{"traceparent":2}}}`,
		`"params":{"resultType":1,"isError":2,"code":3,"method":4}`: `{"resultType":1,"isError":2,"code":3,"method":4}`,
		`"params":{"traceparent":1,"io.modelcontextprotocol/x":2}`:  `{"traceparent":1,"io.modelcontextprotocol/x":2}`,
		`"x":{"params":{"name":1},"id":2},"params":{"NAME":1,"":2}`: `{"NAME":1,"":2}`,
	} {
		m := accept(t, `{"jsonrpc":"2.0","id":1,"method":"m",`+members+`}`)
		got := shot(m).Facts
		require.Equal(t, want, got["params"])
		delete(got, "params")
		require.Equal(t, envelope, got, "%s", members)
	}
	m := accept(t, `{"jsonrpc":"2.0","id":1,"result":{"name":1,"uri":2,"cursor":3,"code":4,"content":[{"isError":5,"_meta":{"baggage":6}}]}}`)
	require.Len(t, shot(m).Facts, 3)
	m = accept(t, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":{"code":2,"isError":3},"_meta":{"traceparent":4}}}`)
	require.Len(t, shot(m).Facts, 6)
}

// TestFactsOfLongNames: a name that only begins or ends like a known one, at
// any length and in any spelling, is another.
func TestFactsOfLongNames(t *testing.T) {
	for n := 1; n <= 300; n++ {
		for _, name := range []string{
			"name" + strings.Repeat("x", n), strings.Repeat("x", n) + "name",
			`n\u0061me` + strings.Repeat("x", n), strings.Repeat(`\u0061`, n) + "name", `\u006eame` + strings.Repeat(`\u0000`, n),
		} {
			m := accept(t, within("params", `"`+name+`":1,"name":2,"`+name+`":3`))
			require.Equal(t, "2", string(m.Fact(codec.FactName)))
		}
	}
}

// TestFactsOfWrongMeta: a _meta that is no object is present and holds nothing.
func TestFactsOfWrongMeta(t *testing.T) {
	for _, meta := range []string{`null`, `[{"progressToken":1}]`, `"progressToken"`, `5`, `false`} {
		m := accept(t, within("params", `"_meta":`+meta+`,"progressToken":2`))
		require.Equal(t, meta, string(m.Fact(codec.FactMeta)))
		require.Nil(t, m.Fact(codec.FactMetaProgressToken))
		require.Equal(t, "2", string(m.Fact(codec.FactProgressToken)))
	}
}

// TestFactsOfResultBesideNullParams: absent params are in nobody's way.
func TestFactsOfResultBesideNullParams(t *testing.T) {
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":1,"params":null,"result":{"isError":true,"_meta":{"baggage":"b"}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"_meta":{"baggage":"b"}},"params":null}`,
	} {
		m := accept(t, frame)
		require.Equal(t, "true", string(m.Fact(codec.FactIsError)))
		require.Equal(t, `"b"`, string(m.Fact(codec.FactBaggage)))
	}
}

func TestFactNames(t *testing.T) {
	seen := map[string]bool{}
	for f := range facts() {
		require.NotEmpty(t, f.String())
		require.False(t, seen[f.String()], "two facts are called %s", f)
		seen[f.String()] = true
	}
	require.Len(t, seen, 6+3+len(payloadFacts)-2, "_meta and protocolVersion are one fact in params and in result")
	for f := len(seen); f < 256; f++ {
		require.Nil(t, accept(t, within("params", `"name":1`)).Fact(codec.Fact(f)))
	}
}
