package codec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// refusals are single objects that are valid JSON and no message. The mark
// shows where; id is what an answer may carry (CO-22).
var refusals = []struct{ name, marked, reason, id string }{
	{"CO-01 no version", `▲{"id":1,"method":"m"}`, "jsonrpc is missing", "1"},
	{"CO-01 version 1.0", `{"jsonrpc":▲"1.0","id":1,"method":"m"}`, `"2.0"`, "1"},
	{"CO-01 version as a number", `{"jsonrpc":▲2.0,"id":1,"method":"m"}`, `"2.0"`, "1"},
	{"CO-01 null version", `{"id":"x","method":"m","jsonrpc":▲null}`, `"2.0"`, `"x"`},
	{"CO-01 version with a space", `{"jsonrpc":▲"2.0 ","id":1,"method":"m"}`, `"2.0"`, "1"},
	{"CO-01 an empty object", `▲{}`, "jsonrpc is missing", ""},
	{"CO-03 nothing but a version", `▲{"jsonrpc":"2.0"}`, "no method, result or error", ""},
	{"CO-03 nothing but an id", `▲{"jsonrpc":"2.0","id":7}`, "no method, result or error", "7"},
	{"CO-03 params without method", `▲{"jsonrpc":"2.0","id":7,"params":{}}`, "no method, result or error", "7"},
	{"CO-03 method and result", `{"jsonrpc":"2.0","id":7,"method":▲"m","result":{}}`, "not both", "7"},
	{"CO-03 method and error", `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""},"method":▲"m"}`, "not both", "7"},
	{"CO-03 a result without id", `▲{"jsonrpc":"2.0","result":{}}`, "needs the id", ""},
	{"CO-03 a result with a null id", `{"jsonrpc":"2.0","id":▲null,"result":{}}`, "must not be null", ""},
	{"method is a number", `{"jsonrpc":"2.0","id":7,"method":▲1}`, "method must be a string", "7"},
	{"method is null", `{"jsonrpc":"2.0","method":▲null,"id":7}`, "method must be a string", "7"},
	{"method is an object", `{"jsonrpc":"2.0","method":▲{"a":1},"id":7}`, "method must be a string", "7"},
	{"method is half a surrogate pair", `{"jsonrpc":"2.0","method":▲"a\ud83d","id":7}`, "surrogate", "7"},
	{"CO-04 boolean id", `{"jsonrpc":"2.0","id":▲true,"method":"m"}`, "string or an integer", ""},
	{"CO-04 object id", `{"jsonrpc":"2.0","id":▲{"a":1},"method":"m"}`, "string or an integer", ""},
	{"CO-04 array id", `{"jsonrpc":"2.0","id":▲[1],"method":"m"}`, "string or an integer", ""},
	{"CO-04 boolean id in an answer", `{"jsonrpc":"2.0","id":▲false,"result":{}}`, "string or an integer", ""},
	{"CO-05 null id with a method", `{"jsonrpc":"2.0","id":▲null,"method":"m"}`, "must not be null", ""},
	{"CO-06 fraction", `{"jsonrpc":"2.0","id":▲1.5,"method":"m"}`, "fraction", ""},
	{"CO-06 fraction in an error answer", `{"jsonrpc":"2.0","id":▲0.1,"error":{"code":1,"message":""}}`, "fraction", ""},
	{"an id of half a surrogate pair", `{"jsonrpc":"2.0","id":▲"a\udcaf","method":"m"}`, "surrogate", ""},
	{"CO-13 result and error", `{"jsonrpc":"2.0","id":7,"result":{},"error":▲{"code":1,"message":""}}`, "not both", "7"},
	{"CO-13 result null and error", `{"jsonrpc":"2.0","id":7,"error":▲{"code":1,"message":""},"result":null}`, "not both", "7"},
	{"CO-13 result and error null", `{"jsonrpc":"2.0","id":7,"result":{},"error":▲null}`, "error must be an object", "7"},
	{"CO-15 error is a string", `{"jsonrpc":"2.0","id":7,"error":▲"no"}`, "error must be an object", "7"},
	{"CO-15 error is an array", `{"jsonrpc":"2.0","error":▲[],"id":7}`, "error must be an object", "7"},
	{"CO-15 no code", `{"jsonrpc":"2.0","id":7,"error":▲{"message":"no"}}`, "error.code", "7"},
	{"CO-15 no message", `{"jsonrpc":"2.0","id":7,"error":▲{"code":1}}`, "error.message", "7"},
	{"CO-15 code is a string", `{"jsonrpc":"2.0","id":7,"error":{"code":▲"1","message":""}}`, "error.code", "7"},
	{"CO-15 code is null", `{"jsonrpc":"2.0","id":7,"error":{"code":▲null,"message":""}}`, "error.code", "7"},
	{"CO-15 code is a fraction", `{"jsonrpc":"2.0","id":7,"error":{"code":▲-32600.5,"message":""}}`, "error.code", "7"},
	{"CO-15 code beyond int64", `{"jsonrpc":"2.0","id":7,"error":{"code":▲9223372036854775808,"message":""}}`, "error.code", "7"},
	{"CO-15 code is an object", `{"jsonrpc":"2.0","id":7,"error":{"code":▲{"a":1},"message":""}}`, "error.code", "7"},
	{"CO-15 message is null", `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":▲null}}`, "error.message", "7"},
	{"CO-15 message is an object", `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":▲{}}}`, "error.message", "7"},
	{"CO-17 params is a string", `{"jsonrpc":"2.0","id":7,"method":"m","params":▲"x"}`, "object or an array", "7"},
	{"CO-17 params is a number", `{"jsonrpc":"2.0","params":▲0,"id":7,"method":"m"}`, "object or an array", "7"},
	{"CO-17 params is false", `{"jsonrpc":"2.0","method":"m","params":▲false}`, "object or an array", ""},
	{"params in an answer", `{"jsonrpc":"2.0","id":7,"result":{},"params":▲{}}`, "no params", "7"},
	{"params in an error answer", `{"jsonrpc":"2.0","params":▲[],"id":7,"error":{"code":1,"message":""}}`, "no params", "7"},
}

