package explain

import (
	"strings"

	"github.com/wirespool/wirespool/codec"
)

// Fact is a member of a message that is worth showing. A value that is short is shown as it stood
// on the wire; of a longer one, which is payload more than routing, only the size is told.
type Fact struct {
	Name  string // "name", "uri", "_meta.progressToken", "error.code", …
	Value codec.Value
	Size  int // in bytes; Value is nil when it is too long to be shown
	Kind  codec.ValueKind
}

// What is still shown as it is.
const (
	shortScalar    = 128
	shortContainer = 48
)

// fact returns fact f of m; its name is empty where m has none.
func fact(m *codec.Message, f codec.Fact) Fact {
	v := m.Fact(f)
	if v == nil {
		return Fact{}
	}
	one := Fact{Name: factName(f), Size: len(v), Kind: v.Kind()}
	limit := shortScalar
	switch {
	case f == codec.FactID:
		limit = codec.DefaultMaxID
	case one.Kind == codec.Object || one.Kind == codec.Array:
		limit = shortContainer
	}
	if len(v) <= limit {
		one.Value = v
	}
	return one
}

// factName is where a fact stands, without what the kind of the message already says.
func factName(f codec.Fact) string {
	name := strings.TrimPrefix(f.String(), "params.")
	return strings.TrimPrefix(name, "result.")
}

// facts returns what m has besides its envelope. Params and error are shown by their members,
// unless they have none to show.
func facts(m *codec.Message) []Fact {
	var all []Fact
	add := func(f codec.Fact) {
		if one := fact(m, f); one.Name != "" {
			all = append(all, one)
		}
	}
	if k := m.Fact(codec.FactParams).Kind(); k != codec.Object {
		add(codec.FactParams)
	}
	add(codec.FactResult)
	if k := m.Fact(codec.FactError).Kind(); k != codec.Object {
		add(codec.FactError)
	}
	for f := codec.FactMeta + 1; f <= codec.FactErrorData; f++ {
		add(f)
	}
	return all
}
