package eventlog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
)

const key = "abcdefghijklmnopqrstu-"

func TestParseEventID(t *testing.T) {
	tests := map[string]struct {
		text  string
		wrong string // part of the error; "" where there is none
	}{
		"ordinal":               {key + ".1", ""},
		"any visible position":  {key + ".!~.;=", ""},
		"the longest":           {key + "." + strings.Repeat("9", 17), ""},
		"empty":                 {"", "a key of 22 characters"},
		"no position":           {key + ".", "a key of 22 characters"},
		"no dot":                {key + "_1", "a key of 22 characters"},
		"dot too early":         {key[:21] + "..1", "not base64url"},
		"key too long":          {key + "a.1", "a key of 22 characters"},
		"too long":              {key + "." + strings.Repeat("9", 18), "MaxEventID"},
		"very long":             {strings.Repeat("9", 1<<20), "MaxEventID"},
		"standard base64":       {strings.Replace(key, "-", "+", 1) + ".1", "not base64url"},
		"space in the position": {key + ".1 2", "not visible ASCII"},
		"line end":              {key + ".1\n", "not visible ASCII"},
		"NUL":                   {key + ".\x00", "not visible ASCII"},
		"DEL":                   {key + ".\x7f", "not visible ASCII"},
		"beyond ASCII":          {key + ".é", "not visible ASCII"},
		"of another server":     {"s1-3", "a key of 22 characters"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			id, err := eventlog.ParseEventID(test.text)
			if test.wrong == "" {
				require.NoError(t, err)
				require.Equal(t, test.text, id.String())
				require.Equal(t, key, id.Key)
				return
			}
			require.ErrorIs(t, err, eventlog.ErrBadID)
			require.ErrorContains(t, err, test.wrong)
			require.True(t, id.IsZero())
		})
	}
}

func TestEventIDText(t *testing.T) {
	var zero eventlog.EventID
	id := eventlog.EventID{Key: key, Pos: "17"}
	for text, id := range map[string]eventlog.EventID{"": zero, key + ".17": id} {
		require.Equal(t, text, id.String())
		b, err := id.AppendText([]byte("id: "))
		require.NoError(t, err)
		require.Equal(t, "id: "+text, string(b))
	}
}

func TestKeysAreRandom(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		k := eventlog.NewKey()
		_, err := eventlog.ParseEventID(k + ".1")
		require.NoError(t, err)
		require.False(t, seen[k])
		seen[k] = true
	}
}

// What ParseEventID lets through can be written into an event stream as it is,
// and is exactly what came.
func FuzzParseEventID(f *testing.F) {
	for _, seed := range []string{"", key, key + ".1", key + ".", key + ".1\n", key + "." + strings.Repeat("9", 18), "s1-3", strings.Repeat(".", 40)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := eventlog.ParseEventID(text)
		if err != nil {
			if !id.IsZero() {
				t.Fatalf("%q: an error and an id", text)
			}
			return
		}
		if id.String() != text || len(text) > eventlog.MaxEventID || len(id.Key) != 22 || id.Pos == "" {
			t.Fatalf("%q: read as %+v", text, id)
		}
		for i := range len(text) {
			if text[i] < '!' || text[i] > '~' {
				t.Fatalf("%q: let through %q", text, text[i])
			}
		}
	})
}
