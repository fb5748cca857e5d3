package codec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

func TestDefaultLimits(t *testing.T) {
	require.Equal(t, 16<<20, codec.DefaultMaxBytes)
	require.Equal(t, 512, codec.DefaultMaxDepth)
	require.Equal(t, 1024, codec.DefaultMaxBatch)
	require.Equal(t, 1024, codec.DefaultMaxID)
}

// bounds are the four limits: frame makes a frame that needs n of the unit,
// refused at offset over when n is one more than allowed.
var bounds = []struct {
	name   string
	limits func(n int) *codec.Limits
	def    int
	code   int64
	reason string
	frame  func(n int) (frame string, over int)
}{
	{
		name: "bytes", def: codec.DefaultMaxBytes, code: invalidRequest, reason: "longer than the limit of %d bytes",
		limits: func(n int) *codec.Limits { return &codec.Limits{MaxBytes: n} },
		frame: func(n int) (string, int) {
			const before, behind = `{"jsonrpc":"2.0","method":"`, `"}`
			return before + strings.Repeat("x", n-len(before)-len(behind)) + behind, n - 1
		},
	},
	{
		name: "depth of params", def: codec.DefaultMaxDepth, code: parseError, reason: "deeper than the limit of %d",
		limits: func(n int) *codec.Limits { return &codec.Limits{MaxDepth: n} },
		frame: func(n int) (string, int) {
			const before = `{"jsonrpc":"2.0","id":1,"method":"m","params":`
			return before + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}", len(before) + n - 2
		},
	},
	{
		name: "depth of a skipped member", def: codec.DefaultMaxDepth, code: parseError, reason: "deeper than the limit of %d",
		limits: func(n int) *codec.Limits { return &codec.Limits{MaxDepth: n} },
		frame: func(n int) (string, int) {
			const before, step = `{"jsonrpc":"2.0","id":1,"method":"m","x":`, `{"y":`
			return before + strings.Repeat(step, n-2) + "{}" + strings.Repeat("}", n-1), len(before) + len(step)*(n-2)
		},
	},
	{
		name: "depth in _meta", def: codec.DefaultMaxDepth, code: parseError, reason: "deeper than the limit of %d",
		limits: func(n int) *codec.Limits { return &codec.Limits{MaxDepth: n} },
		frame: func(n int) (string, int) {
			const before = `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":`
			return before + strings.Repeat("[", n-3) + "0" + strings.Repeat("]", n-3) + "}}}", len(before) + n - 4
		},
	},
	{
		name: "depth in an element", def: codec.DefaultMaxDepth, code: parseError, reason: "deeper than the limit of %d",
		limits: func(n int) *codec.Limits { return &codec.Limits{MaxDepth: n} },
		frame: func(n int) (string, int) {
			const before = `[1,{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":`
			return before + strings.Repeat("[", n-3) + strings.Repeat("]", n-3) + "}}]", len(before) + n - 4
		},
	},
	{
		name: "depth of what is no message", def: codec.DefaultMaxDepth, code: parseError, reason: "deeper than the limit of %d",
		limits: func(n int) *codec.Limits { return &codec.Limits{MaxDepth: n} },
		frame: func(n int) (string, int) {
			return strings.Repeat("[", n) + "1" + strings.Repeat("]", n), n - 1
		},
	},
	{
		name: "batch", def: codec.DefaultMaxBatch, code: invalidRequest, reason: "more than the limit of %d elements",
		limits: func(n int) *codec.Limits { return &codec.Limits{MaxBatch: n} },
		frame: func(n int) (string, int) {
			const note = `{"jsonrpc":"2.0","method":"m"},`
			text := "[" + strings.Repeat(note, n)
			return text[:len(text)-1] + "]", 1 + len(note)*(n-1)
		},
	},
	{
		name: "batch of numbers", def: codec.DefaultMaxBatch, code: invalidRequest, reason: "more than the limit of %d elements",
		limits: func(n int) *codec.Limits { return &codec.Limits{MaxBatch: n} },
		frame: func(n int) (string, int) {
			return "[" + strings.Repeat("1,", n-1) + "1]", 1 + 2*(n-1)
		},
	},
	{
		name: "id", def: codec.DefaultMaxID, code: invalidRequest, reason: "longer than the limit of %d bytes",
		limits: func(n int) *codec.Limits { return &codec.Limits{MaxID: n} },
		frame: func(n int) (string, int) {
			const before = `{"jsonrpc":"2.0","id":`
			return before + `"` + strings.Repeat("x", n-2) + `","method":"m"}`, len(before)
		},
	},
	{
		name: "id of escapes", def: codec.DefaultMaxID, code: invalidRequest, reason: "longer than the limit of %d bytes",
		limits: func(n int) *codec.Limits { return &codec.Limits{MaxID: n} },
		frame: func(n int) (string, int) {
			const before = `{"jsonrpc":"2.0","id":`
			text := strings.Repeat(`\u0041`, (n-2)/6) + strings.Repeat("B", (n-2)%6)
			return before + `"` + text + `","method":"m"}`, len(before)
		},
	},
}

