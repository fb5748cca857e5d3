package codec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// The tests of this file are named after mistakes that others made in public,
// with the bytes they met. Letters and numbers are those of the project's list.

// Names that only fold to a known one are other members: kept, never applied.
func TestA1CaseFoldedKeys(t *testing.T) {
	m := accept(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","Name":"delete_all","arguments":{}}}`)
	require.Equal(t, `"echo"`, string(m.Fact(codec.FactName)))
	require.Equal(t, `{"name":"echo","Name":"delete_all","arguments":{}}`, string(m.Params))

	m = accept(t, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"param\u017f\":{\"name\":\"x\"}}")
	require.Nil(t, m.Params)
	require.Nil(t, m.Fact(codec.FactName))

	m = accept(t, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"ta\u017fkId\":1,\"tas\u212aId\":2,\"reque\u017ftId\":3,\"\u017fKId\":4}}")
	require.Nil(t, m.Fact(codec.FactTaskID))
	require.Nil(t, m.Fact(codec.FactRequestID))

	for object, names := range uniqueNames {
		for _, name := range names {
			folded := []string{strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:], name + " ", " " + name, name + `\u0000`}
			if strings.ContainsAny(name, "sk") {
				folded = append(folded, strings.NewReplacer("s", "\u017f", "k", "\u212a").Replace(name))
			}
			for _, other := range folded {
				if other == name {
					continue // _meta begins with no letter
				}
				// Thrice beside the real one: unknown names are the application's.
				with := accept(t, within(object, `"`+other+`":1,"`+other+`":{},"`+other+`":"x"`))
				require.Equal(t, shot(accept(t, within(object, `"zzz":1`))).Kind, with.Kind)
				for f := range facts() {
					require.NotEqual(t, `"x"`, string(with.Fact(f)), "%s for %s", other, f)
				}
			}
		}
	}
}

// Two readers of one message must not see two messages.
func TestA2DuplicateKeys(t *testing.T) {
	for _, marked := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping",▲"method":"tools/call","params":{"name":"rm"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping",▲"meth\u006fd":"tools/call","params":{"name":"rm"}}`,
		`{"jsonrpc":"2.0","id":1,"meth\u006fd":"ping",▲"method":"tools/call","params":{"name":"rm"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",▲"name":"rm"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},▲"n\u0061me":"rm"}}`,
	} {
		m, err := refuse(t, invalidRequest, marked)
		require.Contains(t, err.Reason, "duplicate")
		require.Equal(t, codec.ID("1"), m.ID)
	}
	m, _ := refuse(t, invalidRequest, `{"jsonrpc":"2.0","id":1,▲"id":2,"method":"ping"}`)
	require.Nil(t, m.ID)
}

// Payloads pass through byte for byte, numbers above all.
func TestA3NumbersKeepTheirText(t *testing.T) {
	m := accept(t, `{"jsonrpc":"2.0","id":7,"result":{"content":[],"structuredContent":{"order":1915883588174806058}}}`)
	require.Equal(t, `{"content":[],"structuredContent":{"order":1915883588174806058}}`, string(m.Result))
	for _, number := range []string{"0.1", "1e400", "-0", "1.0", "1E+2", "1915883588174806058", "-1e-400"} {
		frame := `{"jsonrpc":"2.0","id":7,"result":` + number + `}`
		m := accept(t, frame)
		require.Equal(t, number, string(m.Result))
		text, err := m.AppendText(nil)
		require.NoError(t, err)
		require.Equal(t, frame, string(text))
	}
}

// A bad byte costs its own frame, nothing else.
func TestA4InvalidUTF8(t *testing.T) {
	d, m := codec.NewDecoder(nil), new(codec.Message)
	err := d.Decode([]byte("\xff\xfe"), m)
	require.EqualError(t, err, "Parse error at byte 0: unexpected byte where a value must begin")
	require.NoError(t, d.Decode([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), m))
	require.Equal(t, codec.Request, m.Kind)
}

// Half a surrogate pair is kept as it is spelt, and never becomes U+FFFD in
// what is forwarded.
func TestA6LoneSurrogates(t *testing.T) {
	for _, text := range []string{`\ud83d`, `\udcaf`, `\ude00\ud83d`, `x\uD83Dx`, `\ud83d\u0041`} {
		frame := `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"note","arguments":{"t":"` + text + `","` + text + `":1}}}`
		m := accept(t, frame)
		require.Equal(t, `{"t":"`+text+`","`+text+`":1}`, string(m.Fact(codec.FactArguments)))
		out, err := m.AppendText(nil)
		require.NoError(t, err)
		require.Equal(t, frame, string(out))

		// As a name it is nobody else's, twice too.
		accept(t, `{"jsonrpc":"2.0","id":4,"method":"m","`+text+`":1,"`+text+`":2,"params":{"`+text+`":1,"`+text+`":2,"n\ud83dame":3}}`)
		// An id could not be compared, a method neither routed nor written again.
		refuse(t, invalidRequest, `{"jsonrpc":"2.0","id":▲"`+text+`","method":"m"}`)
		refuse(t, invalidRequest, `{"jsonrpc":"2.0","id":4,"method":▲"`+text+`"}`)
		refuse(t, invalidRequest, `{"jsonrpc":▲"`+text+`","id":4,"method":"m"}`)
		m = accept(t, `{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"`+text+`"}}`)
		require.Equal(t, `"`+text+`"`, string(m.Fact(codec.FactErrorMessage)))
	}
}

