package protocol_test

import (
	"fmt"

	"github.com/wirespool/wirespool/protocol"
)

func ExampleLookupMethod() {
	info, ok := protocol.LookupMethod([]byte("resources/read"))
	fmt.Println(ok, info.Name, info.NameParam, info.Use(protocol.V20260728).Has(protocol.SentByClient))
	// Output: true resources/read uri true
}

func ExampleLookupRevision() {
	for _, offer := range []string{"2025-06-18", "v999.0.0"} {
		rev, ok := protocol.LookupRevision(offer)
		if !ok {
			rev = protocol.NewestLegacy
		}
		fmt.Println(offer, "gets", rev)
	}
	// Output:
	// 2025-06-18 gets 2025-06-18
	// v999.0.0 gets 2025-11-25
}

func ExampleDecodeHeaderValue() {
	field := protocol.EncodeHeaderValue("日本語")
	value, err := protocol.DecodeHeaderValue(field)
	fmt.Println(field, value, err)

	_, err = protocol.DecodeHeaderValue("=?base64?SGVsbG8?=")
	fmt.Println(err)
	// Output:
	// =?base64?5pel5pys6Kqe?= 日本語 <nil>
	// header value: not strict padded base64 at byte 13
}