// TestLimits: one below and exactly at the limit is fine, one above is not, and
// the error names the limit and the byte that crosses it.
func TestLimits(t *testing.T) {
	for _, b := range bounds {
		t.Run(b.name, func(t *testing.T) {
			for _, limit := range []int{b.def, 50, 70, 64, 128, 129} {
				decode := codec.NewDecoder(b.limits(limit)).Decode
				if limit == b.def {
					decode = codec.Decode
				}
				for n := limit - 1; n <= limit; n++ {
					frame, _ := b.frame(n)
					_, err := decodeWith(t, decode, frame)
					require.Nil(t, err, "%d of %d", n, limit)
				}
				frame, over := b.frame(limit + 1)
				m, err := decodeWith(t, decode, frame)
				require.NotNil(t, err, "limit %d", limit)
				require.Equal(t, b.code, err.Code)
				require.Equal(t, over, err.Offset)
				require.Contains(t, err.Reason, fmt.Sprintf(b.reason, limit))
				require.Nil(t, m.ID)
				require.Zero(t, m.Len())
			}
		})
	}
}

// TestLimitsOff: -1 is no limit, 0 the default, and the caller's struct stays as it is.
func TestLimitsOff(t *testing.T) {
	for _, b := range bounds {
		frame, _ := b.frame(b.def + 1)
		off := b.limits(-1)
		_, err := decodeWith(t, codec.NewDecoder(off).Decode, frame)
		require.Nil(t, err, b.name)
		require.Equal(t, b.limits(-1), off)

		for _, limits := range []*codec.Limits{nil, {}, {MaxBytes: -1, MaxDepth: 0}, {MaxBatch: -1, MaxID: 0}} {
			before := codec.Limits{}
			if limits != nil {
				before = *limits
			}
			_, err = decodeWith(t, codec.NewDecoder(limits).Decode, frame)
			off := b.name == "bytes" && before.MaxBytes == -1 || strings.HasPrefix(b.name, "batch") && before.MaxBatch == -1
			require.Equal(t, off, err == nil, b.name)
			if limits != nil {
				require.Equal(t, before, *limits)
			}
		}
	}
}

// TestIDDigitsHaveALimitOfTheirOwn: a few bytes may stand for a gigabyte.
func TestIDDigitsHaveALimitOfTheirOwn(t *testing.T) {
	decode := codec.NewDecoder(&codec.Limits{MaxID: -1}).Decode
	for id, ok := range map[string]bool{
		strings.Repeat("9", 64): true, "1e63": true, "-1e63": true, "0." + strings.Repeat("0", 3000) + "1e3001": true,
		strings.Repeat("9", 65): false, "1e64": false, "-1e64": false, "1e2147483648": false,
	} {
		m, err := decodeWith(t, decode, `{"jsonrpc":"2.0","id":`+id+`,"method":"m"}`)
		require.Equal(t, ok, err == nil, "%s", id)
		if !ok {
			require.Contains(t, err.Reason, "limit of 64 digits")
			require.Nil(t, m.ID)
		}
	}
}

// TestHostileNesting is A8: a hundred thousand brackets, closed or not, where
// the value is read and where it is skipped.
func TestHostileNesting(t *testing.T) {
	const n = 100_000
	for _, before := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping","x":`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":`,
		`{"jsonrpc":"2.0","error":{"code":1,"message":"","data":`,
		`{"jsonrpc":"2.0","id":`,
		`[`, ``,
	} {
		unlimited := codec.NewDecoder(&codec.Limits{MaxDepth: -1}).Decode
		for _, open := range []string{"[", `{"a":`, `[{"a":`} {
			outside := strings.Count(before, "{") + strings.Count(before, "[")
			room := codec.DefaultMaxDepth - outside
			at := len(before) + len(open)*room
			if open == `[{"a":` {
				if at = len(before) + len(open)*(room/2); room%2 == 1 {
					at++
				}
			}
			hostile := strings.Repeat(open, n)
			_, err := refuse(t, parseError, before+hostile[:at-len(before)]+mark+hostile[at-len(before):])
			require.Contains(t, err.Reason, "512")
			refuse(t, parseError, before+hostile[:at-len(before)]+mark+hostile[at-len(before):]+`0`+closers(open, n))

			// Without a limit it is only long, and still no recursion.
			_, err = decodeWith(t, unlimited, before+hostile)
			require.NotNil(t, err)
			require.Contains(t, err.Reason, "unexpected end")
		}
	}
	m, err := decodeWith(t, codec.NewDecoder(&codec.Limits{MaxDepth: -1}).Decode,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":`+strings.Repeat("[", n)+strings.Repeat("]", n)+`,"x":[]}`)
	require.Nil(t, err)
	require.Len(t, m.Params, 2*n)
}

// closers closes what strings.Repeat(open, n) opened.
func closers(open string, n int) string {
	return strings.Repeat(map[string]string{"[": "]", `{"a":`: "}", `[{"a":`: "}]"}[open], n)
}

// TestFrameTooLongIsNotScanned: the very first byte is no JSON, and nobody
// notices.
func TestFrameTooLongIsNotScanned(t *testing.T) {
	m := new(codec.Message)
	err := codec.Decode(make([]byte, 64<<20), m)
	e, ok := err.(*codec.DecodeError)
	require.True(t, ok)
	require.EqualValues(t, invalidRequest, e.Code)
	require.Equal(t, codec.DefaultMaxBytes, e.Offset)
	require.Contains(t, e.Reason, "16777216")
	require.Equal(t, snapshot{}, shot(m))
}
