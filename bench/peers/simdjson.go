package peers

import (
	"strconv"

	"github.com/minio/simdjson-go"

	"github.com/wirespool/wirespool/bench/work"
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

func (h *simdHead) head() work.Head {
	found := h.members.head()
	switch {
	case found.ID == "":
	case h.text != "":
		found.ID = strconv.Quote(h.text)
	default:
		found.ID = strconv.FormatInt(h.number, 10)
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
func simdDecode(frame []byte) []work.Entry {
	if !simdjson.SupportedCPU() {
		return nil
	}
	var h simdHead
	return []work.Entry{work.Decoder("simdjson", frame, func() error {
		root, err := h.parse(frame)
		if err == nil {
			err = h.read(root)
		}
		if err != nil {
			return err
		}
		return work.Judge(h.kind() != codec.Invalid)
	}, func() work.Head { return h.head() })}
}

func simdBatch(frame []byte) []work.Entry {
	if !simdjson.SupportedCPU() {
		return nil
	}
	var h simdHead
	var n work.Tally
	return []work.Entry{work.Batcher("simdjson", frame, &n, func() error {
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
			n.Add(h.kind())
		}
		n.Last = h.head
		return nil
	})}
}
