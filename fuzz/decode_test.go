package fuzz_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/wirespool/wirespool/codec"
)

// tight limits are within reach of short inputs.
var tight = codec.Limits{MaxBytes: 400, MaxDepth: 3, MaxBatch: 3, MaxID: 10}

// FuzzDecode compares the decoder with the model: kind or code, fields, facts,
// and for a batch the same of each element.
func FuzzDecode(f *testing.F) {
	for _, tt := range frames {
		f.Add([]byte(tt.frame), false)
		f.Add([]byte(tt.frame), true)
	}
	f.Fuzz(func(t *testing.T, frame []byte, small bool) {
		limits := defaults
		if small {
			limits = tight
		}
		want := model{limits}.decode(frame)
		decoder := codec.NewDecoder(&limits)
		m := used(t, decoder)
		given := bytes.Clone(frame)
		err := decoder.Decode(given, m)
		if !bytes.Equal(given, frame) {
			t.Fatalf("%q was written to", frame)
		}
		sameVerdict(t, frame, observe(t, given, m, err), want)
		if want.code != parseError && m.OneLine && bytes.ContainsAny(frame, "\r\n") {
			t.Fatalf("%q is said to be one line", frame)
		}
		if want.code == 0 && !m.OneLine && !bytes.ContainsAny(frame, "\r\n") {
			t.Fatalf("%q is not said to be one line", frame)
		}

		m.Detach()
		clear(given)
		sameVerdict(t, frame, observe(t, nil, m, err), want)
	})
}

// used returns a message that holds another one, as a reader's does.
func used(t *testing.T, decoder *codec.Decoder) *codec.Message {
	m := new(codec.Message)
	for _, before := range []string{`[{"id":1,"id":2},{"jsonrpc":"2.0","id":"i","method":"m\n"}]`, `{"jsonrpc":"2.0","error":{"code":1,"message":""}}`} {
		if err := decoder.Decode([]byte(before), m); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func sameVerdict(t *testing.T, frame []byte, got, want verdict) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q:\n got %+v\nwant %+v", frame, got, want)
	}
}

// observe turns what the decoder left in m into a verdict. frame, when it is
// there, is the memory that the views of m are cut from.
func observe(t *testing.T, frame []byte, m *codec.Message, err error) verdict {
	t.Helper()
	v := verdict{
		kind: m.Kind, code: code(t, frame, err), id: string(m.ID), named: m.Method != nil, method: string(m.Method),
		params: string(m.Params), result: string(m.Result), errorText: string(m.Error), array: string(m.Array),
	}
	if (m.Kind == codec.Invalid) != (err != nil) {
		t.Fatalf("kind %s with error %v", m.Kind, err)
	}
	cut := func(view []byte) {
		if len(view) != cap(view) {
			t.Fatalf("%q is not cut to its length", view)
		}
	}
	cut(m.Params)
	cut(m.Result)
	cut(m.Error)
	cut(m.Array)
	cut(m.ID)

	both := len(m.Params) > 0 && len(m.Result) > 0 // then nobody says whose facts they are
	facts := map[codec.Fact]string{}
	for fact := codec.FactJSONRPC; fact <= codec.FactErrorData; fact++ {
		value := m.Fact(fact)
		cut(value)
		if value != nil && (!both || fact <= codec.FactError || fact >= codec.FactErrorCode) {
			facts[fact] = string(value)
		}
	}
	if len(facts) > 0 {
		v.facts = facts
	}
	sameError(t, m)
	for i := range m.Len() {
		var element codec.Message
		err := m.Element(i, &element)
		v.elements = append(v.elements, observe(t, frame, &element, err))
	}
	return v
}

// code returns the code of a refusal, whose offset must be in the frame.
func code(t *testing.T, frame []byte, err error) int64 {
	t.Helper()
	if err == nil {
		return 0
	}
	e, ok := err.(*codec.DecodeError)
	if !ok || e.Offset < 0 || frame != nil && e.Offset > len(frame) || e.Reason == "" {
		t.Fatalf("refusal %#v of %q", err, frame)
	}
	return e.Code
}

// sameError compares WireError with the facts of the error object.
func sameError(t *testing.T, m *codec.Message) {
	t.Helper()
	e := m.WireError()
	if (e != nil) != (m.Kind == codec.ErrorResponse) {
		t.Fatalf("%s: error %v", m.Kind, e)
	}
	if e == nil {
		return
	}
	number, _ := m.Fact(codec.FactErrorCode).Int64()
	if !e.Remote || e.Code != number || e.Message != text(m.Fact(codec.FactErrorMessage)) ||
		!bytes.Equal(e.Data, m.Fact(codec.FactErrorData)) {
		t.Fatalf("%q: error %#v", m.Error, e)
	}
}
