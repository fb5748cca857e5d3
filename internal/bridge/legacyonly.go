package bridge

import (
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// notSpoken refuses what names a revision per request on a transport that has only
// those with a handshake (HS-12); false when the message may pass.
func (f *front) notSpoken(in *transport.Inbound) bool {
	version := in.Fact(codec.FactMetaProtocolVersion)
	if !f.old || version == nil {
		return false
	}
	if in.Kind != codec.Request {
		f.b.log.Warn("notification dropped", "method", string(in.Method), "reason", "its revision is not spoken over this transport")
		return true
	}
	r, l := f.newReply(in), f.link(protocol.Legacy)
	l.begin()
	r.fail(l, -1, in.ID, unsupported(version))
	f.wait(l, r)
	return true
}

// unsupported is the error for a version that is not spoken per request: it names
// those that an initialize may offer (SH26-12).
func unsupported(version codec.Value) *codec.Error {
	text, ok := version.Text()
	if !ok {
		return refusef(protocol.CodeInvalidParams, "_meta %q must be a string", protocol.MetaProtocolVersion)
	}
	e := refusef(protocol.CodeUnsupportedProtocolVersion, "protocol version %q is not supported per request", text)
	data, sep := append(e.Data[:len(e.Data)-1], `,"supported":`...), byte('[')
	for r := range protocol.Revisions() {
		if r.Era() == protocol.Legacy {
			data = codec.AppendString(append(data, sep), r)
			sep = ','
		}
	}
	data = codec.AppendString(append(data, `],"requested":`...), text)
	e.Data = append(data, '}')
	return e
}
