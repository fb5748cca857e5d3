package gosdk

import (
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// legacyRevisions are those that have HTTP+SSE: 2026-07-28 has not.
func legacyRevisions() (all []protocol.Revision) {
	for v := range protocol.Revisions() {
		if v.Era() == protocol.Legacy {
			all = append(all, v)
		}
	}
	return all
}

// checkEra refuses a request that names a revision which has not the transport that
// it came over: the SDK would answer it (HS-12).
func (l *link) checkEra(m *codec.Message) *codec.Error {
	if _, old := l.conn.(transport.LegacyOnly); !old {
		return nil
	}
	version, ok := m.Fact(codec.FactMetaProtocolVersion).Text()
	if !ok || protocol.Revision(version).Era() == protocol.Legacy {
		return nil
	}
	data := codec.Value(`{"supported":[`)
	for i, v := range legacyRevisions() {
		if i > 0 {
			data = append(data, ',')
		}
		data = codec.AppendString(data, v)
	}
	data = codec.AppendString(append(data, `],"requested":`...), version)
	return &codec.Error{
		Code:    protocol.CodeUnsupportedProtocolVersion,
		Message: fmt.Sprintf("protocol version %q is not supported here", version),
		Data:    append(data, '}'),
	}
}