// Deep brackets cost their frame; limits_test.go has the exact bounds.
func TestA8DeepNesting(t *testing.T) {
	const n = 100_000
	for _, member := range []string{`"x":`, `"params":`} {
		open := `{"jsonrpc":"2.0","id":1,"method":"ping",` + member
		for _, tail := range []string{"", "0" + strings.Repeat("]", n) + "}"} {
			m, err := decode(t, open+strings.Repeat("[", n)+tail)
			require.NotNil(t, err)
			require.EqualValues(t, parseError, err.Code)
			require.Equal(t, len(open)+511, err.Offset)
			require.Contains(t, err.Reason, "limit of 512")
			require.Nil(t, m.ID)
		}
	}
}

// Null params count as absent; any other scalar is refused with the id.
func TestA10NullParams(t *testing.T) {
	m := accept(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":null}`)
	require.Equal(t, codec.Request, m.Kind)
	require.Nil(t, m.Params)
	require.Equal(t, codec.ID("2"), m.ID)
	text, err := m.AppendText(nil)
	require.NoError(t, err)
	require.Equal(t, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, string(text), "our encoder leaves empty params out")

	for _, params := range []string{`"x"`, `0`, `-1.5`, `true`, `false`, `""`} {
		m, _ := refuse(t, invalidRequest, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":▲`+params+`}`)
		require.Equal(t, codec.ID("2"), m.ID)
	}
}

// Falsy tokens are tokens.
func TestA11MetaWithFalsyToken(t *testing.T) {
	for token, kind := range map[string]codec.ValueKind{"0": codec.Number, `""`: codec.String, "null": codec.Null, "false": codec.Bool} {
		m := accept(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":`+token+`}}}`)
		require.Equal(t, token, string(m.Fact(codec.FactMetaProgressToken)))
		require.Equal(t, kind, m.Fact(codec.FactMetaProgressToken).Kind())
	}
	m := accept(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}}`)
	require.Nil(t, m.Fact(codec.FactMetaProgressToken))
	require.Equal(t, codec.Absent, m.Fact(codec.FactMetaProgressToken).Kind())
}

// Null and absent are two values for the application.
func TestA12NullArguments(t *testing.T) {
	m := accept(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":{"q":"x","after":null}}}`)
	require.Equal(t, `{"q":"x","after":null}`, string(m.Fact(codec.FactArguments)))
	m = accept(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":null}}`)
	require.Equal(t, "null", string(m.Fact(codec.FactArguments)))
	m = accept(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}`)
	require.Nil(t, m.Fact(codec.FactArguments))
}

// answer is what a server writes to a request.
func answer(t *testing.T, request string) string {
	t.Helper()
	return string(codec.AppendResponse(nil, accept(t, request).ID, []byte("{}")))
}

func TestB1StringIDStaysAString(t *testing.T) {
	require.Equal(t, `{"jsonrpc":"2.0","id":"1","result":{}}`, answer(t, `{"jsonrpc":"2.0","id":"1","method":"initialize"}`))
}

func TestB2NumberIDStaysANumber(t *testing.T) {
	require.Equal(t, `{"jsonrpc":"2.0","id":0,"result":{}}`, answer(t, `{"jsonrpc":"2.0","id":0,"method":"m"}`))
	require.False(t, codec.ID("0").Equal(codec.ID(`"0"`)))
}

func TestB3PendingTableKeepsTypesApart(t *testing.T) {
	pending := map[codec.IDKey]string{}
	for _, request := range []string{`{"jsonrpc":"2.0","id":42,"method":"a"}`, `{"jsonrpc":"2.0","id":"42","method":"b"}`} {
		m := accept(t, request)
		pending[m.ID.Key()] = string(m.Method)
	}
	require.Len(t, pending, 2)
	require.Equal(t, "b", pending[accept(t, `{"jsonrpc":"2.0","id":"42","result":{}}`).ID.Key()])
	require.Equal(t, "a", pending[accept(t, `{"jsonrpc":"2.0","id":42,"result":{}}`).ID.Key()])
}

func TestB4IDsAreOpaque(t *testing.T) {
	for _, id := range []string{`"6f1c-init"`, `""`, `"0x10"`, `"\u0031"`} {
		require.Equal(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, answer(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"m"}`))
	}
	require.True(t, codec.ID(`"\u0031"`).Equal(codec.ID(`"1"`)))
	require.False(t, codec.ID(`"0x10"`).Equal(codec.ID("16")))
	require.False(t, codec.ID(`""`).Equal(codec.ID("0")))
}

