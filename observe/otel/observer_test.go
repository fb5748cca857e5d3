package otel_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/observe/otel"
	"github.com/wirespool/wirespool/transport"
)

// telemetry keeps in memory what is exported.
type telemetry struct {
	t      testing.TB
	spans  *tracetest.InMemoryExporter
	reader *metric.ManualReader
	tracer trace.Tracer
	*otel.Observer
}

func newTelemetry(t testing.TB, opts otel.Options) *telemetry {
	tel := &telemetry{t: t, spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	provider := sdk.NewTracerProvider(sdk.WithSyncer(tel.spans))
	opts.TracerProvider = provider
	opts.MeterProvider = metric.NewMeterProvider(metric.WithReader(tel.reader))
	tel.tracer = provider.Tracer("test")
	var err error
	tel.Observer, err = otel.New(&opts)
	require.NoError(t, err)
	return tel
}

// take returns the spans that ended since it was last asked.
func (tel *telemetry) take() []tracetest.SpanStub {
	spans := tel.spans.GetSpans()
	tel.spans.Reset()
	return spans
}

// points returns one line for each attribute set of a histogram.
func (tel *telemetry) points(name string) (lines []string) {
	var all metricdata.ResourceMetrics
	require.NoError(tel.t, tel.reader.Collect(context.Background(), &all))
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			require.Equal(tel.t, "s", m.Unit)
			for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
				lines = append(lines, fmt.Sprintf("%s n=%d sum=%.3f", text(p.Attributes.ToSlice()), p.Count, p.Sum))
				require.Equal(tel.t, []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}, p.Bounds)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func text(attributes []attribute.KeyValue) string {
	var all []string
	for _, a := range attributes {
		all = append(all, string(a.Key)+"="+a.Value.String())
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// joined is a client of a server, both observed by the same telemetry or none.
func joined(t testing.TB, ctx context.Context, server, client dispatch.Observer, register func(*dispatch.Server)) *dispatch.Client {
	near, far := transport.Pipe(nil)
	s := dispatch.NewServer(&dispatch.Options{
		Observer: server, Limits: dispatch.Limits{HandlerTimeout: 2 * time.Second},
		Info: dispatch.Info{Name: "s", Version: "1", Capabilities: []byte(`{"tools":{"listChanged":true}}`)},
	})
	register(s)
	go func() { _ = s.Serve(ctx, far) }()
	c, err := dispatch.Connect(t.Context(), pipeDialer{near}, &dispatch.ClientOptions{
		Era:     dispatch.EraLegacy,
		Options: dispatch.Options{Observer: client, Info: dispatch.Info{Name: "c", Version: "1", Capabilities: []byte(`{"roots":{}}`)}},
		Handlers: func(m *dispatch.Mux) {
			m.Handle("roots/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				return append(dst, `{"roots":[]}`...), nil
			})
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = c.Close()
		_ = s.Shutdown(context.Background())
	})
	return c
}

type pipeDialer struct{ conn transport.Conn }

func (d pipeDialer) Dial(context.Context) (transport.Conn, error) { return d.conn, nil }

// tools is a server of a few tools.
func tools(s *dispatch.Server) {
	s.Handle("tools/call", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		name, _ := r.Fact(codec.FactName).Text()
		switch string(name) {
		case "ok":
			r.Wait(func() { <-time.After(time.Second) })
			return append(dst, `{"content":[]}`...), nil
		case "ask":
			res, err := r.Call(ctx, "roots/list", nil)
			if err != nil {
				return nil, err
			}
			res.Release()
			return append(dst, `{"content":[]}`...), nil
		case "bad":
			return dispatch.ToolError(dst, "no"), nil
		case "slow":
			<-ctx.Done()
			return nil, ctx.Err()
		case "broken":
			return nil, fmt.Errorf("disk full")
		}
		return nil, &codec.Error{Code: -32602, Message: "no such tool"}
	})
	s.Handle("resources/read", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, "{}"...), nil
	})
	s.Handle("x/*", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, "{}"...), nil
	})
}

// line tells a span in a line.
func line(s tracetest.SpanStub) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %q %s", s.SpanKind, s.Name, text(s.Attributes))
	if s.Status.Code != codes.Unset {
		fmt.Fprintf(&out, " | %s: %s", s.Status.Code, s.Status.Description)
	}
	for _, e := range s.Events {
		out.WriteString(" | " + e.Name + " " + text(e.Attributes[1:2]))
	}
	return out.String()
}

