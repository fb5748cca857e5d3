package protocol_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/protocol"
)

const unknown = protocol.Revision("v999.0.0") // sorts above every date (VN-06)

func TestRevisionsInOrder(t *testing.T) {
	require.Equal(t,
		[]protocol.Revision{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"},
		slices.Collect(protocol.Revisions()))
	require.Equal(t,
		[]protocol.Revision{
			protocol.V20241105, protocol.V20250326, protocol.V20250618,
			protocol.V20251125, protocol.V20260728,
		},
		slices.Collect(protocol.Revisions()))
	require.Equal(t, protocol.Revision("2025-11-25"), protocol.NewestLegacy)
	require.Equal(t, protocol.Revision("2026-07-28"), protocol.NewestModern)
	require.Equal(t, protocol.Revision("2025-03-26"), protocol.AssumedRevision, "SL-21")
}

func TestRevisionsStopsEarly(t *testing.T) {
	for r := range protocol.Revisions() {
		require.Equal(t, protocol.V20241105, r)
		break
	}
}

// The offers of the seed documents ("0.1.0", "2024-11-25") are among those that
// only a comparison of strings would accept.
func TestLookupRevisionIsMembership(t *testing.T) {
	for r := range protocol.Revisions() {
		got, ok := protocol.LookupRevision(string(r))
		require.True(t, ok)
		require.Equal(t, r, got)

		view := []byte(r)
		got, ok = protocol.LookupRevision(view)
		require.True(t, ok)
		clear(view)
		require.Equal(t, r, got, "the result must not alias the view")
	}
	for _, text := range []string{
		"", "v999.0.0", "0.1.0", "2024-11-25", "2025-11-26", "9999-12-31", "draft",
		"2025-11-25 ", " 2025-11-25", "2025-11-2", "2025-11-255", "2025-11-25\x00",
	} {
		got, ok := protocol.LookupRevision(text)
		require.False(t, ok, "%q", text)
		require.Empty(t, got, "%q", text)
	}
}

func TestRevisionPredicates(t *testing.T) {
	for _, tt := range []struct {
		rev                                     protocol.Revision
		era                                     protocol.Era
		batches, nullID, priming, versionHeader bool
		stdio, sse, streamable                  bool
	}{
		{protocol.V20241105, protocol.Legacy, true, true, false, false, true, true, false},
		{protocol.V20250326, protocol.Legacy, true, true, false, false, true, false, true},
		{protocol.V20250618, protocol.Legacy, false, true, false, true, true, false, true},
		{protocol.V20251125, protocol.Legacy, false, false, true, true, true, false, true},
		{protocol.V20260728, protocol.Modern, false, false, false, true, true, false, true},
		{"", protocol.EraUnknown, false, true, false, false, false, false, false},
		{unknown, protocol.EraUnknown, false, true, false, false, false, false, false},
	} {
		t.Run(string(tt.rev), func(t *testing.T) {
			require.Equal(t, tt.era, tt.rev.Era())
			require.Equal(t, tt.batches, tt.rev.AllowsBatches(), "CO-30, CO-31, CO-34")
			require.Equal(t, tt.nullID, tt.rev.NullErrorID(), "CO-21")
			require.Equal(t, tt.priming, tt.rev.AllowsPriming(), "SL-10, SL-12")
			require.Equal(t, tt.versionHeader, tt.rev.NeedsVersionHeader(), "SL-20, SH26-08")
			require.Equal(t, tt.stdio, tt.rev.Defines(protocol.TransportStdio))
			require.Equal(t, tt.sse, tt.rev.Defines(protocol.TransportHTTPSSE))
			require.Equal(t, tt.streamable, tt.rev.Defines(protocol.TransportStreamableHTTP))
			require.False(t, tt.rev.Defines(protocol.Transport(0)))
		})
	}
}

func TestNamesOfErasAndTransports(t *testing.T) {
	require.Equal(t, "unknown", protocol.EraUnknown.String())
	require.Equal(t, "legacy", protocol.Legacy.String())
	require.Equal(t, "modern", protocol.Modern.String())

	require.Equal(t, "stdio", protocol.TransportStdio.String())
	require.Equal(t, "http+sse", protocol.TransportHTTPSSE.String())
	require.Equal(t, "streamable-http", protocol.TransportStreamableHTTP.String())
	require.Equal(t, "unknown", protocol.Transport(0).String())
}
