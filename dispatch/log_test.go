package dispatch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// logged returns the lines that an observer logs of events, without their time.
func logged(opts *dispatch.LogOptions, events ...*dispatch.Event) string {
	var b bytes.Buffer
	l := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	o := dispatch.NewLogObserver(l, opts)
	for _, e := range events {
		o.Observe(e)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestLogObserver(t *testing.T) {
	ctx := dispatch.ContextWithTrace(t.Context(), dispatch.Trace{Parent: parent})
	served := dispatch.Event{
		Kind: dispatch.EventServed, Context: ctx, Method: "tools/call", ID: codec.ID(`"a b"`),
		Params: codec.Value(`{"name":"x","token":"t0p"}`), Result: codec.Value(`{"content":[]}`),
		BytesIn: 99, BytesOut: 14, Duration: 1500 * time.Microsecond, Wait: 250 * time.Microsecond,
	}
	failed := served
	failed.Outcome, failed.Code, failed.Wire, failed.Err = dispatch.OutcomeProtocol, -32603, &codec.Error{Code: -32603}, errors.New("disk full")
	failed.Context, failed.Wait, failed.Result = nil, 0, nil
	tool := served
	tool.Outcome = dispatch.OutcomeToolError
	const common = `trace_id=` + traceID + ` id="\"a b\"" method=tools/call duration_ms=1.5 outcome=ok bytes_in=99 bytes_out=14 wait_ms=0.25`
	for name, tt := range map[string]struct {
		opts  *dispatch.LogOptions
		event *dispatch.Event
		want  string
	}{
		"served":    {nil, &served, `level=INFO msg="request served" ` + common},
		"payloads":  {&dispatch.LogOptions{Params: true, Results: true}, &served, `level=INFO msg="request served" ` + common + ` params="{\"name\":\"x\",\"token\":\"[redacted]\"}" result="{\"content\":[]}"`},
		"level":     {&dispatch.LogOptions{Level: slog.LevelDebug}, &served, ``},
		"failed":    {&dispatch.LogOptions{Level: slog.LevelDebug}, &failed, `level=WARN msg="request served" id="\"a b\"" method=tools/call duration_ms=1.5 outcome=protocol code=-32603 bytes_in=99 bytes_out=14 error="disk full"`},
		"tool":      {nil, &tool, `level=INFO msg="request served" ` + strings.Replace(common, "=ok", "=tool_error", 1)},
		"refused":   {nil, &dispatch.Event{Kind: dispatch.EventRefused, Outcome: dispatch.OutcomeProtocol, Code: -32700, BytesIn: 3}, `level=WARN msg="input refused" duration_ms=0 outcome=protocol code=-32700 bytes_in=3 bytes_out=0`},
		"opened":    {nil, &dispatch.Event{Kind: dispatch.EventOpened}, `level=INFO msg="peer opened"`},
		"closed":    {nil, &dispatch.Event{Kind: dispatch.EventClosed, Duration: time.Second}, `level=INFO msg="peer closed" duration_ms=1000 outcome=ok`},
		"code 0":    {nil, &dispatch.Event{Kind: dispatch.EventCalled, Outcome: dispatch.OutcomeApplication, Wire: &codec.Error{}}, `level=WARN msg="call made" duration_ms=0 outcome=application code=0 bytes_in=0 bytes_out=0`}, // N12
		"long name": {nil, &dispatch.Event{Kind: dispatch.EventSent, Method: strings.Repeat("é", 1<<20)}, `level=INFO msg="notification sent" method=` + strings.Repeat("é", 64) + `… duration_ms=0 outcome=ok bytes_in=0 bytes_out=0`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, logged(tt.opts, tt.event))
		})
	}
}

