package dispatch_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent  = "00-" + traceID + "-00f067aa0ba902b7-01"
)

// TestParseTrace: what is not valid by the W3C's grammar is not there (TR-01).
func TestParseTrace(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	many := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, "k"+strings.Repeat("a", i)+"=v")
		}
		return strings.Join(all, ",")
	}
	for name, tt := range map[string]struct{ parent, state, baggage, want string }{
		"all":                     {parent, "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "userId=alice,node=DF%2028", parent + "|rojo=00f067aa0ba902b7,congo=t61rcWkgMzE|userId=alice,node=DF%2028"},
		"nothing":                 {"", "", "", "||"},
		"not sampled":             {"00-" + traceID + "-00f067aa0ba902b7-00", "", "", "00-" + traceID + "-00f067aa0ba902b7-00||"},
		"unknown flags kept":      {"00-" + traceID + "-00f067aa0ba902b7-fe", "", "", "00-" + traceID + "-00f067aa0ba902b7-fe||"},
		"later version":           {"cc-" + traceID + "-00f067aa0ba902b7-03-what-ever", "", "", parent + "||"},
		"later version, no more":  {"cc-" + traceID + "-00f067aa0ba902b7-02", "", "", "00-" + traceID + "-00f067aa0ba902b7-00||"},
		"later version, tail":     {"cc-" + traceID + "-00f067aa0ba902b7-03.what", "", "", "||"},
		"later version, endless":  {"cc-" + traceID + "-00f067aa0ba902b7-03-" + long(600), "", "", "||"},
		"version 00 with a tail":  {parent + "-x", "", "", "||"},
		"version ff":              {"ff" + parent[2:], "", "", "||"},
		"upper case":              {strings.ToUpper(parent), "", "", "||"},
		"no hexadecimal":          {strings.Replace(parent, "4b", "4g", 1), "", "", "||"},
		"zero trace":              {"00-00000000000000000000000000000000-00f067aa0ba902b7-01", "", "", "||"},
		"zero span":               {"00-" + traceID + "-0000000000000000-01", "", "", "||"},
		"too short":               {parent[:54], "", "", "||"},
		"dash out of place":       {strings.Replace(parent, "-", "_", 1), "", "", "||"},
		"white space":             {" " + parent, "", "", "||"},
		"state without parent":    {"", "rojo=1", "", "||"},
		"state, spaces":           {parent, "a=1 , b=2,\t,c=x y", "", parent + "|a=1 , b=2,\t,c=x y|"},
		"state, tenant":           {parent, "0t@sys=1", "", parent + "|0t@sys=1|"},
		"state, key twice":        {parent, "a=1,a=2", "", parent + "||"},
		"state, upper case":       {parent, "A=1", "", parent + "||"},
		"state, no value":         {parent, "a", "", parent + "||"},
		"state, empty value":      {parent, "a=", "", parent + "||"},
		"state, two equal signs":  {parent, "a=b=c", "", parent + "||"},
		"state, 32":               {parent, many(32), "", parent + "|" + many(32) + "|"},
		"state, 33":               {parent, many(33), "", parent + "||"},
		"state, only commas":      {parent, ",,", "", parent + "||"},
		"state, long value":       {parent, "a=" + long(257), "", parent + "||"},
		"state, control":          {parent, "a=\x01", "", parent + "||"},
		"baggage, properties":     {"", "", "k=v;p;q = 1 , l=w", "||k=v;p;q = 1 , l=w"},
		"baggage, empty value":    {"", "", "k=", "||k="},
		"baggage, no value":       {"", "", "k", "||"},
		"baggage, no key":         {"", "", "=v", "||"},
		"baggage, space in value": {"", "", "k=a b", "||"},
		"baggage, quote":          {"", "", `k="a"`, "||"},
		"baggage, line break":     {"", "", "k=a\r\nx: y", "||"},
		"baggage, control in key": {"", "", "\x11=v", "||"},
		"baggage, too long":       {"", "", "k=" + long(dispatch.MaxBaggage), "||"},
	} {
		t.Run(name, func(t *testing.T) {
			got := dispatch.ParseTrace(tt.parent, tt.state, tt.baggage)
			require.Equal(t, tt.want, got.Parent+"|"+got.State+"|"+got.Baggage)
		})
	}
}