// TestSpans pins names, kinds and attributes of both ends of a call, by the
// semantic conventions.
func TestSpans(t *testing.T) {
	const v = " mcp.protocol.version=2025-11-25 network.transport=pipe"
	for name, tt := range map[string]struct{ method, params, client, server string }{
		"ok": {"tools/call", `{"name":"ok"}`,
			`client "tools/call ok" gen_ai.operation.name=execute_tool gen_ai.tool.name=ok jsonrpc.request.id=2 mcp.method.name=tools/call` + v,
			`server "tools/call ok" gen_ai.operation.name=execute_tool gen_ai.tool.name=ok jsonrpc.request.id=2 mcp.method.name=tools/call` + v},
		"tool error": {"tools/call", `{"name":"bad"}`,
			`client "tools/call bad" error.type=tool_error gen_ai.operation.name=execute_tool gen_ai.tool.name=bad jsonrpc.request.id=2 mcp.method.name=tools/call` + v + ` | Error: `,
			`server "tools/call bad" error.type=tool_error gen_ai.operation.name=execute_tool gen_ai.tool.name=bad jsonrpc.request.id=2 mcp.method.name=tools/call` + v + ` | Error: `},
		"error answer": {"tools/call", `{"name":"none"}`,
			`client "tools/call none" error.type=-32602 gen_ai.operation.name=execute_tool gen_ai.tool.name=none jsonrpc.request.id=2 mcp.method.name=tools/call` + v + ` rpc.response.status_code=-32602 | Error: no such tool`,
			`server "tools/call none" error.type=-32602 gen_ai.operation.name=execute_tool gen_ai.tool.name=none jsonrpc.request.id=2 mcp.method.name=tools/call` + v + ` rpc.response.status_code=-32602 | Error: no such tool`},
		"failure": {"tools/call", `{"name":"broken"}`,
			`client "tools/call broken" error.type=-32603 gen_ai.operation.name=execute_tool gen_ai.tool.name=broken jsonrpc.request.id=2 mcp.method.name=tools/call` + v + ` rpc.response.status_code=-32603 | Error: Internal error`,
			`server "tools/call broken" error.type=-32603 gen_ai.operation.name=execute_tool gen_ai.tool.name=broken jsonrpc.request.id=2 mcp.method.name=tools/call` + v + ` rpc.response.status_code=-32603 | Error: Internal error | exception exception.message=disk full`},
		"prompt, nobody serves it": {"prompts/get", `{"name":"p"}`,
			`client "prompts/get p" error.type=-32601 gen_ai.prompt.name=p jsonrpc.request.id=2 mcp.method.name=prompts/get` + v + ` rpc.response.status_code=-32601 | Error: method prompts/get not found`,
			`server "prompts/get p" error.type=-32601 gen_ai.prompt.name=p jsonrpc.request.id=2 mcp.method.name=prompts/get` + v + ` rpc.response.status_code=-32601 | Error: method prompts/get not found`},
		"resource": {"resources/read", `{"uri":"file:///a"}`,
			`client "resources/read" jsonrpc.request.id=2 mcp.method.name=resources/read` + v[:len(v)-len(" network.transport=pipe")] + ` mcp.resource.uri=file:///a network.transport=pipe`,
			`server "resources/read" jsonrpc.request.id=2 mcp.method.name=resources/read` + v[:len(v)-len(" network.transport=pipe")] + ` mcp.resource.uri=file:///a network.transport=pipe`},
		"namespace": {"x/y", `{}`,
			`client "x/y" jsonrpc.request.id=2 mcp.method.name=x/y` + v,
			`server "x/*" jsonrpc.request.id=2 mcp.method.name=x/y` + v},
		"ping": {"ping", ``,
			`client "ping" jsonrpc.request.id=2 mcp.method.name=ping` + v,
			`server "ping" jsonrpc.request.id=2 mcp.method.name=ping` + v},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tel := newTelemetry(t, otel.Options{Transport: "pipe", SessionID: true})
				c := joined(t, context.Background(), tel, tel, tools)
				synctest.Wait()
				tel.take()
				res, err := c.CallRaw(t.Context(), tt.method, []byte(tt.params))
				if err == nil {
					res.Release()
				}
				spans := tel.take()
				require.Len(t, spans, 2)
				require.Equal(t, tt.server, line(spans[0]))
				require.Equal(t, tt.client, line(spans[1]))
				require.Equal(t, spans[1].SpanContext.TraceID(), spans[0].SpanContext.TraceID(), "one trace")
				require.Equal(t, spans[1].SpanContext.SpanID(), spans[0].Parent.SpanID(), "the call is the parent")
				require.True(t, spans[0].Parent.IsRemote())
				require.Empty(t, spans[0].Links)
			})
		})
	}
}

