package codec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// followed wants what is wrong behind a name to be the same as behind another of
// its length.
func followed(t *testing.T, home, name string) {
	t.Helper()
	neutral := strings.Repeat("z", len(name))
	for _, behind := range []string{
		`"`, `"x1`, `":x`, `" x`, `";1`, `"x`, `":`, `":,`, `:1`, `x":1`, `"":1`, `\`, `\":1`, "\x00", "\xff", "\xc3",
	} {
		_, err := decode(t, within(home, `"`+name+behind))
		_, want := decode(t, within(home, `"`+neutral+behind))
		if want == nil || want.Code == parseError {
			require.Equal(t, want, err, "%s%s in %s", name, behind, home)
		}
	}
}

// TestNearNames changes each byte of each name, and drops and adds one at its
// end: none of that is the fact, and what follows the name is as wrong as it is
// behind any other name of the same length.
func TestNearNames(t *testing.T) {
	check := func(fact codec.Fact, home, name string) {
		near := []string{name[:len(name)-1], name + "s", name + "\x7f", strings.ToUpper(name), " " + name}
		for i := range len(name) {
			for _, c := range []string{"!", "z", "\x7f"} {
				near = append(near, name[:i]+c+name[i+1:])
			}
		}
		for _, other := range near {
			m := accept(t, within(home, `"`+other+`":[7]`))
			require.NotEqual(t, "[7]", string(m.Fact(fact)), "%q in %s", other, home)
		}
		followed(t, home, name)
	}
	for _, tt := range payloadFacts {
		for _, home := range homes(tt.object) {
			check(tt.fact, home, tt.name)
		}
	}
	check(codec.FactErrorData, "error", "data")
	followed(t, "error", "code")
	followed(t, "error", "message")
	for _, name := range []string{"cod", "codes", "codE", "zode", "messag", "messages", "messagE", "zessage"} {
		_, err := decode(t, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","`+name+`":[]}}`)
		require.Nil(t, err, name)
	}
}

// TestFrequentNamesAtTheEnd ends frames and objects right behind a name and its
// value, where there is too little text to compare whole words with.
func TestFrequentNamesAtTheEnd(t *testing.T) {
	for _, tt := range payloadFacts {
		for _, value := range []string{`1`, `"a"`, `{}`, `"abcdefgh"`} {
			member := `{"` + tt.name + `":` + value + `}`
			frames := map[string][]string{
				"params": {`{"jsonrpc":"2.0","method":"m","params":` + member + `}`},
				"result": {`{"jsonrpc":"2.0","id":1,"result":` + member + `}`},
				"_meta": {
					`{"jsonrpc":"2.0","method":"m","params":{"_meta":` + member + `}}`,
					`{"jsonrpc":"2.0","id":1,"result":{"_meta":` + member + `}}`,
				},
			}[tt.object]
			for _, frame := range frames {
				m := accept(t, frame)
				require.Equal(t, value, string(m.Fact(tt.fact)), frame)
				for n := range len(frame) {
					_, err := decode(t, frame[:n])
					require.NotNil(t, err)
					if n > 0 {
						require.Equal(t, &codec.DecodeError{Code: parseError, Offset: n, Reason: "unexpected end of text"}, err, frame[:n])
					}
				}
			}
		}
	}
}

// TestMethodsNearToolsCall: the method that is compared as a whole, and others
// that begin or end like it, at the end of a frame, too.
func TestMethodsNearToolsCall(t *testing.T) {
	for _, method := range []string{
		"tools/call", "tools/cal", "tools/calls", "tools/calL", "tools/call/x", "Tools/call", "tools/list", "tools/c", "tools/ca", "ping", "sevenxx", "eight888",
	} {
		for _, tail := range []string{`}`, `,"id":1}`, `,"params":{}}`, ` }`} {
			frame := `{"jsonrpc":"2.0","method":"` + method + `"` + tail
			m := accept(t, frame)
			require.Equal(t, method, string(m.Method))
			require.Equal(t, `"`+method+`"`, string(m.Fact(codec.FactMethod)))
			_, err := decode(t, `{"jsonrpc":"2.0","method":"m","method":"`+method+`"`+tail)
			require.NotNil(t, err)
			require.Equal(t, "duplicate member method", err.Reason)
			require.Equal(t, 30, err.Offset)
		}
		_, err := decode(t, `{"jsonrpc":"2.0","method":"`+method+`"x}`)
		require.Equal(t, parseError, int(err.Code))
		require.Equal(t, 28+len(method), err.Offset)
	}
	m := accept(t, `{"jsonrpc":"2.0","method":"tools\/call"}`)
	require.Equal(t, "tools/call", string(m.Method))
}

// TestParamsBesideResult: the facts of the two share slots, so only the first
// object is walked, and what is wrong is that there are both.
func TestParamsBesideResult(t *testing.T) {
	for frame, at := range map[string]int{
		`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"progressToken":1}},"params":{"_meta":{"progressToken":2}}}`: 72,
		`{"jsonrpc":"2.0","id":1,"params":{"_meta":{"progressToken":1}},"result":{"_meta":{"progressToken":2}}}`: 33,
	} {
		_, err := decode(t, frame)
		require.Equal(t, &codec.DecodeError{Code: invalidRequest, Offset: at, Reason: "an answer has no params"}, err)
	}
}

// TestReuseAfterMore: neither a frame that is too long nor an element leaves
// anything of what the message held before.
func TestReuseAfterMore(t *testing.T) {
	d := codec.NewDecoder(&codec.Limits{MaxBytes: 100})
	m := accept(t, reuseFrames[0])
	require.Error(t, d.Decode(make([]byte, 101), m))
	require.Equal(t, snapshot{}, shot(m))

	batch := accept(t, reuseFrames[5])
	el := accept(t, reuseFrames[5])
	require.NoError(t, batch.Element(1, el))
	require.Zero(t, el.Len())
	require.Nil(t, el.Array)
}