func TestTraceFields(t *testing.T) {
	tr := dispatch.ParseTrace(parent, "", "")
	require.Equal(t, traceID, tr.ID())
	require.Equal(t, "00f067aa0ba902b7", tr.Span())
	require.True(t, tr.Sampled())
	require.False(t, dispatch.ParseTrace(parent[:54]+"2", "", "").Sampled())
	var none dispatch.Trace
	require.Empty(t, none.ID()+none.Span())
	require.False(t, none.Sampled())

	a, b := dispatch.NewTrace(), dispatch.NewTrace()
	require.Equal(t, a, dispatch.ParseTrace(a.Parent, "", ""), "a root is valid")
	require.NotEqual(t, a, b)
	require.True(t, a.Sampled())
	require.Equal(t, a, dispatch.TraceFrom(dispatch.ContextWithTrace(t.Context(), a)))
	require.Zero(t, dispatch.TraceFrom(t.Context()))
}

// relay is a server whose handler calls back and notifies with its own context.
func relay(o *dispatch.Options) func(t *testing.T) *wire {
	return func(t *testing.T) *wire {
		_, w := serve(t, o, func(s *dispatch.Server) {
			s.Handle("relay", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				if err := r.Notify(ctx, "n", []byte(`{"a":1}`)); err != nil {
					return nil, err
				}
				res, err := r.Call(ctx, "c", []byte(`{"b":2}`))
				if err != nil {
					return nil, err
				}
				defer res.Release()
				return append(dst, res.Value()...), nil
			})
			s.HandleNotification("note", func(ctx context.Context, n *dispatch.Notification) {
				_ = n.Peer().Notify(ctx, "n", nil)
			})
		})
		return w
	}
}

