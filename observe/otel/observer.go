package otel

import (
	"context"
	"errors"
	"slices"

	api "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// scope names this instrumentation.
const scope = "github.com/wirespool/wirespool/observe/otel"

// Options configure [New]. The zero value is ready to use.
type Options struct {
	// TracerProvider and MeterProvider are the global ones if nil.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	// Transport is network.transport: "pipe" for stdio, "tcp" or "quic" for HTTP,
	// "unix" for a socket. Empty leaves it out.
	Transport string
	// SessionID puts the session's id into spans. It is off by default, because
	// who knows the id of a session can speak in its name.
	SessionID bool
}

// Observer is a [dispatch.Starter] that makes spans and metrics. It is made by
// [New].
type Observer struct {
	opts   Options
	tracer trace.Tracer

	// What metrics tell apart.
	methods, targets, failures names

	serverTime, clientTime, serverSession, clientSession metric.Float64Histogram
}

var _ dispatch.Starter = (*Observer)(nil)

// seconds are the bounds of buckets that the conventions want.
var seconds = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// New returns an observer; opts may be nil and is copied.
func New(opts *Options) (*Observer, error) {
	o := new(Observer)
	if opts != nil {
		o.opts = *opts
	}
	if o.opts.TracerProvider == nil {
		o.opts.TracerProvider = api.GetTracerProvider()
	}
	if o.opts.MeterProvider == nil {
		o.opts.MeterProvider = api.GetMeterProvider()
	}
	o.tracer = o.opts.TracerProvider.Tracer(scope)
	meter := o.opts.MeterProvider.Meter(scope)
	var all []error
	for _, m := range []struct {
		to         *metric.Float64Histogram
		name, text string
	}{
		{&o.serverTime, "mcp.server.operation.duration", "How long a request or notification that came in took to be handled."},
		{&o.clientTime, "mcp.client.operation.duration", "How long a request took until its answer came, or a notification to be sent."},
		{&o.serverSession, "mcp.server.session.duration", "How long a connection lasted, seen by the server."},
		{&o.clientSession, "mcp.client.session.duration", "How long a connection lasted, seen by the client."},
	} {
		var err error
		*m.to, err = meter.Float64Histogram(m.name, metric.WithUnit("s"), metric.WithDescription(m.text),
			metric.WithExplicitBucketBoundaries(seconds...))
		all = append(all, err)
	}
	return o, errors.Join(all...)
}

// propagator reads and writes what MCP carries in _meta.
var propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// operation is a span that was begun for an event, and what it was begun for:
// contexts are inherited.
type operation struct {
	span trace.Span
	peer *dispatch.Peer
	kind dispatch.EventKind
}

type operationKey struct{}

// Start implements [dispatch.Starter].
func (o *Observer) Start(ctx context.Context, e *dispatch.Event) context.Context {
	ctx, span := o.begin(ctx, e)
	ctx = context.WithValue(ctx, operationKey{}, &operation{span, e.Peer, e.Kind})
	if !outgoing(e.Kind) {
		return ctx
	}
	carrier := propagation.MapCarrier{}
	propagator.Inject(ctx, carrier)
	return dispatch.ContextWithTrace(ctx, dispatch.ParseTrace(carrier["traceparent"], carrier["tracestate"], carrier["baggage"]))
}

// begin begins the span of an event: in the trace that came with it, if it came
// in.
func (o *Observer) begin(ctx context.Context, e *dispatch.Event) (context.Context, trace.Span) {
	with := []trace.SpanStartOption{
		trace.WithTimestamp(e.Start), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(o.spanAttributes(e)...),
	}
	if !outgoing(e.Kind) {
		with[1] = trace.WithSpanKind(trace.SpanKindServer)
	}
	if around := trace.SpanContextFromContext(ctx); !outgoing(e.Kind) || !around.IsValid() {
		t := dispatch.TraceFrom(ctx)
		ctx = propagator.Extract(ctx, propagation.MapCarrier{"traceparent": t.Parent, "tracestate": t.State, "baggage": t.Baggage})
		if came := trace.SpanContextFromContext(ctx); around.IsValid() && !came.Equal(around) {
			with = append(with, trace.WithLinks(trace.Link{SpanContext: around}))
		}
	}
	return o.tracer.Start(ctx, spanName(e), with...)
}

// outgoing reports whether this side brought the event about.
func outgoing(k dispatch.EventKind) bool { return k == dispatch.EventCalled || k == dispatch.EventSent }

// Observe implements [dispatch.Observer].
func (o *Observer) Observe(e *dispatch.Event) {
	switch e.Kind {
	case dispatch.EventOpened:
		return
	case dispatch.EventClosed:
		o.closed(e)
		return
	}
	if e.Method == "" {
		return // what came was no message
	}
	op, ok := e.Context.Value(operationKey{}).(*operation)
	if !ok || op.peer != e.Peer || op.kind != e.Kind { // what no handler saw had no beginning
		_, span := o.begin(e.Context, e)
		op = &operation{span: span}
	}
	o.end(op.span, e)
	to := o.serverTime
	if outgoing(e.Kind) {
		to = o.clientTime
	}
	to.Record(e.Context, e.Duration.Seconds(), metric.WithAttributes(o.metricAttributes(e)...))
}

// end ends the span of an event.
func (o *Observer) end(span trace.Span, e *dispatch.Event) {
	if span.IsRecording() {
		span.SetAttributes(failure(e)...)
		if kind := errorType(e); kind != "" {
			span.SetStatus(codes.Error, description(e))
		}
		if _, wire := errors.AsType[*codec.Error](e.Err); e.Err != nil && e.Wire != nil && !wire {
			span.RecordError(e.Err) // what the peer is not told
		}
	}
	span.End(trace.WithTimestamp(e.Start.Add(e.Duration)))
}

// closed records how long a connection lasted.
func (o *Observer) closed(e *dispatch.Event) {
	var attributes []attribute.KeyValue
	if kind := errorType(e); kind != "" {
		attributes = append(attributes, attribute.String("error.type", kind))
	}
	to := o.clientSession
	if e.Peer.Serving() {
		to = o.serverSession
	}
	to.Record(e.Context, e.Duration.Seconds(), metric.WithAttributes(slices.Concat(attributes, o.common(e))...))
}
