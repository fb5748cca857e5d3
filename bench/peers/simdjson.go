package peers

import (
	"strconv"

	"github.com/minio/simdjson-go"

	"github.com/wirespool/wirespool/codec"
)

// simdHead is what simdjson finds. Its tape keeps values, not their text.
type simdHead struct {
	members
	number int64
	text   string
	parsed *simdjson.ParsedJson
	object simdjson.Object
	value  simdjson.Iter
}

// read goes over the members of an object.
func (h *simdHead) read(at *simdjson.Iter) error {
	object, err := at.Object(&h.object)
	if err != nil {
		return err
	}
	h.members = members{method: h.method[:0]}
	for {
		name, kind, err := object.NextElementBytes(&h.value)
		if err != nil {
			return err
		}
		if kind == simdjson.TypeNone {
			return nil
		}
		if err := h.member(name, kind); err != nil {
			return err
		}
	}
}

func (h *simdHead) member(name []byte, kind simdjson.Type) (err error) {
	var text []byte
	switch string(name) {
	case "jsonrpc":
		text, err = h.value.StringBytes()
		h.version = string(text) == "2.0"
	case "id":
		h.id = name // says that there is one
		if h.text = ""; kind == simdjson.TypeString {
			h.text, err = h.value.String()
		} else {
			h.number, err = h.value.Int()
		}
	case "method":
		text, err = h.value.StringBytes()
		h.method = append(h.method, text...)
	case "result":
		h.result = true
	case "error":
		h.failed = true
	}
	return err
}

func (h *simdHead) head() head {
	found := h.members.head()
	switch {
	case found.id == "":
	case h.text != "":
		found.id = strconv.Quote(h.text)
	default:
		found.id = strconv.FormatInt(h.number, 10)
	}
	return found
}

// parse returns the top of the text, borrowed until the next parse.
func (h *simdHead) parse(frame []byte) (*simdjson.Iter, error) {
	var err error
	if h.parsed, err = simdjson.Parse(frame, h.parsed); err != nil {
		return nil, err
	}
	top := h.parsed.Iter()
	top.Advance()
	_, root, err := top.Root(nil)
	return root, err
}

// simdDecode has no rows on processors that simdjson does not support.
func simdDecode(frame []byte) []Entry {
	if !simdjson.SupportedCPU() {
		return nil
	}
	var h simdHead
	return []Entry{decoder("simdjson", frame, func() error {
		root, err := h.parse(frame)
		if err == nil {
			err = h.read(root)
		}
		if err != nil {
			return err
		}
		return judge(h.kind() != codec.Invalid)
	}, func() head { return h.head() })}
}

func simdBatch(frame []byte) []Entry {
	if !simdjson.SupportedCPU() {
		return nil
	}
	var h simdHead
	var n tally
	return []Entry{batcher("simdjson", frame, &n, func() error {
		root, err := h.parse(frame)
		if err != nil {
			return err
		}
		array, err := root.Array(nil)
		if err != nil {
			return err
		}
		for at := array.Iter(); at.Advance() != simdjson.TypeNone; {
			if err := h.read(&at); err != nil {
				return err
			}
			n.add(h.kind())
		}
		n.last = h.head
		return nil
	})}
}
