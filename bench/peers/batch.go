package peers

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/go-faster/jx"
	segmentio "github.com/segmentio/encoding/json"
	"github.com/tidwall/gjson"
	"github.com/valyala/fastjson"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/codec"
)

const batchLength = 100

func batchGroups() []Group {
	frame := bench.Batch(batchLength)
	return []Group{{
		Op: "Batch", Shape: "requests", Size: strconv.Itoa(batchLength), Messages: batchLength, Bytes: len(frame),
		Limit: "limit-utf8", found: "100 of 100, the last request 100 tools/call",
		Entries: slices.Concat(
			[]Entry{batchWirespool(frame), batchEnvelopes("encoding_json", frame, json.Unmarshal)},
			v2Batch(frame), sonicBatch(frame),
			[]Entry{
				batchEnvelopes("goccy", frame, unmarshalGoccy),
				batchEnvelopes("segmentio", frame, segmentio.Unmarshal),
				batchEnvelopes("segmentio-zerocopy", frame, unmarshalZeroCopy),
				batchJX(frame), batchFastjson(frame), batchGJSON(frame),
			},
			simdBatch(frame), []Entry{batchGoSDK(frame), batchJRPC2(frame)}, readLimits(frame)),
	}}
}

// tally is what one pass over a batch came upon.
type tally struct {
	elements, requests int
	last               func() head // of the last element
}

func (t *tally) add(k codec.Kind) {
	t.elements++
	if k == codec.Request {
		t.requests++
	}
}

func (t *tally) String() string {
	return strconv.Itoa(t.requests) + " of " + strconv.Itoa(t.elements) + ", the last " + t.last().String()
}

// batcher is a row around a pass that leaves in n what it came upon.
func batcher(impl string, frame []byte, n *tally, pass func() error) Entry {
	return Entry{Impl: impl, bytes: always(len(frame)), found: func() string { return n.String() }, Do: func() error {
		*n = tally{}
		return pass()
	}}
}

func batchWirespool(frame []byte) Entry {
	d := codec.NewDecoder(nil)
	var m, el codec.Message
	var last routing
	var n tally
	head := func() head { return last.head() }
	return batcher("wirespool", frame, &n, func() error {
		if err := d.Decode(frame, &m); err != nil {
			return err
		}
		for i := range m.Len() {
			if err := m.Element(i, &el); err != nil {
				return err
			}
			last.route(&el)
			n.add(last.kind)
		}
		n.last = head
		return nil
	})
}

func batchEnvelopes(impl string, frame []byte, unmarshal func([]byte, any) error) Entry {
	var n tally
	return batcher(impl, frame, &n, func() error {
		var all []envelope
		if err := unmarshal(frame, &all); err != nil {
			return err
		}
		for i := range all {
			n.add(all[i].kind())
		}
		n.last = all[len(all)-1].head
		return nil
	})
}

func batchJX(frame []byte) Entry {
	d := jx.DecodeBytes(nil)
	var m jxMembers
	var n tally
	each := func(d *jx.Decoder) error {
		if err := m.read(d); err != nil {
			return err
		}
		n.add(m.kind())
		return nil
	}
	return batcher("jx", frame, &n, func() error {
		d.ResetBytes(frame)
		n.last = m.head
		return d.Arr(each)
	})
}

func batchFastjson(frame []byte) Entry {
	var p fastjson.Parser
	var m members
	var n tally
	return batcher("fastjson", frame, &n, func() error {
		v, err := p.ParseBytes(frame)
		if err != nil {
			return err
		}
		n.last = m.head
		for _, el := range v.GetArray() {
			readFastjson(el, &m)
			n.add(m.kind())
		}
		return nil
	})
}

func batchGJSON(frame []byte) Entry {
	var h gjsonHead
	var n tally
	each := func(_, el gjson.Result) bool {
		h = gjsonHead{version: el.Get("jsonrpc"), id: el.Get("id"), method: el.Get("method")}
		k := codec.Invalid
		if h.version.Str == "2.0" && h.method.Exists() && h.id.Exists() {
			k = codec.Request
		}
		n.add(k)
		return true
	}
	return batcher("gjson", frame, &n, func() error {
		gjson.ParseBytes(frame).ForEach(each)
		n.last = func() head { m := h.members(); return m.head() }
		return nil
	})
}

func batchGoSDK(frame []byte) Entry {
	var n tally
	return batcher("go-sdk", frame, &n, func() error {
		all, isBatch, err := readBatch(frame)
		if err != nil {
			return err
		}
		for _, m := range all {
			n.add(kindGoSDK(m))
		}
		n.last = func() head { return headGoSDK(all[len(all)-1]) }
		return judge(isBatch)
	})
}

func batchJRPC2(frame []byte) Entry {
	var n tally
	return batcher("jrpc2", frame, &n, func() error {
		all, err := parseJRPC2(frame)
		if err != nil {
			return err
		}
		for _, q := range all {
			k := codec.Notification
			if q.ID != "" {
				k = codec.Request
			}
			n.add(k)
		}
		n.last = func() head { return call(all[len(all)-1].ID, all[len(all)-1].Method) }
		return nil
	})
}
