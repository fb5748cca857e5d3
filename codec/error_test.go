package codec_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// TestLayerOf is about the edges: codes decide by range alone.
func TestLayerOf(t *testing.T) {
	for code, want := range map[int64]codec.Layer{
		math.MinInt64: codec.LayerApplication, -32769: codec.LayerApplication,
		-32768: codec.LayerProtocol, -32700: codec.LayerProtocol, -32603: codec.LayerProtocol, -32601: codec.LayerProtocol, -32600: codec.LayerProtocol,
		-32599: codec.LayerReserved, -32100: codec.LayerReserved,
		-32099: codec.LayerInfrastructure, -32042: codec.LayerInfrastructure, -32020: codec.LayerInfrastructure, -32000: codec.LayerInfrastructure,
		-31999: codec.LayerApplication, -32800: codec.LayerApplication, -1: codec.LayerApplication, 0: codec.LayerApplication,
		1: codec.LayerApplication, 1001: codec.LayerApplication, math.MaxInt64: codec.LayerApplication,
	} {
		require.Equal(t, want, codec.LayerOf(code), "%d", code)
	}
	for layer, want := range map[codec.Layer]string{
		codec.LayerApplication: "application", codec.LayerProtocol: "protocol", codec.LayerReserved: "reserved",
		codec.LayerInfrastructure: "infrastructure", 99: "unknown",
	} {
		require.Equal(t, want, layer.String())
	}
}

func TestError(t *testing.T) {
	local := &codec.Error{Code: -32601, Message: "Method not found"}
	remote := &codec.Error{Code: -32601, Message: "no such thing", Remote: true}
	require.Contains(t, local.Error(), "-32601")
	require.Contains(t, local.Error(), "Method not found")
	require.NotContains(t, local.Error(), "peer")
	require.Contains(t, remote.Error(), "peer", "CO-28: who says so is part of the text")

	require.ErrorIs(t, local, remote, "the code decides")
	require.ErrorIs(t, fmt.Errorf("call: %w", remote), &codec.Error{Code: -32601})
	require.NotErrorIs(t, local, &codec.Error{Code: -32602, Message: "Method not found"})
	require.NotErrorIs(t, local, errors.New("Method not found"))
	found, ok := errors.AsType[*codec.Error](fmt.Errorf("call: %w", remote))
	require.True(t, ok)
	require.Same(t, remote, found)
}

func TestWireError(t *testing.T) {
	for frame, want := range map[string]codec.Error{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"a\u0062\n","data":{"x":[1, 2]}}}`: {
			Code: -32601, Message: "ab\n", Data: codec.Value(`{"x":[1, 2]}`), Remote: true,
		},
		`{"jsonrpc":"2.0","error":{"message":"","code":5.0,"data":null}}`:         {Code: 5, Data: codec.Value("null"), Remote: true},
		`{"jsonrpc":"2.0","id":null,"error":{"x":1,"code":0,"message":"\ud83d"}}`: {Message: "\ufffd", Remote: true},
	} {
		m := accept(t, frame)
		require.Equal(t, &want, m.WireError(), "%s", frame)
		m.Detach()
		require.Equal(t, &want, m.WireError(), "%s", frame)
	}
	for _, frame := range []string{`{"jsonrpc":"2.0","id":1,"method":"m"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `[1]`} {
		require.Nil(t, accept(t, frame).WireError())
	}
	require.Nil(t, new(codec.Message).WireError())
}
