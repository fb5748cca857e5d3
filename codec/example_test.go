package codec_test

import (
	"fmt"

	"github.com/wirespool/wirespool/codec"
)

// A reader keeps one Decoder and one Message, and appends its answers to one
// buffer.
func Example() {
	d, m := codec.NewDecoder(nil), new(codec.Message)
	var out []byte
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":"a-1","method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		if err := d.Decode([]byte(frame), m); err != nil {
			panic(err)
		}
		fmt.Printf("%s %s\n", m.Kind, m.Method)
		if m.Kind == codec.Request {
			out = codec.AppendResponse(out, m.ID, []byte("{}"))
			out = append(out, '\n')
		}
	}
	fmt.Printf("%s", out)
	// Output:
	// request ping
	// notification notifications/initialized
	// {"jsonrpc":"2.0","id":"a-1","result":{}}
}

// A bad element spoils no other.
func ExampleMessage_Element() {
	frame := `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}},{"jsonrpc":"2.0","id":2.5,"method":"ping"}]`
	m, el := new(codec.Message), new(codec.Message)
	if err := codec.Decode([]byte(frame), m); err != nil {
		panic(err)
	}
	for i := range m.Len() {
		if err := m.Element(i, el); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s %s %s\n", el.ID, el.Method, el.Fact(codec.FactName))
	}
	// Output:
	// 1 tools/call "echo"
	// Invalid Request at byte 95: id must be an integer, not a fraction
}

// A refused message is answered with the id it had, if it could be read.
func ExampleDecodeError_Wire() {
	m := new(codec.Message)
	err := codec.Decode([]byte(`{"jsonrpc":"1.0","id":7,"method":"ping"}`), m)
	if refused, ok := err.(*codec.DecodeError); ok {
		fmt.Printf("%s\n", codec.AppendErrorResponse(nil, m.ID, refused.Wire()))
	}
	// Output:
	// {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid Request at byte 11: jsonrpc must be the string \"2.0\""}}
}

// Integers are one id however they are spelt; a string is another.
func ExampleID_Key() {
	pending := map[codec.IDKey]string{codec.IntID(1).Key(): "first call"}
	fmt.Printf("%q %q\n", pending[codec.ID("1.0").Key()], pending[codec.ID(`"1"`).Key()])
	// Output:
	// "first call" ""
}

// Find reads what is no Fact, and does not choose between two values.
func ExampleFind() {
	params := codec.Value(`{"arguments":{"city":"Beijing","unit":"C","unit":"F"}}`)
	city, err := codec.Find(params, "arguments", "city")
	fmt.Printf("%s %v\n", city, err)
	unit, err := codec.Find(params, "arguments", "unit")
	fmt.Printf("%s %v\n", unit, err)
	// Output:
	// "Beijing" <nil>
	//  codec: member "unit" occurs twice
}
