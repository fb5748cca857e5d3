package streamhttp

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// ParamHeader is one x-mcp-header annotation of a tool: the argument at Path is
// mirrored in the header Name (XH-01).
type ParamHeader struct {
	Path []string // names of members, from the arguments down
	Name string   // the whole header name, in the canonical form of net/http
	Type string   // "string", "integer" or "boolean"
}

// ParamHeaders reads the annotations of a tool's inputSchema. An error names the
// rule that one of them breaks, and the tool is then not to be used over HTTP
// (XH-02 to XH-05). schema is borrowed; what is returned is copied.
func ParamHeaders(schema codec.Value) ([]ParamHeader, error) {
	w := annotations{names: map[string]bool{}}
	w.walk(schema, nil, true)
	return w.found, w.err
}

// annotations collects what a walk over a schema finds.
type annotations struct {
	found []ParamHeader
	names map[string]bool // in lower case
	err   error
}

const annotation = "x-mcp-header"

// subschemas are the keywords under which a schema holds others; every other
// member, apart from properties, is data.
var subschemas = map[string]bool{
	"items": true, "prefixItems": true, "additionalItems": true, "unevaluatedItems": true, "contains": true,
	"additionalProperties": true, "unevaluatedProperties": true, "propertyNames": true, "contentSchema": true,
	"oneOf": true, "anyOf": true, "allOf": true, "not": true, "if": true, "then": true, "else": true,
	"extends": true, "disallow": true,
}

// schemaMaps are the keywords under which a schema holds others by name.
var schemaMaps = map[string]bool{
	"$defs": true, "definitions": true, "patternProperties": true, "dependentSchemas": true, "dependencies": true,
}

// walk visits a schema. A path is reachable while it leads through properties
// alone; nil is the root.
func (w *annotations) walk(schema codec.Value, path []string, reachable bool) {
	if schema.Kind() == codec.Array { // the elements of oneOf and its like
		for s := range schema.Elements() {
			w.walk(s, path, false)
		}
		return
	}
	for name, value := range schema.Members() {
		if w.err != nil {
			return
		}
		key, _ := name.Text()
		switch k := string(key); {
		case k == annotation:
			w.annotated(schema, value, path, reachable)
		case k == "properties":
			for prop, s := range value.Members() {
				text, _ := prop.Text()
				w.walk(s, append(path[:len(path):len(path)], string(text)), reachable)
			}
		case subschemas[k]:
			w.walk(value, path, false)
		case schemaMaps[k]:
			for _, s := range value.Members() {
				w.walk(s, path, false)
			}
		}
	}
}

// annotated takes one annotation.
func (w *annotations) annotated(schema, value codec.Value, path []string, reachable bool) {
	if !reachable || len(path) == 0 {
		w.failf("%s at %q cannot be reached through properties alone", annotation, strings.Join(path, "."))
		return
	}
	text, ok := value.Text()
	name := string(text)
	if !ok || !httpguts.ValidHeaderFieldName(name) {
		w.failf("%s %s is no header name", annotation, value)
		return
	}
	if lower := strings.ToLower(name); w.names[lower] {
		w.failf("%s %q occurs twice", annotation, name)
		return
	} else {
		w.names[lower] = true
	}
	kind, err := codec.Find(schema, "type")
	if err != nil {
		w.failf("%s %q: %w", annotation, name, err)
		return
	}
	typ, _ := kind.Text()
	switch string(typ) {
	case "string", "integer", "boolean":
		w.found = append(w.found, ParamHeader{path, http.CanonicalHeaderKey(protocol.HeaderParamPrefix + name), string(typ)})
	default:
		w.failf("%s %q is at a property that is no string, integer or boolean", annotation, name)
	}
}

func (w *annotations) failf(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// maxSafeInteger is the largest integer that every JSON reader keeps (XH-07).
const maxSafeInteger = 1<<53 - 1

// Value returns what the header of p has to say for these arguments, encoded
// for the wire; ok is false where there is nothing to mirror (XH-06).
func (p *ParamHeader) Value(arguments codec.Value) (field string, ok bool, err error) {
	v, err := codec.Find(arguments, p.Path...)
	if err != nil || v == nil || v.Kind() == codec.Null {
		return "", false, err
	}
	bad := func(why string) (string, bool, error) {
		return "", false, fmt.Errorf("argument %s: %s", strings.Join(p.Path, "."), why)
	}
	switch p.Type {
	case "string":
		text, is := v.Text()
		if !is {
			return bad("is no string")
		}
		return protocol.EncodeHeaderValue(string(text)), true, nil
	case "boolean":
		if _, is := v.Bool(); !is {
			return bad("is no boolean")
		}
		return string(v), true, nil
	}
	n, is := integerOf(v)
	if !is {
		return bad("is no integer within ±(2^53-1)")
	}
	return strconv.FormatInt(n, 10), true, nil
}

// integerOf returns the value of a number that is an integer every JSON reader
// keeps, however it is written (HD-11).
func integerOf(v codec.Value) (int64, bool) {
	if n, ok := v.Int64(); ok {
		return n, -maxSafeInteger <= n && n <= maxSafeInteger
	}
	x, ok := v.Float64()
	if !ok || x < -maxSafeInteger || x > maxSafeInteger || x != float64(int64(x)) {
		return 0, false
	}
	return int64(x), true
}
