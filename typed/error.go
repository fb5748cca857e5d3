package typed

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/wirespool/wirespool/codec"
)

// codeInvalidParams is JSON-RPC's code for params that a method does not take.
const codeInvalidParams = -32602

// Error says which value of a payload is not what the Go type takes, in words
// that may go to the peer.
type Error struct {
	Path string // to the value, such as arguments.items[2].text; empty for the payload itself
	Want string // the JSON type it should have, such as "string"; empty where that has no name
	Got  string // the JSON type it has; "nothing" where there was none

	cause    error
	ofResult bool // it is the peer's answer to us that is wrong
}

// Error returns the path and what is wrong.
func (e *Error) Error() string { return "typed: " + e.text() }

// Unwrap returns the error of the JSON library, which names Go types and quotes
// the payload: for logs, not for peers.
func (e *Error) Unwrap() error { return e.cause }

// As makes e a *[codec.Error] where errors.As asks for one: -32602 with the path
// and what is wrong. So a handler may return what [Decode] did, wrapped or not. A
// *codec.Error in the tree of e, from an UnmarshalJSON, is preferred, and an error of
// [Call] is none: there it was the peer who sent what is wrong.
func (e *Error) As(target any) bool {
	wire, ok := target.(**codec.Error)
	if !ok || e.ofResult {
		return false
	}
	if _, chosen := errors.AsType[*codec.Error](e.cause); chosen {
		return false // As goes on with the cause
	}
	*wire = &codec.Error{Code: codeInvalidParams, Message: "Invalid params: " + e.text()}
	return true
}

func (e *Error) text() string {
	text := "want " + e.Want + ", got " + e.Got
	if e.Want == "" {
		text = e.Got + " was not accepted"
	}
	if e.Path == "" {
		return text
	}
	return e.Path + ": " + text
}

// The search for the offending value decodes the siblings on each level again,
// so a peer could make it cost many times what the decoding did.
const (
	maxExplainDepth = 16
	maxExplainBytes = 1 << 20
	maxPathBytes    = 128
)

// explain finds the innermost value that the library refuses. Asking the library
// about each part, instead of reading its errors, makes all libraries say the
// same, and some point at the wrong byte or at none.
func explain(view codec.Value, v any, cause error) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return cause // a mistake of the caller, not of the payload
	}
	e := &Error{cause: cause}
	at, t := view, target.Type().Elem()
	for len(view) <= maxExplainBytes {
		t = indirect(t)
		step, inner, innerType := refusedPart(at, t)
		if inner == nil || strings.Count(e.Path, ".")+strings.Count(e.Path, "[") >= maxExplainDepth {
			break
		}
		at, t, e.Path = inner, innerType, e.Path+step
	}
	e.Path = strings.TrimPrefix(e.Path, ".")
	if len(e.Path) > maxPathBytes {
		e.Path = strings.ToValidUTF8(e.Path[:maxPathBytes], "") + "…"
	}
	e.Want, e.Got = typeName(t), at.Kind().String()
	if len(at) == 0 {
		e.Got = "nothing"
	}
	if e.Want == e.Got { // the right type, and yet something about it is wrong
		e.Want = ""
	}
	return e
}

func indirect(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer && !decodesItself(t) {
		t = t.Elem()
	}
	return t
}

// refusedPart returns the first member or element that its type refuses, and
// how to write the step to it; a nil view when there is none.
func refusedPart(v codec.Value, t reflect.Type) (step string, part codec.Value, partType reflect.Type) {
	switch {
	case decodesItself(t):
	case t.Kind() == reflect.Struct:
		for name, value := range v.Members() {
			text, _ := name.Text()
			if ft := fieldType(t, string(text)); ft != nil && refused(value, ft) {
				return "." + string(text), value, ft
			}
		}
	case t.Kind() == reflect.Map:
		for name, value := range v.Members() {
			if refused(value, t.Elem()) {
				text, _ := name.Text()
				return "." + string(text), value, t.Elem()
			}
		}
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		i := 0
		for value := range v.Elements() {
			if refused(value, t.Elem()) {
				return "[" + strconv.Itoa(i) + "]", value, t.Elem()
			}
			i++
		}
	}
	return "", nil, nil
}

func refused(v codec.Value, t reflect.Type) bool {
	return unmarshal(v, reflect.New(t).Interface()) != nil
}

// fieldType returns the type of the field that a member sets, nil for none and
// for one whose tag changes how it is read.
func fieldType(t reflect.Type, name string) reflect.Type {
	for _, f := range reflect.VisibleFields(t) {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "" {
			tag = f.Name
		}
		if tag == name && f.IsExported() && options != "string" {
			return f.Type
		}
	}
	return nil
}

type (
	jsonUnmarshaler interface{ UnmarshalJSON([]byte) error }
	textUnmarshaler interface{ UnmarshalText([]byte) error }
)

// decodesItself reports whether the type has a method that reads its JSON.
func decodesItself(t reflect.Type) bool {
	return implements[jsonUnmarshaler](t) || implements[textUnmarshaler](t)
}

func implements[I any](t reflect.Type) bool {
	i := reflect.TypeFor[I]()
	return t.Implements(i) || reflect.PointerTo(t).Implements(i)
}

// typeName is what JSON calls the values that a type takes, empty if that
// cannot be said.
func typeName(t reflect.Type) string {
	if decodesItself(t) {
		return ""
	}
	switch t.Kind() {
	case reflect.Bool:
		return codec.Bool.String()
	case reflect.String:
		if t == reflect.TypeFor[json.Number]() {
			return codec.Number.String()
		}
		return codec.String.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "integer of " + strconv.Itoa(t.Bits()) + " bits"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "non-negative integer of " + strconv.Itoa(t.Bits()) + " bits"
	case reflect.Float32, reflect.Float64:
		return codec.Number.String()
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "string in base64"
		}
		return codec.Array.String()
	case reflect.Array:
		return codec.Array.String()
	case reflect.Map, reflect.Struct:
		return codec.Object.String()
	}
	return ""
}
