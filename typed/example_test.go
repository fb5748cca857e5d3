package typed_test

import (
	"errors"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/typed"
)

func ExampleDecode() {
	var in struct {
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}
	err := typed.Decode(codec.Value(`{"name":"ship","Name":"sink","arguments":{"order":1915883588174806058}}`), &in)
	fmt.Println(in.Arguments["order"], err)

	err = typed.Decode(codec.Value(`{"name":"ship","arguments":[]}`), &in)
	if bad, ok := errors.AsType[*typed.Error](err); ok {
		fmt.Println(bad.Path, "must be", bad.Want)
	}
	// Output:
	// 1915883588174806058 <nil>
	// arguments must be object
}

func ExampleAppend() {
	frame := []byte(`{"result":`)
	frame, err := typed.Append(frame, map[string]any{"text": "a < b\n", "list": []int{1, 2}})
	fmt.Println(string(frame)+"}", err)
	// Output:
	// {"result":{"list":[1,2],"text":"a < b\n"}} <nil>
}