func TestB6BigIDs(t *testing.T) {
	seen := map[codec.IDKey]bool{}
	for _, id := range []string{`9007199254740993`, `9007199254740992`, `9223372036854775808`, `9223372036854775807`, `-7`, `18446744073709551616`, `18446744073709551615`} {
		require.Equal(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, answer(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"m"}`))
		seen[codec.ID(id).Key()] = true
	}
	require.Len(t, seen, 7)
}

func TestB7FractionalIDs(t *testing.T) {
	refuse(t, invalidRequest, `{"jsonrpc":"2.0","id":▲1.5,"method":"m"}`)
	for _, id := range []string{`1.0`, `1e0`} {
		require.Equal(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, answer(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"m"}`))
	}
	require.Equal(t, "1", codec.IntID(1).String(), "never a float for an integer id of our own")
}

func TestB8NullIDIsNoNotification(t *testing.T) {
	m, _ := refuse(t, invalidRequest, `{"jsonrpc":"2.0","id":▲null,"method":"tools/list"}`)
	require.Nil(t, m.ID)
	require.Equal(t, "tools/list", string(m.Method))
}

func TestB9ErrorWithNullID(t *testing.T) {
	m := accept(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
	require.Equal(t, codec.ErrorResponse, m.Kind)
	require.Nil(t, m.ID)
	require.Equal(t, &codec.Error{Code: -32700, Message: "Parse error", Remote: true}, m.WireError())
}

func TestB10ErrorWithoutID(t *testing.T) {
	m := accept(t, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"bad"}}`)
	require.Equal(t, codec.ErrorResponse, m.Kind)
	require.Nil(t, m.ID)
}

// N11: what the caller needs to fail its one call is there.
func TestN11ErrorsWithoutIDCarryTheirError(t *testing.T) {
	for _, id := range []string{"", `"id":null,`} {
		m := accept(t, `{"jsonrpc":"2.0",`+id+`"error":{"code":-32700,"message":"Parse error","data":{"at":3}}}`)
		require.Nil(t, m.ID)
		require.EqualValues(t, -32700, m.WireError().Code)
		require.Equal(t, `{"at":3}`, string(m.WireError().Data))
	}
}

// The kind alone decides whether there is anything to answer, not the name.
func TestB12B13B14IDDecides(t *testing.T) {
	for frame, want := range map[string]codec.Kind{
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`:                       codec.Notification,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"write","arguments":{}}}`:    codec.Notification,
		`{"jsonrpc":"2.0","id":3,"method":"notifications/initialized"}`:                       codec.Request,
		`{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":3,"message":"hi"}}`:   codec.Notification, // B19
		`{"jsonrpc":"2.0","id":4,"error":{"code":-32800,"message":"Request cancelled"}}`:      codec.ErrorResponse,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`: codec.Batch, // B15
	} {
		require.Equal(t, want, accept(t, frame).Kind, "%s", frame)
	}
}

func TestB16BatchShapes(t *testing.T) {
	refuse(t, invalidRequest, `▲[]`)
	require.Equal(t, []string{"notification"}, verdicts(t, `[{"jsonrpc":"2.0","method":"n"}]`))
	require.Equal(t, []string{"request 1"}, verdicts(t, `[{"jsonrpc":"2.0","id":1,"method":"m"}]`))
	require.Equal(t, []string{"-32600", "request 5"}, verdicts(t, `[1,{"jsonrpc":"2.0","id":5,"method":"ping"}]`))
	refuse(t, invalidRequest, `[{"jsonrpc":"2.0","id":1,"method":"m"},▲{"jsonrpc":"2.0","id":1,"result":{}}]`)
}

func TestB18ScalarParamsKeepTheID(t *testing.T) {
	m, _ := refuse(t, invalidRequest, `{"jsonrpc":"2.0","id":7,"method":"initialize","params":▲"x"}`)
	require.Equal(t, codec.ID("7"), m.ID)
}

func TestN12CodeZero(t *testing.T) {
	const frame = `{"jsonrpc":"2.0","id":5,"error":{"code":0,"message":"boom"}}`
	m := accept(t, frame)
	require.Equal(t, codec.LayerApplication, codec.LayerOf(m.WireError().Code))
	text, err := m.AppendText(nil)
	require.NoError(t, err)
	require.Equal(t, frame, string(text))
}

func TestN14UnknownTopLevelMember(t *testing.T) {
	m := accept(t, `{"jsonrpc":"2.0","id":4,"method":"ping","params":{},"extraTop":true}`)
	text, err := m.AppendText(nil)
	require.NoError(t, err)
	require.Equal(t, `{"jsonrpc":"2.0","id":4,"method":"ping","params":{}}`, string(text))
}

func TestN15NoSilence(t *testing.T) {
	m := accept(t, `{"jsonrpc":"2.0","id":7,"result":"nope"}`)
	require.Equal(t, codec.Response, m.Kind)
	require.Equal(t, codec.String, m.Result.Kind(), "what a result may be is decided above the codec")
	m, _ = refuse(t, invalidRequest, `{"jsonrpc":▲"1.0","id":5,"method":"ping"}`)
	require.Equal(t, codec.ID("5"), m.ID)
}
