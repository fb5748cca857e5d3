// Package typed turns JSON payloads into Go values and back, for those who do
// not want to read params and write results as raw bytes.
//
// # Usage
//
// [Handler] makes a request handler of a function from a Go value to a Go
// value, [Call] does the same for the calling side, and [Decode] and [Append]
// are what both stand on. In and Out of a handler are the whole params and the
// whole result:
//
//	type echo struct {
//		Name      string `json:"name"`
//		Arguments struct {
//			Text string `json:"text"`
//		} `json:"arguments"`
//	}
//	type content struct {
//		Type string `json:"type"`
//		Text string `json:"text"`
//	}
//	type result struct {
//		Content []content `json:"content"`
//	}
//	srv.Handle("tools/call", typed.Handler(func(_ context.Context, _ *dispatch.Request, in echo) (result, error) {
//		return result{[]content{{"text", in.Arguments.Text}}}, nil
//	}))
//
// A server of several tools switches on the name, r.Fact([codec.FactName]), and
// decodes r.Fact([codec.FactArguments]) into the type of that tool, as the example of
// the package does.
//
// Struct tags are those of encoding/json. On amd64 and arm64 the work is done by
// sonic, elsewhere, and with the build tag wirespool_stdjson, by encoding/json,
// its version 2 where the toolchain has it; [Library] says which. A program that
// does not import this package links none of them on behalf of wirespool. Sonic
// compiles a type when it first meets it, which takes some milliseconds; a
// program that minds calls sonic.Pretouch at its start.
//
// # What is read and written
//
// The libraries are set up to agree. Member names match exactly, so that "Name"
// never sets what is called "name", and a field Text without a tag is read from
// "Text" and written as that, never "text". A number in an any becomes a [json.Number],
// with its text as it came. Null leaves a value as it is and sets a pointer, map,
// slice or interface to nil; where null and absent must differ, use a
// [json.RawMessage]. Unknown members are ignored. Of two equal names the last
// counts: whoever decides from a payload before it is decoded reads it with
// [codec.Find], which refuses that. A [codec.Value] is raw JSON as a whole
// payload only; as a field it is bytes, in base64, and a json.RawMessage is
// what to use.
//
// Output is one line. Characters that mean something to HTML are not escaped.
// Map keys are sorted and struct fields keep their order, so that equal values
// have equal text. Bytes of a Go string that are not UTF-8 become U+FFFD. A nil
// slice or map is null: give the field omitzero or an empty value where the
// schema wants an array.
//
// There are two differences. Version 1 of encoding/json cannot match names
// exactly: where it is used, on 32-bit systems and s390x with Go 1.26 for
// instance, "Name" does set "name". And sonic on arm64 refuses a number beyond
// the range of float64 for a json.Number, though not for an any.
//
// # Concurrency
//
// All functions may be called from any number of goroutines.
//
// # Ownership
//
// [Decode] borrows the view until it returns: it works on one private copy, and
// everything it stores may be kept, even by an UnmarshalJSON that keeps its
// argument. All strings of one decoded value may share that copy, so a short one
// kept for long keeps the whole text; strings.Clone it. [Append] appends to dst
// in the manner of append and borrows v until it returns.
//
// # Limits
//
// The text was bounded by the codec before it comes here: see [codec.Limits]. An
// error names at most a short path, and no error text grows with its input.
//
// # Errors
//
// Decode returns an [*Error] that says in the words of JSON which value was not
// what the Go type takes; the error of the library below it, which speaks of Go,
// is in its tree for logs. It is -32602 where a handler returns it, one made by
// [Handler] and any other, and where errors.As asks for a *[codec.Error]; one that
// [Call] returns is not. Absent params leave In of a Handler at its zero value; an
// empty view is an error of Decode. Raw JSON that is written, such as a json.RawMessage or what MarshalJSON returns, is checked as
// far as the library does, and is otherwise its author's to get right.
package typed