// TestRedact: values of members with these names are hidden at any depth, and
// nothing is shown beyond the limit.
func TestRedact(t *testing.T) {
	shown := func(o dispatch.LogOptions, params string) string {
		o.Params = true
		line := logged(&o, &dispatch.Event{Context: context.Background(), Params: codec.Value(params)})
		_, value, ok := strings.Cut(line, " params=")
		require.True(t, ok, line)
		if strings.HasPrefix(value, `"`) {
			require.NoError(t, json.Unmarshal([]byte(value), &value))
		}
		return value
	}
	hide := dispatch.LogOptions{Redact: []string{"pin", "geheimnis"}}
	for name, tt := range map[string]struct{ params, want string }{
		"string":         {`{"pin":"1234"}`, `{"pin":"[redacted]"}`},
		"number":         {`{"pin":1234,"a":1}`, `{"pin":"[redacted]","a":1}`},
		"object":         {`{"pin":{"pin":[1,"}"]},"a":1}`, `{"pin":"[redacted]","a":1}`},
		"last":           {`{"a":[1,2],"pin":null}`, `{"a":[1,2],"pin":"[redacted]"}`},
		"deep":           {`{"a":[{"b":[[{"pin":1}]]}]}`, `{"a":[{"b":[[{"pin":"[redacted]"}]]}]}`},
		"in any case":    {`{"PIN":1,"Geheimnis":2}`, `{"PIN":"[redacted]","Geheimnis":"[redacted]"}`},
		"spelt so or so": {`{"GEHEIM-nis":1,"ge_heim__nis":2,"-p-i-n-":3}`, `{"GEHEIM-nis":"[redacted]","ge_heim__nis":"[redacted]","-p-i-n-":"[redacted]"}`},
		"escaped name":   {`{"p\u0069n":1}`, `{"p\u0069n":"[redacted]"}`},
		"white space":    {"{ \"pin\" : 1 }", `{ "pin" : "[redacted]" }`},
		"a value is not": {`["pin","pin"]`, `["pin","pin"]`},
		"nor a part":     {`{"spin":1,"pins":2}`, `{"spin":1,"pins":2}`},
		"quotes inside":  {`{"a":"\"pin\":7","pin":"\\\""}`, `{"a":"\"pin\":7","pin":"[redacted]"}`},
		"several":        {`{"pin":1,"x":{"pin":2},"pin":3}`, `{"pin":"[redacted]","x":{"pin":"[redacted]"},"pin":"[redacted]"}`},
		"no container":   {`"pin"`, `"pin"`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, shown(hide, tt.params))
		})
	}

	const params = `{"a":"äöü","pin":"1234","z":"zzzz"}`
	for most := 1; most < 60; most++ {
		o := hide
		o.MaxPayload = most
		got := shown(o, params)
		require.NotContains(t, got, "1234", most)
		require.True(t, utf8.ValidString(got), "half a character: %q", got)
		text, note, isCut := strings.Cut(got, "…")
		require.LessOrEqual(t, len(text), most)
		require.True(t, strings.HasPrefix(`{"a":"äöü","pin":"[redacted]","z":"zzzz"}`, text), got)
		if isCut {
			require.Equal(t, " (38 bytes in all)", note)
		}
	}
	o := hide
	o.MaxPayload = -1
	long := `{"x":"` + strings.Repeat("x", 1<<16) + `"}`
	require.Equal(t, long, shown(o, long))
	for _, name := range append(dispatch.DefaultRedact(), "apiKey", "X-Api-Key", "Set-Cookie", "accessToken", "clientSecret", "authToken", "AWS_SECRET_ACCESS_KEY"[4:]) {
		require.NotContains(t, shown(dispatch.LogOptions{}, `{"`+name+`":"5ecret"}`), "5ecret")
	}
	require.Contains(t, shown(dispatch.LogOptions{Redact: []string{}}, `{"token":"t"}`), `"t"`, "an empty list hides nothing")
}

// TestRedactDepth: the deepest payload that the codec lets through is looked at
// once, not once for each level.
func TestRedactDepth(t *testing.T) {
	const depth = 500
	deep := strings.Repeat(`{"a":[`, depth/2) + `{"token":1}` + strings.Repeat("]}", depth/2)
	line := logged(&dispatch.LogOptions{Params: true, MaxPayload: -1}, &dispatch.Event{Context: context.Background(), Params: codec.Value(deep)})
	require.Contains(t, line, `[redacted]`)
	require.NotContains(t, line, `\"token\":1`)
}
