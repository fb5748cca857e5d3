package fuzz_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/dispatch"
)

// FuzzTrace: what is let through is let through again, fits in a header and a
// string of JSON, and is no longer than allowed.
func FuzzTrace(f *testing.F) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	f.Add(parent, "rojo=1,congo@x=t61 z", "k=v;p;q=1,l=w")
	f.Add("cc"+parent[2:]+"-x", "", "k")
	f.Add(strings.ToUpper(parent), "a=1,,a=1", "=\r\n")
	f.Fuzz(func(t *testing.T, parent, state, baggage string) {
		got := dispatch.ParseTrace(parent, state, baggage)
		if again := dispatch.ParseTrace(got.Parent, got.State, got.Baggage); again != got {
			t.Fatalf("%+v is taken for %+v", got, again)
		}
		if got.Parent != "" && (len(got.ID()) != 32 || len(got.Span()) != 16) || got.Parent == "" && got.State != "" {
			t.Fatalf("%+v", got)
		}
		if len(got.State) > dispatch.MaxTraceState || len(got.Baggage) > dispatch.MaxBaggage {
			t.Fatal("too long")
		}
		for _, c := range got.Parent + got.State + got.Baggage {
			if c != '\t' && (c < ' ' || c > '~') {
				t.Fatalf("%q in %+v", c, got)
			}
		}
	})
}

// FuzzRedact: whatever the payload, no value of a hidden member is logged, and
// nothing but those is changed.
func FuzzRedact(f *testing.F) {
	for _, s := range []string{`{"pin":1}`, `{"a":[{"PIN":{"pin":"x"}}],"b":"\"pin\":1"}`, `["pin",1]`, `{"p\u0069n" : "x", "q":"é"}`} {
		f.Add([]byte(s), 100)
		f.Add([]byte(s), 9)
	}
	f.Fuzz(func(t *testing.T, payload []byte, most int) {
		payload = bytes.Trim(payload, white)
		if len(payload) > 4<<10 || !acceptable(payload, 100) || most < 1 {
			return
		}
		var b bytes.Buffer
		o := dispatch.NewLogObserver(slog.New(slog.NewJSONHandler(&b, nil)),
			&dispatch.LogOptions{Params: true, Redact: []string{"pin"}, MaxPayload: most})
		o.Observe(&dispatch.Event{Context: context.Background(), Params: payload})
		var line struct{ Params string }
		if err := json.Unmarshal(b.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		want := hidden(payload)
		if got, _, isCut := strings.Cut(line.Params, "… ("); isCut && len(want) > most {
			if len(got) > most || !strings.HasPrefix(want, got) {
				t.Fatalf("%q of %q", got, want)
			}
		} else if line.Params != want {
			t.Fatalf("%q, want %q", line.Params, want)
		}
	})
}

// hidden is payload without what the name pin hides, made the slow way: value by
// value, each put together from the text around its parts.
func hidden(payload []byte) string {
	replace := func(parts [][]byte, with func(i int, part []byte) string) string {
		var out strings.Builder
		rest := payload
		for i, part := range parts {
			at := bytes.Index(rest, part)
			out.Write(rest[:at])
			out.WriteString(with(i, part))
			rest = rest[at+len(part):]
		}
		out.Write(rest)
		return out.String()
	}
	switch payload[0] {
	case '{':
		all := members(payload)
		var parts [][]byte
		for _, m := range all {
			parts = append(parts, m.raw, m.value)
		}
		return replace(parts, func(i int, part []byte) string {
			switch {
			case i%2 == 0:
				return string(part)
			case strings.EqualFold(all[i/2].name, "pin"):
				return `"[redacted]"`
			}
			return hidden(part)
		})
	case '[':
		return replace(elements(payload), func(_ int, part []byte) string { return hidden(part) })
	}
	return string(payload)
}
