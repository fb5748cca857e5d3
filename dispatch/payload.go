package dispatch

import (
	"bytes"
	"fmt"

	"github.com/wirespool/wirespool/codec"
)

// checkParams refuses what a caller gave us to send if it is not one JSON value: it
// would not be answered, or mean something else to whoever reads it.
func checkParams(method string, params []byte) error {
	if len(params) == 0 {
		return nil
	}
	if err := codec.Check(params); err != nil {
		return fmt.Errorf("dispatch: params of %q: %w", method, err)
	}
	return nil
}

// checkResult refuses what a handler returned if it is not JSON, or with object no
// JSON object (CO-14): sent, it would leave its caller without an answer.
func checkResult(result []byte, object bool) error {
	if len(result) == 0 {
		return errNoResult
	}
	if err := codec.Check(result); err != nil {
		return fmt.Errorf("the handler's result: %w", err)
	}
	if object && result[0] != '{' {
		if v := codec.Value(bytes.TrimLeft(result, " \t\r\n")); v.Kind() != codec.Object {
			return fmt.Errorf("the handler's result is no object but %s", v.Kind())
		}
	}
	return nil
}