func TestRefusals(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			m, err := refuse(t, invalidRequest, tt.marked)
			require.Contains(t, err.Reason, tt.reason)
			require.Equal(t, tt.id, m.ID.String())
			require.Equal(t, tt.id == "", m.ID == nil)

			// The same as an element, which does not touch its neighbours.
			frame, at := unmark(t, tt.marked)
			before := `[{"foo":"boo"},`
			batch := accept(t, before+frame+`,1]`)
			el, err := element(t, batch, 1)
			require.NotNil(t, err)
			require.EqualValues(t, invalidRequest, err.Code)
			require.Equal(t, len(before)+at, err.Offset)
			require.Contains(t, err.Reason, tt.reason)
			require.Equal(t, tt.id, el.ID.String())
		})
	}
}

// TestRefusedMessageKeepsItsParts lets a caller tell a broken call from a
// broken answer, and answer it (CO-22), wherever the fault stands.
func TestRefusedMessageKeepsItsParts(t *testing.T) {
	m, _ := refuse(t, invalidRequest, `{"jsonrpc":▲"1.0","params":{"name":"n"},"method":"tools/call","id":"late"}`)
	require.Equal(t, codec.ID(`"late"`), m.ID)
	require.Equal(t, "tools/call", string(m.Method))
	require.Equal(t, `{"name":"n"}`, string(m.Params))
	require.Equal(t, `"n"`, string(m.Fact(codec.FactName)))

	m, _ = refuse(t, invalidRequest, `{"jsonrpc":▲2,"id":3,"result":{"isError":true}}`)
	require.Equal(t, codec.ID("3"), m.ID)
	require.Nil(t, m.Method)
	require.Equal(t, `{"isError":true}`, string(m.Result))

	m, _ = refuse(t, invalidRequest, `{"jsonrpc":"2.0","id":3,"error":▲{"code":1}}`)
	require.Equal(t, `{"code":1}`, string(m.Error))
	require.Nil(t, m.WireError(), "only a valid error answer has one")
}

// TestFirstReasonStays: the byte that is named is that of the first fault.
func TestFirstReasonStays(t *testing.T) {
	_, err := refuse(t, invalidRequest, `{"jsonrpc":▲"1","method":2,"params":3,"id":true}`)
	require.Contains(t, err.Reason, "2.0")
	_, err = refuse(t, invalidRequest, `{"params":▲3,"jsonrpc":"1"}`)
	require.Contains(t, err.Reason, "params")
}

// TestBadJSONOutranksBadMessage: a refused message is still checked to its end,
// and then nothing of it is believed, its id included.
func TestBadJSONOutranksBadMessage(t *testing.T) {
	for _, tt := range refusals {
		frame, _ := unmark(t, tt.marked)
		refuse(t, parseError, frame+mark+`}`)
		refuse(t, parseError, frame[:len(frame)-1]+mark)
		refuse(t, parseError, `[`+frame+`,{"x":`+mark+`}]`)
	}
}

func TestScalarsAreNoMessages(t *testing.T) {
	for _, frame := range []string{`▲null`, ` ▲true`, "\n▲false ", `▲0`, `▲-1.5e+7`, `▲""`, `▲"{\"jsonrpc\":\"2.0\"}"`, "\xef\xbb\xbf▲1"} {
		m, err := refuse(t, invalidRequest, frame)
		require.Contains(t, err.Reason, "object")
		require.Equal(t, snapshot{}, shot(m))
	}
}

func TestDecodeErrorText(t *testing.T) {
	_, err := refuse(t, parseError, `{"jsonrpc":"2.0","id":1,"method":"m",▲}`)
	require.True(t, strings.HasPrefix(err.Error(), "Parse error at byte 37: "), err.Error())
	require.Equal(t, &codec.Error{Code: parseError, Message: err.Error()}, err.Wire())

	_, err = refuse(t, invalidRequest, `{"jsonrpc":"2.0","id":▲null,"method":"m"}`)
	require.True(t, strings.HasPrefix(err.Error(), "Invalid Request at byte 22: "), err.Error())
	require.Equal(t, &codec.Error{Code: invalidRequest, Message: err.Error()}, err.Wire())
	require.False(t, err.Wire().Remote, "CO-28: made here, not by a peer")
}
