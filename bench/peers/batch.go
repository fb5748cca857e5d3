package peers

import (
	"slices"

	"github.com/go-faster/jx"
	segmentio "github.com/segmentio/encoding/json"
	"github.com/tidwall/gjson"
	"github.com/valyala/fastjson"

	"github.com/wirespool/wirespool/bench/work"
	"github.com/wirespool/wirespool/codec"
)

func batchPeers(frame []byte) []work.Entry {
	return slices.Concat(
		v2Batch(frame),
		[]work.Entry{
			work.BatchEnvelopes("goccy", frame, unmarshalGoccy),
			work.BatchEnvelopes("segmentio", frame, segmentio.Unmarshal),
			work.BatchEnvelopes("segmentio-zerocopy", frame, unmarshalZeroCopy),
			batchJX(frame), batchFastjson(frame), batchGJSON(frame),
		},
		simdBatch(frame), []work.Entry{batchGoSDK(frame), batchJRPC2(frame)})
}

func batchJX(frame []byte) work.Entry {
	d := jx.DecodeBytes(nil)
	var m jxMembers
	var n work.Tally
	each := func(d *jx.Decoder) error {
		if err := m.read(d); err != nil {
			return err
		}
		n.Add(m.kind())
		return nil
	}
	return work.Batcher("jx", frame, &n, func() error {
		d.ResetBytes(frame)
		n.Last = m.head
		return d.Arr(each)
	})
}

func batchFastjson(frame []byte) work.Entry {
	var p fastjson.Parser
	var m members
	var n work.Tally
	return work.Batcher("fastjson", frame, &n, func() error {
		v, err := p.ParseBytes(frame)
		if err != nil {
			return err
		}
		n.Last = m.head
		for _, el := range v.GetArray() {
			readFastjson(el, &m)
			n.Add(m.kind())
		}
		return nil
	})
}

func batchGJSON(frame []byte) work.Entry {
	var h gjsonHead
	var n work.Tally
	each := func(_, el gjson.Result) bool {
		h = gjsonHead{version: el.Get("jsonrpc"), id: el.Get("id"), method: el.Get("method")}
		k := codec.Invalid
		if h.version.Str == "2.0" && h.method.Exists() && h.id.Exists() {
			k = codec.Request
		}
		n.Add(k)
		return true
	}
	return work.Batcher("gjson", frame, &n, func() error {
		gjson.ParseBytes(frame).ForEach(each)
		n.Last = func() work.Head { m := h.members(); return m.head() }
		return nil
	})
}

func batchGoSDK(frame []byte) work.Entry {
	var n work.Tally
	return work.Batcher("go-sdk", frame, &n, func() error {
		all, isBatch, err := readBatch(frame)
		if err != nil {
			return err
		}
		for _, m := range all {
			n.Add(kindGoSDK(m))
		}
		n.Last = func() work.Head { return headGoSDK(all[len(all)-1]) }
		return work.Judge(isBatch)
	})
}

func batchJRPC2(frame []byte) work.Entry {
	var n work.Tally
	return work.Batcher("jrpc2", frame, &n, func() error {
		all, err := parseJRPC2(frame)
		if err != nil {
			return err
		}
		for _, q := range all {
			k := codec.Notification
			if q.ID != "" {
				k = codec.Request
			}
			n.Add(k)
		}
		n.Last = func() work.Head { return call(all[len(all)-1].ID, all[len(all)-1].Method) }
		return nil
	})
}
