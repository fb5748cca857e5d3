package bench

import (
	"encoding/json"
	"errors"

	"github.com/wirespool/wirespool/codec"
)

// envelope is what a user of a JSON library decodes a message into to find out
// what it is. Payloads and the id stay raw; version and method are strings,
// which costs sonic and encoding/json less than raw fields do.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// kind classifies by which members there are.
func (e *envelope) kind() codec.Kind {
	switch {
	case e.JSONRPC != "2.0":
		return codec.Invalid
	case e.Method != "" && e.ID != nil:
		return codec.Request
	case e.Method != "":
		return codec.Notification
	case e.Result != nil && e.ID != nil:
		return codec.Response
	case e.Error != nil:
		return codec.ErrorResponse
	}
	return codec.Invalid
}

// routing is what decides where a message goes.
type routing struct {
	kind   codec.Kind
	id     []byte
	method []byte

	// Only wirespool reads these, for free beside the others.
	tool, progressToken codec.Value
}

func (r routing) String() string {
	return r.kind.String() + " " + string(r.id) + " " + string(r.method)
}

func (e *envelope) String() string {
	return routing{kind: e.kind(), id: e.ID, method: []byte(e.Method)}.String()
}

// errWork is returned by a body whose implementation did not do the work.
var errWork = errors.New("the work was not done")

// judge returns errWork unless ok.
func judge(ok bool) error {
	if !ok {
		return errWork
	}
	return nil
}