// TestParents: what a handler calls and notifies is a child of its span, the far
// end's spans are children of those, and baggage goes along.
func TestParents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := newTelemetry(t, otel.Options{})
		got := make(chan string, 1)
		c := joined(t, context.Background(), tel, tel, func(s *dispatch.Server) {
			s.Handle("tools/call", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				got <- baggage.FromContext(ctx).Member("user").Value()
				if err := r.Notify(ctx, "notifications/tools/list_changed", nil); err != nil {
					return nil, err
				}
				res, err := r.Call(ctx, "roots/list", nil)
				if err != nil {
					return nil, err
				}
				res.Release()
				return append(dst, "{}"...), nil
			})
		})
		synctest.Wait()
		tel.take()
		member, err := baggage.NewMember("user", "alice")
		require.NoError(t, err)
		bag, err := baggage.New(member)
		require.NoError(t, err)
		ctx, root := tel.tracer.Start(baggage.ContextWithBaggage(t.Context(), bag), "root")
		res, err := c.CallRaw(ctx, "tools/call", []byte(`{"name":"x"}`))
		require.NoError(t, err)
		res.Release()
		root.End()
		synctest.Wait()
		require.Equal(t, "alice", <-got)

		spans := tel.take()
		parentOf := map[string]string{}
		names := map[trace.SpanID]string{}
		for _, s := range spans {
			names[s.SpanContext.SpanID()] = fmt.Sprint(s.SpanKind, " ", s.Name)
			require.Equal(t, root.SpanContext().TraceID(), s.SpanContext.TraceID())
		}
		for _, s := range spans {
			parentOf[fmt.Sprint(s.SpanKind, " ", s.Name)] = names[s.Parent.SpanID()]
		}
		require.Equal(t, map[string]string{
			"internal root":                           "",
			"client tools/call x":                     "internal root",
			"server tools/call x":                     "client tools/call x",
			"client notifications/tools/list_changed": "server tools/call x",
			"server notifications/tools/list_changed": "client notifications/tools/list_changed",
			"client roots/list":                       "server tools/call x",
			"server roots/list":                       "client roots/list",
		}, parentOf)
	})
}

// TestAmbient: the trace of a message wins over the span that Serve runs in,
// which is linked; where no trace came, that span is the parent.
func TestAmbient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := newTelemetry(t, otel.Options{})
		ctx, around := tel.tracer.Start(context.Background(), "serve")
		c := joined(t, ctx, tel, nil, tools)
		synctest.Wait()
		tel.take()
		const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
		for _, meta := range []string{`{"name":"bad"}`, `{"name":"bad","_meta":{"traceparent":"` + parent + `"}}`} {
			res, err := c.CallRaw(t.Context(), "tools/call", []byte(meta))
			require.NoError(t, err)
			res.Release()
		}
		spans := tel.take()
		require.Len(t, spans, 2)
		require.Equal(t, around.SpanContext().SpanID(), spans[0].Parent.SpanID())
		require.Empty(t, spans[0].Links)
		require.Equal(t, "00f067aa0ba902b7", spans[1].Parent.SpanID().String())
		require.Equal(t, "4bf92f3577b34da6a3ce929d0e0e4736", spans[1].SpanContext.TraceID().String())
		require.Len(t, spans[1].Links, 1)
		require.Equal(t, around.SpanContext().SpanID(), spans[1].Links[0].SpanContext.SpanID())
		around.End()
	})
}

// TestTimes: a span lasts as long as the handler, a timeout and a cancellation
// are told apart, and each of them ends once.
func TestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := newTelemetry(t, otel.Options{})
		c := joined(t, context.Background(), tel, tel, tools)
		synctest.Wait()
		tel.take()
		call := func(ctx context.Context, name string, opts ...dispatch.CallOption) (spans []tracetest.SpanStub) {
			res, err := c.CallRaw(ctx, "tools/call", []byte(`{"name":"`+name+`"}`), opts...)
			if err == nil {
				res.Release()
			}
			synctest.Wait()
			for _, s := range tel.take() {
				if s.Name == "tools/call "+name {
					spans = append(spans, s)
				}
			}
			require.Len(t, spans, 2)
			slices.SortFunc(spans, func(a, b tracetest.SpanStub) int { return int(a.SpanKind) - int(b.SpanKind) })
			return spans
		}
		fails := func(s tracetest.SpanStub) string {
			for _, a := range s.Attributes {
				if a.Key == "error.type" {
					return a.Value.AsString()
				}
			}
			return ""
		}
		spans := call(t.Context(), "ok")
		for _, s := range spans {
			require.Equal(t, time.Second, s.EndTime.Sub(s.StartTime))
			require.Empty(t, fails(s))
		}
		spans = call(t.Context(), "slow")
		require.Equal(t, []string{"-32000", "-32000"}, []string{fails(spans[0]), fails(spans[1])}, "the handler's time was up")
		require.Equal(t, 2*time.Second, spans[0].EndTime.Sub(spans[0].StartTime))
		spans = call(t.Context(), "slow", dispatch.WithTimeout(time.Second, time.Second))
		require.Equal(t, []string{"cancelled", "timeout"}, []string{fails(spans[0]), fails(spans[1])}, "the call's time was up")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		spans = call(ctx, "slow")
		require.Equal(t, []string{"cancelled", "cancelled"}, []string{fails(spans[0]), fails(spans[1])})
	})
}

