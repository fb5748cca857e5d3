//go:build !race

package protocol_test

import (
	"testing"

	"github.com/wirespool/wirespool/internal/alloctest"
	"github.com/wirespool/wirespool/protocol"
)

var (
	sinkBool   bool
	sinkMethod protocol.MethodInfo
	sinkRev    protocol.Revision
	sinkLevel  protocol.LogLevel
	sinkString string
	sinkBytes  []byte
	sinkErr    error
)

func TestAllocations(t *testing.T) {
	var (
		name  = []byte("notifications/subscriptions/acknowledged") // longer than a temporary buffer on the stack
		text  = []byte("2026-07-28")
		level = []byte("emergency")
		key   = []byte("rpc.discover")
		dst   = make([]byte, 0, 256)
	)
	for _, tt := range []struct {
		what string
		want float64
		call func()
	}{
		{"LookupMethod, bytes", 0, func() { sinkMethod, sinkBool = protocol.LookupMethod(name) }},
		{"LookupMethod, string", 0, func() { sinkMethod, sinkBool = protocol.LookupMethod(protocol.MethodToolsCall) }},
		{"LookupRevision, bytes", 0, func() { sinkRev, sinkBool = protocol.LookupRevision(text) }},
		{"LookupLogLevel, bytes", 0, func() { sinkLevel, sinkBool = protocol.LookupLogLevel(level) }},
		{"IsReservedMethod, bytes", 0, func() { sinkBool = protocol.IsReservedMethod(key) }},
		{"IsReservedMetaKey", 0, func() { sinkBool = protocol.IsReservedMetaKey(protocol.V20250618, protocol.MetaClientInfo) }},
		{"CheckMetaKey", 0, func() { sinkErr = protocol.CheckMetaKey(protocol.MetaClientInfo) }},
		{"EncodeHeaderValue, plain", 0, func() { sinkString = protocol.EncodeHeaderValue("us-west1") }},
		{"EncodeHeaderValue, sentinel", 1, func() { sinkString = protocol.EncodeHeaderValue("Hello, 世界") }},
		{"AppendHeaderValue, sentinel", 0, func() { sinkBytes = protocol.AppendHeaderValue(dst, "Hello, 世界") }},
		{"DecodeHeaderValue, plain", 0, func() { sinkString, sinkErr = protocol.DecodeHeaderValue(" us-west1 ") }},
		{"DecodeHeaderValue, sentinel", 1, func() { sinkString, sinkErr = protocol.DecodeHeaderValue("=?base64?SGVsbG8=?=") }},
	} {
		if got := alloctest.Least(tt.want, 100, tt.call); got > tt.want {
			t.Errorf("%s: %v allocations, want at most %v", tt.what, got, tt.want)
		}
	}
}
