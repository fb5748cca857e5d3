package codec_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

func TestFind(t *testing.T) {
	const doc = `{ "a" : { "b" : [ {"c":1} ] , "b2":{"c":{"d":"deep"}} } , "\u0078\/y":2, "n":null, "":{"":3}, "\ud83d\ude00":4, "f":false}`
	for _, tt := range []struct {
		path []string
		want string
	}{
		{nil, doc},
		{[]string{"a", "b"}, `[ {"c":1} ]`},
		{[]string{"a", "b2", "c", "d"}, `"deep"`},
		{[]string{"x/y"}, "2"}, // escapes in the text
		{[]string{"n"}, "null"},
		{[]string{""}, `{"":3}`},
		{[]string{"", ""}, "3"},
		{[]string{"\U0001f600"}, "4"},
		{[]string{"f"}, "false"},
		// Absent, and what has no members.
		{[]string{"A"}, ""},
		{[]string{"a", "b", "c"}, ""},
		{[]string{"n", "x"}, ""},
		{[]string{"f", "x"}, ""},
		{[]string{"a", "b2", "c", "d", "e"}, ""},
		{[]string{"a "}, ""},
		{[]string{`x\/y`}, ""},
		{[]string{`\u0078\/y`}, ""},
	} {
		v := codec.Value(doc)
		got, err := codec.Find(v, tt.path...)
		require.NoError(t, err)
		require.Equal(t, tt.want, string(got), "%q", tt.path)
		require.Equal(t, tt.want == "", got == nil, "%q", tt.path)
		if len(tt.path) > 0 {
			cut(t, "found", got)
		}
	}
	for _, v := range []string{"", "null", "1", `"a"`, "[]", `[{"a":1}]`} {
		got, err := codec.Find(codec.Value(v), "a")
		require.NoError(t, err)
		require.Nil(t, got)
	}
}

// TestFindComparesTextWithText: a name is what it reads, not how it is spelt.
func TestFindComparesTextWithText(t *testing.T) {
	for _, tt := range []struct {
		object, name string
		found        bool
	}{
		{`{"a\nb":1}`, "a\nb", true},
		{`{"a\nb":1}`, `a\nb`, false}, // reads as a line feed, not as a backslash
		{`{"a\\nb":1}`, `a\nb`, true},
		{`{"\u0041":1}`, "A", true},
		{`{"\u0041":1}`, `\u0041`, false},
		{`{"\\u0041":1}`, `\u0041`, true},
		{`{"\"":1}`, `"`, true},
		{`{"\"":1}`, `\"`, false},
		{`{"\ufffd":1}`, "\ufffd", true},
		{`{"\ud83d":1}`, "\ufffd", false}, // A6: half a pair is no other text
		{`{"\ud83d":1,"\ufffd":2,"\udcaf":3}`, "\ufffd", true},
		{`{"` + "\u017fum" + `":1}`, "sum", false},
		{`{"` + "\u212aey" + `":1}`, "key", false},
		{`{"KEY":1}`, "key", false},
		{`{"é":1}`, "e\u0301", false},
	} {
		got, err := codec.Find(codec.Value(tt.object), tt.name)
		require.NoError(t, err, "%s", tt.object)
		require.Equal(t, tt.found, got != nil, "%q in %s", tt.name, tt.object)
	}
}

// TestFindRefusesDuplicates on its path, and only there.
func TestFindRefusesDuplicates(t *testing.T) {
	for _, tt := range []struct {
		doc  string
		path []string
		name string // of the duplicate; empty for none
	}{
		{`{"a":1,"a":1}`, []string{"a"}, "a"},
		{`{"a":1,"x":0,"\u0061":2}`, []string{"a"}, "a"},
		{`{"a":null,"a":null}`, []string{"a"}, "a"},
		{`{"a":{"b":1},"a":{"c":2}}`, []string{"a", "b"}, "a"},
		{`{"a":{"b":1,"b":2}}`, []string{"a", "b"}, "b"},
		{`{"a":{"b":1,"b":2}}`, []string{"a", "b", "c"}, "b"},
		{`{"a":{"b":1,"b":2}}`, []string{"a"}, ""},
		{`{"x":1,"x":2,"a":3}`, []string{"a"}, ""},
		{`{"x":{"a":1,"a":2},"a":3}`, []string{"a"}, ""},
		{`{"a":1,"A":2}`, []string{"a"}, ""},
		{`{"a":1,"a":2}`, []string{"b"}, ""},
	} {
		got, err := codec.Find(codec.Value(tt.doc), tt.path...)
		if tt.name == "" {
			require.NoError(t, err, "%s", tt.doc)
			continue
		}
		require.Nil(t, got)
		duplicate, ok := errors.AsType[*codec.DuplicateError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, tt.name, duplicate.Name)
		require.Contains(t, err.Error(), `"`+tt.name+`"`)
	}
}