// TestMetrics pins the histograms, their attributes and their units.
func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := newTelemetry(t, otel.Options{Transport: "pipe"}), newTelemetry(t, otel.Options{})
		c := joined(t, context.Background(), server, client, tools)
		for _, params := range []string{`{"name":"ok"}`, `{"name":"ok"}`, `{"name":"bad"}`, `{"name":"none"}`} {
			res, err := c.CallRaw(t.Context(), "tools/call", []byte(params))
			if err == nil {
				res.Release()
			}
		}
		_, err := c.CallRaw(t.Context(), "made/up", nil)
		require.Error(t, err)
		require.NoError(t, c.Close())
		synctest.Wait()
		const tool = `gen_ai.operation.name=execute_tool gen_ai.tool.name=`
		const rest = ` mcp.method.name=tools/call mcp.protocol.version=2025-11-25`
		require.Equal(t, []string{
			`error.type=-32601 mcp.method.name=_OTHER mcp.protocol.version=2025-11-25 network.transport=pipe rpc.response.status_code=-32601 n=1 sum=0.000`,
			`error.type=-32602 ` + tool + `none` + rest + ` network.transport=pipe rpc.response.status_code=-32602 n=1 sum=0.000`,
			`error.type=tool_error ` + tool + `bad` + rest + ` network.transport=pipe n=1 sum=0.000`,
			tool + `ok` + rest + ` network.transport=pipe n=2 sum=2.000`,
			`mcp.method.name=initialize network.transport=pipe n=1 sum=0.000`,
			`mcp.method.name=notifications/initialized mcp.protocol.version=2025-11-25 network.transport=pipe n=1 sum=0.000`,
		}, server.points("mcp.server.operation.duration"))
		require.Contains(t, client.points("mcp.client.operation.duration"), tool+`ok`+rest+` n=2 sum=2.000`)
		require.Contains(t, client.points("mcp.client.operation.duration"),
			`error.type=-32601 mcp.method.name=made/up mcp.protocol.version=2025-11-25 rpc.response.status_code=-32601 n=1 sum=0.000`)
		require.Equal(t, []string{`mcp.protocol.version=2025-11-25 network.transport=pipe n=1 sum=2.000`}, server.points("mcp.server.session.duration"))
		require.Equal(t, []string{`mcp.protocol.version=2025-11-25 n=1 sum=2.000`}, client.points("mcp.client.session.duration"))
		require.Empty(t, server.points("mcp.client.operation.duration"))
		require.Empty(t, client.points("mcp.server.session.duration"))
	})
}

// TestBounded: names that a peer thinks of make no time series, and long ones no
// long attributes.
func TestBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := newTelemetry(t, otel.Options{})
		c := joined(t, context.Background(), tel, nil, tools)
		for i := range otel.MaxNames + 50 {
			_, err := c.CallRaw(t.Context(), "tools/call", fmt.Appendf(nil, `{"name":"made up %d"}`, i))
			require.Error(t, err)
			_, err = c.CallRaw(t.Context(), fmt.Sprint("made/up", i), nil)
			require.Error(t, err)
		}
		points := tel.points("mcp.server.operation.duration")
		require.LessOrEqual(t, len(points), otel.MaxNames+5)
		require.True(t, slices.ContainsFunc(points, func(s string) bool {
			return strings.Contains(s, "gen_ai.tool.name=_OTHER") && strings.HasSuffix(s, "n=50 sum=0.000")
		}), points)
		tel.take()
		long := strings.Repeat("é", otel.MaxAttribute)
		_, err := c.CallRaw(t.Context(), "tools/call", []byte(`{"name":"`+long+`"}`))
		require.Error(t, err)
		require.Equal(t, "tools/call "+long[:otel.MaxAttribute], tel.take()[0].Name)
	})
}

// TestJunk: what is no message makes no span and no harm.
func TestJunk(t *testing.T) {
	tel := newTelemetry(t, otel.Options{})
	tel.Observe(&dispatch.Event{Kind: dispatch.EventRefused, Context: t.Context(), Outcome: dispatch.OutcomeProtocol})
	require.Empty(t, tel.take())
}

// TestGlobal: without providers the global ones are taken, which do nothing
// until somebody sets them.
func TestGlobal(t *testing.T) {
	o, err := otel.New(nil)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		c := joined(t, context.Background(), o, o, tools)
		res, err := c.CallRaw(t.Context(), "tools/call", []byte(`{"name":"ok"}`))
		require.NoError(t, err)
		res.Release()
	})
}
