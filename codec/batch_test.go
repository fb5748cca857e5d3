package codec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// verdicts decodes a batch and says of each element what it is, or why not.
func verdicts(t *testing.T, frame string) []string {
	t.Helper()
	m := accept(t, frame)
	require.Equal(t, codec.Batch, m.Kind)
	require.Nil(t, m.ID)
	require.Nil(t, m.Method)
	out := make([]string, 0, m.Len())
	for i := range m.Len() {
		el, err := element(t, m, i)
		text := el.Kind.String()
		if err != nil {
			text = fmt.Sprint(err.Code)
		}
		if el.ID != nil {
			text += " " + el.ID.String()
		}
		out = append(out, text)
	}
	return out
}

func TestBatchShapes(t *testing.T) {
	for _, tt := range []struct {
		name, frame string
		want        []string
	}{
		{"one request", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{"request 1"}},
		{"2.2 case 9", `[1]`, []string{"-32600"}},
		{"2.2 case 10", `[1,2,3]`, []string{"-32600", "-32600", "-32600"}},
		{"every JSON type", `[null,true,-1.5,"a",[],{},[{"jsonrpc":"2.0","method":"m"}]]`, []string{
			"-32600", "-32600", "-32600", "-32600", "-32600", "-32600", "-32600",
		}},
		{"2.2 case 11", `[
			{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
			{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
			{"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
			{"foo": "boo"},
			{"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
			{"jsonrpc": "2.0", "method": "get_data", "id": "9"}
		]`, []string{`request "1"`, "notification", `request "2"`, "-32600", `request "5"`, `request "9"`}},
		{"2.2 case 12", `[{"jsonrpc":"2.0","method":"notify_sum","params":[1]},{"jsonrpc":"2.0","method":"notify_hello"}]`, []string{
			"notification", "notification",
		}},
		{"CO-35 answers only", `[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}},{"jsonrpc":"2.0","error":{"code":1,"message":""}}]`, []string{
			"response 2", "error 1", "error",
		}},
		{"a broken call beside good ones", `[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":5},{"jsonrpc":"2.0","id":3,"method":"c"}]`, []string{
			"request 1", "-32600 2", "request 3",
		}},
		{"a broken answer beside good ones", `[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","result":2},{"jsonrpc":"2.0","id":3,"result":3}]`, []string{
			"response 1", "-32600", "response 3",
		}},
		{"CO-22 the id of a broken element", `[{"id":"x"},{"jsonrpc":"2.0","id":null,"method":"m"},{"jsonrpc":"2.0","id":1.5,"method":"m"}]`, []string{
			`-32600 "x"`, "-32600", "-32600",
		}},
		{"an element that is call and answer at once spoils no other", `[{"jsonrpc":"2.0","id":1,"method":"a","result":{}},{"jsonrpc":"2.0","id":2,"method":"b"}]`, []string{
			"-32600 1", "request 2",
		}},
		{"the same, alone", `[{"jsonrpc":"2.0","id":1,"method":"a","error":{"code":1,"message":""}}]`, []string{"-32600 1"}},
		{"CO-33 initialize is the session's to refuse", `[{"jsonrpc":"2.0","id":1,"method":"initialize"}]`, []string{"request 1"}},
		{"two equal ids are the session's to refuse", `[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":1,"method":"b"}]`, []string{"request 1", "request 1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, verdicts(t, tt.frame))
		})
	}
}

// TestBatchRefusedAsAWhole: one error for the array, and no elements.
func TestBatchRefusedAsAWhole(t *testing.T) {
	request, note := `{"jsonrpc":"2.0","id":1,"method":"m"}`, `{"jsonrpc":"2.0","method":"m"}`
	answer, failure := `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`
	for _, tt := range []struct{ name, marked, reason string }{
		{"2.2 case 8, empty", `▲[]`, "must not be empty"},
		{"empty with space", " \n▲[ \t]\r\n", "must not be empty"},
		{"CO-35 request and answer", `[` + request + `,▲` + answer + `]`, "mix"},
		{"CO-35 answer and request", `[` + answer + `, ▲` + request + `]`, "mix"},
		{"CO-35 notification and error", `[` + note + `,` + note + `,▲` + failure + `,` + request + `]`, "mix"},
		{"CO-35 error and notification", `[1,` + failure + `,▲` + note + `]`, "mix"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := refuse(t, invalidRequest, tt.marked)
			require.Contains(t, err.Reason, tt.reason)
			require.Zero(t, m.Len())
			require.Equal(t, snapshot{}, shot(m))
		})
	}
}

// TestBatchThatIsNotJSON: a parse error anywhere is one error for all, whatever
// else would be wrong with the batch.
func TestBatchThatIsNotJSON(t *testing.T) {
	request, answer := `{"jsonrpc":"2.0","id":1,"method":"m"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`
	for name, marked := range map[string]string{
		"2.2 case 7":          "[\n  {\"jsonrpc\": \"2.0\", \"method\": \"sum\", \"params\": [1,2,4], \"id\": \"1\"},\n  {\"jsonrpc\": \"2.0\", \"method\"\n▲]",
		"comma last":          `[` + request + `,▲]`,
		"comma first":         `[▲,` + request + `]`,
		"two commas":          `[` + request + `,▲,` + request + `]`,
		"no comma":            `[` + request + `▲` + request + `]`,
		"no end":              `[` + request + mark,
		"no end, comma":       `[` + request + `,▲`,
		"no end, nothing":     `[▲`,
		"closed by a brace":   `[` + request + `▲}`,
		"text behind":         `[` + request + `]▲,`,
		"empty, text behind":  `[]▲[]`,
		"mixed, then broken":  `[` + request + `,` + answer + `,{"a":▲}]`,
		"last element broken": `[1,2,[▲}]`,
	} {
		t.Run(name, func(t *testing.T) { refuse(t, parseError, marked) })
	}
}

// TestBatchElements: an element is the message it would be alone, but for
// offsets, and its views are cut.
func TestBatchElements(t *testing.T) {
	frames := []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"n","_meta":{"progressToken":1}}}`,
		`{"jsonrpc":"2.0","method":"n","params":[]}`,
		` {"x":[{"id":1}],"jsonrpc":"2.0","id":"last","method":""} `,
	}
	for _, tt := range refusals {
		frame, _ := unmark(t, tt.marked)
		if strings.Contains(frame, `"result"`) || strings.Contains(frame, `"error"`) {
			continue // beside requests
		}
		frames = append(frames, frame)
	}
	batch := accept(t, "[ "+strings.Join(frames, " ,\t")+" ]")
	require.Equal(t, len(frames), batch.Len())
	for order := range 2 { // elements may be asked for in any order, and twice
		for i := range frames {
			if order == 1 {
				i = len(frames) - 1 - i
			}
			alone, aloneErr := decode(t, frames[i])
			el, err := element(t, batch, i)
			require.Equal(t, shot(alone), shot(el), "%s", frames[i])
			require.Equal(t, aloneErr == nil, err == nil)
			if err != nil {
				require.Equal(t, aloneErr.Reason, err.Reason)
			}
			cut(t, "params", el.Params)
			require.Zero(t, el.Len())
			require.Nil(t, el.Array)
		}
	}
}

func TestElementOutOfRange(t *testing.T) {
	m := accept(t, `[1,2]`)
	require.Panics(t, func() { _ = m.Element(2, new(codec.Message)) })
	require.Panics(t, func() { _ = m.Element(-1, new(codec.Message)) })
}
