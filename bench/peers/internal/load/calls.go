package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/wirespool/wirespool/bench"
)

// firstID is the first id of the calls. All that follow have as many digits.
const firstID = "100000001"

// Calls are prepared calls of the tool echo, each a line, in a row that begins
// anew behind its end. No id comes twice: some servers take their time with one
// call while they answer a thousand others.
type Calls struct {
	text   []byte
	stride int
	idAt   int // where in a call its id stands
	next   int // the call that is handed out next
	id     []byte
}

// NewCalls returns calls of size bytes each, without the line feed, as many as
// are sent at once.
func NewCalls(size, window int) *Calls {
	one := append(bench.Call(firstID, size), '\n')
	return &Calls{
		text: bytes.Repeat(one, window), stride: len(one), idAt: bytes.Index(one, []byte(firstID)), id: []byte(firstID),
	}
}

// take returns the next n calls, or those up to the end of the row: borrowed until
// their turn comes again.
func (c *Calls) take(n int) (calls []byte, taken int) {
	taken = min(n, len(c.text)/c.stride-c.next)
	calls = c.text[c.next*c.stride : (c.next+taken)*c.stride]
	for i := range taken {
		copy(calls[i*c.stride+c.idAt:], c.id)
		increment(c.id)
	}
	c.next = (c.next + taken) * c.stride % len(c.text) / c.stride
	return calls, taken
}

// increment adds one to a number in decimal digits.
func increment(digits []byte) {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i]++; digits[i] <= '9' {
			return
		}
		digits[i] = '0'
	}
}

var errOther = errors.New("load: the answer does not have what the call said")

// echoes reports as an error that an answer is not that of the tool echo to a
// call. A server that returns what it gets passes too.
func echoes(call, answer []byte) error {
	if bytes.Equal(call, answer) {
		return nil
	}
	var sent struct {
		ID     int
		Params struct{ Arguments struct{ Text string } }
	}
	var got struct {
		ID     int
		Error  json.RawMessage
		Result struct{ Content []struct{ Type, Text string } }
	}
	if err := json.Unmarshal(call, &sent); err != nil {
		return err
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return err
	}
	if got.Error != nil {
		return fmt.Errorf("load: refused: %.200s", got.Error)
	}
	c := got.Result.Content
	if got.ID != sent.ID || len(c) != 1 || c[0].Type != "text" || c[0].Text != sent.Params.Arguments.Text {
		return errOther
	}
	return nil
}
