package limits_test

import (
	"slices"
	"testing"

	"github.com/wirespool/wirespool/bench/limits"
)

func TestRing(t *testing.T) {
	r := limits.NewRing(3)
	want := []string{}
	for _, text := range []string{"a", "b", "", "d", "e"} {
		data := []byte(text)
		r.Append(data)
		clear(data)
		want = append(want, text)
		want = want[max(0, len(want)-3):]
		var got []string
		r.Each(func(b []byte) { got = append(got, string(b)) })
		if !slices.Equal(got, want) {
			t.Errorf("kept %q, want %q", got, want)
		}
	}
}
