package typed

import (
	"github.com/wirespool/wirespool/codec"
)

// Decode stores the value of view in what v points to, in the manner of
// json.Unmarshal. view must be valid JSON, as every Value of a decoded message
// is; it is borrowed until Decode returns, and nothing that is stored aliases
// it. A *[codec.Value] gets a copy of the text. The error is an *[Error], and v
// may then be filled in part; a handler that returns it, wrapped or not, is
// answered with -32602. So is an empty view, as of arguments that are absent:
// who takes those looks at its length first. Where view did not come from the
// one who is answered, return another error.
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
