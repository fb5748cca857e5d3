package typed

import (
	"github.com/wirespool/wirespool/codec"
)

// Decode stores the value of view in what v points to, in the manner of
// json.Unmarshal. view must be valid JSON, as every Value of a decoded message
// is; it is borrowed until Decode returns, and nothing that is stored aliases
// it. A *[codec.Value] gets a copy of the text. The error is an *[Error], and v
// may then be filled in part.
func Decode(view codec.Value, v any) error {
	if raw, ok := v.(*codec.Value); ok {
		*raw = append(codec.Value(nil), view...)
		return nil
	}
	if err := unmarshal(view, v); err != nil {
		return explain(view, v, err)
	}
	return nil
}
