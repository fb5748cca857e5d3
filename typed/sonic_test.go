//go:build (amd64 || arm64) && !go1.28 && !wirespool_stdjson

package typed_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bytedance/sonic"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/alloctest"
	"github.com/wirespool/wirespool/typed"
)

// TestSonicIsSonic fails when a new toolchain makes sonic a wrapper of
// encoding/json, which folds names: the build constraints then need a look.
func TestSonicIsSonic(t *testing.T) {
	require.Equal(t, "sonic", typed.Library)
	require.Equal(t, sonic.UseSonicJSON, int(sonic.APIKind))
}

// The strings of a value share one copy of its text: with a copy for each, this
// would be an allocation for each. The other options have their tests in
// TestNamesMatchExactly, TestNumbersKeepTheirText, TestAppendIsUTF8 and
// TestAppend.
func TestStringsShareOneCopy(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	text := codec.Value(`{"a":"` + strings.Repeat("x", 100) + `","b":"yyyy","c":"zzzz","d":"` + strings.Repeat("w", 50) + `"}`)
	var v struct{ A, B, C, D string }
	type lower struct {
		A string `json:"a"`
		B string `json:"b"`
		C string `json:"c"`
		D string `json:"d"`
	}
	var low lower
	require.LessOrEqual(t, alloctest.Least(2, 100, func() { _ = typed.Decode(text, &low) }), 2.0)
	require.Equal(t, "zzzz", low.C)
	require.NoError(t, typed.Decode(text, &v))
	require.Zero(t, v, "names match exactly")
}

// TestOtherDecoder runs the tests of decoding once more with the decoder that
// sonic uses on arm64.
func TestOtherDecoder(t *testing.T) {
	if os.Getenv(sonicChoice) != "" {
		t.Skip("this is the other one")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=Decode|Names|Numbers|Nulls|Last|Errors|Alias")
	cmd.Env = append(os.Environ(), sonicChoice+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
