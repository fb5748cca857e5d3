package typed_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/typed"
)

// keeper keeps the argument of UnmarshalJSON, which encoding/json forbids.
type keeper struct{ kept []byte }

func (k *keeper) UnmarshalJSON(text []byte) error {
	k.kept = text
	return nil
}

type keptText string

func (k *keptText) UnmarshalText(text []byte) error {
	*k = keptText(text)
	return nil
}

type everything struct {
	Text   string                     `json:"text"`
	Escape string                     `json:"escape"`
	List   []string                   `json:"list"`
	Map    map[string]string          `json:"map"`
	Raw    json.RawMessage            `json:"raw"`
	Raws   map[string]json.RawMessage `json:"raws"`
	Number json.Number                `json:"number"`
	Any    any                        `json:"any"`
	Bytes  []byte                     `json:"bytes"`
	Keeper keeper                     `json:"keeper"`
	Kept   keptText                   `json:"kept"`
}

// Nothing that was decoded may change when the frame it came from is released
// and its memory used for another peer's message.
func TestNothingAliasesTheFrame(t *testing.T) {
	const text = `{"text":"some text","escape":"tab\tbed","list":["first","second"],"map":{"key":"value"},` +
		`"raw":{"a":[1,2]},"raws":{"r":"raw"},"number":1915883588174806058,` +
		`"any":{"k":["s",1915883588174806058,{"deep":0.1}]},"bytes":"aGVsbG8=","keeper":{"keep":"me"},"kept":"kept"}`
	want := everything{
		Text: "some text", Escape: "tab\tbed", List: []string{"first", "second"}, Map: map[string]string{"key": "value"},
		Raw: json.RawMessage(`{"a":[1,2]}`), Raws: map[string]json.RawMessage{"r": json.RawMessage(`"raw"`)},
		Number: "1915883588174806058",
		Any:    map[string]any{"k": []any{"s", json.Number("1915883588174806058"), map[string]any{"deep": json.Number("0.1")}}},
		Bytes:  []byte("hello"), Keeper: keeper{[]byte(`{"keep":"me"}`)}, Kept: "kept",
	}
	frame := []byte(text)
	var got everything
	var raw codec.Value
	require.NoError(t, typed.Decode(frame, &got))
	require.NoError(t, typed.Decode(frame, &raw))
	var loose map[string]any
	require.NoError(t, typed.Decode(frame, &loose))
	for i := range frame {
		frame[i] = '!'
	}
	require.Equal(t, want, got)
	require.Equal(t, text, string(raw))
	require.Contains(t, loose, "text")
	require.Equal(t, json.Number("1915883588174806058"), loose["number"])
}