// TestTracePassedOn: the trace of a request or notification goes out with what
// its handler calls and notifies, into _meta and unprefixed; what the handler
// puts there itself wins (TR-01).
func TestTracePassedOn(t *testing.T) {
	const rest = `,"tracestate":"rojo=1","baggage":"k=v"`
	in := func(meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"relay","params":{"_meta":{` + meta + `}}}`
	}
	for name, tt := range map[string]struct{ meta, out string }{
		"none":             {``, ``},
		"traceparent":      {`"traceparent":"` + parent + `"`, `"_meta":{"traceparent":"` + parent + `"},`},
		"all":              {`"traceparent":"` + parent + `"` + rest, `"_meta":{"traceparent":"` + parent + `"` + rest + `},`},
		"escaped":          {`"trace\u0070arent":"\u0030` + parent[1:] + `"`, `"_meta":{"traceparent":"` + parent + `"},`},
		"baggage alone":    {`"baggage":"k=v"`, `"_meta":{"baggage":"k=v"},`},
		"invalid":          {`"traceparent":"` + parent[1:] + `"`, ``},
		"no string":        {`"traceparent":7,"baggage":{}`, ``},
		"huge":             {`"traceparent":"` + strings.Repeat("0", 1<<16) + `"`, ``},
		"state without it": {`"tracestate":"rojo=1"`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := relay(plain())(t)
				w.send(in(tt.meta))
				w.want(`{"jsonrpc":"2.0","method":"n","params":{` + tt.out + `"a":1}}`)
				w.want(`{"jsonrpc":"2.0","id":1,"method":"c","params":{` + tt.out + `"b":2}}`)
				w.send(empty("1"))
				w.want(empty("1"))
			})
		})
	}
	t.Run("notification", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			w := relay(plain())(t)
			w.send(`{"jsonrpc":"2.0","method":"note","params":{"_meta":{"traceparent":"` + parent + `"}}}`)
			w.want(`{"jsonrpc":"2.0","method":"n","params":{"_meta":{"traceparent":"` + parent + `"}}}`)
		})
	})
	t.Run("plain JSON-RPC has no _meta", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			w := relay(&dispatch.Options{Profile: dispatch.JSONRPC, NewTraces: true})(t)
			w.send(in(`"traceparent":"` + parent + `"`))
			w.want(`{"jsonrpc":"2.0","method":"n","params":{"a":1}}`)
			w.want(`{"jsonrpc":"2.0","id":1,"method":"c","params":{"b":2}}`)
			w.send(empty("1"))
			w.want(empty("1"))
		})
	})
}

// TestTraceOwnWins: a caller's own trace is not mixed with another's.
func TestTraceOwnWins(t *testing.T) {
	other := strings.Replace(parent, "4", "5", 1)
	for name, tt := range map[string]struct{ params, sent string }{
		"nothing of its own": {`{}`, `{"_meta":{"traceparent":"` + parent + `","tracestate":"a=1","baggage":"k=v"}}`},
		"own parent":         {`{"_meta":{"traceparent":"` + other + `"}}`, `{"_meta":{"traceparent":"` + other + `","baggage":"k=v"}}`},
		"own state":          {`{"_meta":{"tracestate":"b=2"}}`, `{"_meta":{"tracestate":"b=2","baggage":"k=v"}}`},
		"own baggage":        {`{"_meta":{"baggage":"l=w"}}`, `{"_meta":{"baggage":"l=w","traceparent":"` + parent + `","tracestate":"a=1"}}`},
		"positional":         {`[1]`, `[1]`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, c := rawServer(t, nil, nil)
				ctx := dispatch.ContextWithTrace(t.Context(), dispatch.ParseTrace(parent, "a=1", "k=v"))
				go func() {
					w.want(`{"jsonrpc":"2.0","id":2,"method":"x","params":` + tt.sent + `}`)
					w.send(empty("2"))
					w.want(`{"jsonrpc":"2.0","method":"y","params":` + tt.sent + `}`)
				}()
				res, err := c.CallRaw(ctx, "x", []byte(tt.params))
				require.NoError(t, err)
				res.Release()
				require.NoError(t, c.Notify(ctx, "y", []byte(tt.params)))
			})
		})
	}
}

// TestNewTraces: where the option says so, a trace begins with a request that
// came without one, and with a call made outside of any.
func TestNewTraces(t *testing.T) {
	root := `"traceparent":"00-…-01"`
	bubble(t, func(t *testing.T) {
		o := plain()
		o.NewTraces = true
		w := relay(o)(t)
		w.send(`{"jsonrpc":"2.0","id":1,"method":"relay","params":{"_meta":{"baggage":"k=v"}}}`)
		w.want(`{"jsonrpc":"2.0","method":"n","params":{"_meta":{` + root + `,"baggage":"k=v"},"a":1}}`)
		w.want(`{"jsonrpc":"2.0","id":1,"method":"c","params":{"_meta":{` + root + `,"baggage":"k=v"},"b":2}}`)
		w.send(empty("1"))
		w.want(empty("1"))
	})
	bubble(t, func(t *testing.T) {
		w, c := rawServer(t, &dispatch.ClientOptions{Options: dispatch.Options{NewTraces: true}}, nil)
		go func() {
			w.want(`{"jsonrpc":"2.0","id":2,"method":"x","params":{"_meta":{` + root + `}}}`)
			w.send(empty("2"))
		}()
		res, err := c.CallRaw(t.Context(), "x", nil)
		require.NoError(t, err)
		res.Release()
	})
}

// headerExchange is an exchange with headers.
type headerExchange struct {
	exchange
	headers map[string][]string
}

func (e *headerExchange) Header() map[string][]string { return e.headers }

// TestTraceHeaders: a transport's headers count where _meta says nothing.
func TestTraceHeaders(t *testing.T) {
	other := strings.Replace(parent, "4", "5", 1)
	headers := map[string][]string{"Traceparent": {other}, "Tracestate": {"h=1"}, "Baggage": {"from=header"}}
	for name, tt := range map[string]struct {
		meta    string
		headers map[string][]string
		want    dispatch.Trace
	}{
		"headers":         {``, headers, dispatch.Trace{Parent: other, State: "h=1", Baggage: "from=header"}},
		"meta first":      {`"traceparent":"` + parent + `"`, headers, dispatch.Trace{Parent: parent}},
		"meta invalid":    {`"traceparent":"x"`, headers, dispatch.Trace{Parent: other, State: "h=1", Baggage: "from=header"}},
		"baggage of meta": {`"baggage":"from=meta"`, headers, dispatch.Trace{Parent: other, State: "h=1", Baggage: "from=meta"}},
		"several":         {``, map[string][]string{"Traceparent": {other}, "Baggage": {"a=1", "b=2"}}, dispatch.Trace{Parent: other, Baggage: "a=1,b=2"}},
		"two parents":     {``, map[string][]string{"Traceparent": {other, parent}}, dispatch.Trace{}},
		"invalid headers": {``, map[string][]string{"Traceparent": {"x"}}, dispatch.Trace{}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var got dispatch.Trace
				p := push(t, plain(), func(s *dispatch.Server) {
					s.Handle("x", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
						got = dispatch.TraceFrom(ctx)
						return append(dst, "{}"...), nil
					})
				})
				in := &transport.Inbound{Via: &headerExchange{exchange{ctx: t.Context()}, tt.headers}}
				require.NoError(t, codec.Decode([]byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{`+tt.meta+`}}}`), &in.Message))
				p.to.Receive(in)
				require.Equal(t, tt.want, got)
			})
		})
	}
}
