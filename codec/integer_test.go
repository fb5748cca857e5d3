package codec_test

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// randomNumber spells a JSON number in one of its many ways, biased towards
// zeros, which is where canonical forms are won or lost.
func randomNumber(r *rand.Rand) string {
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			if b[i] = '0'; r.IntN(3) == 0 {
				b[i] += byte(r.IntN(10))
			}
		}
		return string(b)
	}
	var s strings.Builder
	if r.IntN(2) == 0 {
		s.WriteByte('-')
	}
	if whole := strings.TrimLeft(digits(r.IntN(70)), "0"); whole == "" {
		s.WriteByte('0')
	} else {
		s.WriteString(whole)
	}
	if r.IntN(2) == 0 {
		s.WriteString("." + digits(1+r.IntN(30)))
	}
	if r.IntN(2) == 0 {
		s.WriteString([]string{"e", "E"}[r.IntN(2)] + []string{"", "+", "-"}[r.IntN(3)] + digits(1+r.IntN(2)))
	}
	return s.String()
}

// TestIntegersAgainstRat compares what an id and an integer are with exact
// arithmetic.
func TestIntegersAgainstRat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]int{}
	for range 30000 {
		token := randomNumber(r)
		x, ok := new(big.Rat).SetString(token)
		if !ok {
			require.True(t, ok, "%s", token)
		}
		m := new(codec.Message)
		err := codec.Decode([]byte(`{"jsonrpc":"2.0","id":`+token+`,"method":"m"}`), m)
		canonical := x.Num().String()
		verdict := "integer"
		switch {
		case !x.IsInt():
			verdict = "fraction"
		case len(strings.TrimPrefix(canonical, "-")) > 64:
			verdict = "64 digits"
		}
		seen[verdict]++
		if verdict != "integer" {
			if err == nil || !strings.Contains(err.Error(), verdict) {
				require.ErrorContains(t, err, verdict, "%s", token)
			}
			if codec.ID(token).Key().Valid() {
				require.Fail(t, "valid key", "%s", token)
			}
		} else {
			if err != nil || string(m.ID) != token || m.ID.Key() != codec.ID(canonical).Key() {
				require.NoError(t, err, "%s", token)
				require.Equal(t, token, string(m.ID))
				require.Equal(t, codec.ID(canonical).Key(), m.ID.Key(), "%s is %s", token, canonical)
			}
		}
		n, isInt64 := codec.Value(token).Int64()
		want, err := strconv.ParseInt(canonical, 10, 64)
		if wantOK := x.IsInt() && err == nil; isInt64 != wantOK || wantOK && n != want {
			require.Equal(t, wantOK, isInt64, "%s", token)
			require.Equal(t, want, n, "%s", token)
		}
	}
	for _, verdict := range []string{"integer", "fraction", "64 digits"} {
		require.Greater(t, seen[verdict], 1000, "the tokens are one-sided: %v", seen)
	}
}

// TestDistinctIntegersHaveDistinctKeys, canonical forms of every length.
func TestDistinctIntegersHaveDistinctKeys(t *testing.T) {
	keys := map[codec.IDKey]string{}
	add := func(id string) {
		key := codec.ID(id).Key()
		require.True(t, key.Valid(), "%s", id)
		require.Empty(t, keys[key], "%s", id)
		keys[key] = id
	}
	for n := 1; n <= 64; n++ {
		for _, digits := range []string{
			strings.Repeat("1", n), strings.Repeat("9", n), "8" + strings.Repeat("0", n-1),
		} {
			add(digits)
			add("-" + digits)
			add(`"` + digits + `"`)
			add(`"-` + digits + `"`)
		}
	}
}
