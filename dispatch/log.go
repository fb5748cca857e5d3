package dispatch

import (
	"context"
	"log/slog"
	"time"
)

// LogOptions configure [NewLogObserver]. The zero value logs no payloads.
type LogOptions struct {
	// Level is that of what went well, [slog.LevelInfo] by default. What did not
	// is logged as a warning.
	Level slog.Leveler
	// Params and Results log these payloads, redacted and cut.
	Params, Results bool
	// MaxPayload is how many bytes of a payload are logged; 0 means
	// [DefaultMaxLogged], a negative value no limit.
	MaxPayload int
	// Redact names the members whose values are replaced, at any depth of a
	// payload, in any case of letters, hyphens and underscores aside. nil means
	// [DefaultRedact].
	Redact []string
}

// logObserver writes a line for each event.
type logObserver struct {
	log      *slog.Logger
	level    slog.Leveler
	params   bool
	results  bool
	redactor redactor
}

// NewLogObserver returns an observer that logs one record for each event: what
// happened as the message, and as attributes trace_id, id, method, duration_ms,
// outcome, code, bytes_in and bytes_out, wait_ms where a request waited for a
// place, error where there is one, and params and result where opts ask for
// them. What does not apply is left out. opts may be nil.
//
// Redaction knows names of members. It does not look into strings: a secret in
// the text of a tool's result is logged.
func NewLogObserver(l *slog.Logger, opts *LogOptions) Observer {
	var o LogOptions
	if opts != nil {
		o = *opts
	}
	if o.Level == nil {
		o.Level = slog.LevelInfo
	}
	if o.Redact == nil {
		o.Redact = DefaultRedact()
	}
	fill(&o.MaxPayload, DefaultMaxLogged, 1<<30) // sums must not overflow on 32 bits
	return &logObserver{l, o.Level, o.Params, o.Results, redactor{o.Redact, longestName(o.Redact), o.MaxPayload}}
}

// wants tells whether an event is logged, with which context and at which level.
func (l *logObserver) wants(e *Event) (ctx context.Context, level slog.Level, wanted bool) {
	level = l.level.Level()
	switch {
	case e.Kind == EventRefused, e.Outcome != OutcomeOK && e.Outcome != OutcomeToolError && e.Outcome != OutcomeCancelled:
		level = max(level, slog.LevelWarn)
	}
	ctx = e.Context
	if ctx == nil {
		ctx = context.Background()
	}
	return ctx, level, l.log.Enabled(ctx, level)
}

// Observe implements [Observer].
func (l *logObserver) Observe(e *Event) {
	ctx, level, wanted := l.wants(e)
	if !wanted {
		return
	}
	attrs := make([]slog.Attr, 0, 16)
	if id := TraceFrom(ctx).ID(); id != "" {
		attrs = append(attrs, slog.String("trace_id", id))
	}
	if e.ID != nil {
		attrs = append(attrs, slog.String("id", cut(string(e.ID), maxLoggedName)))
	}
	if e.Method != "" {
		attrs = append(attrs, slog.String("method", cut(e.Method, maxLoggedName)))
	}
	if e.Kind != EventOpened {
		attrs = append(attrs, slog.Float64("duration_ms", millis(e.Duration)), slog.String("outcome", e.Outcome.String()))
	}
	if e.Code != 0 || e.Wire != nil {
		attrs = append(attrs, slog.Int64("code", e.Code))
	}
	if e.Kind != EventOpened && e.Kind != EventClosed {
		attrs = append(attrs, slog.Int("bytes_in", e.BytesIn), slog.Int("bytes_out", e.BytesOut))
	}
	if e.Wait > 0 {
		attrs = append(attrs, slog.Float64("wait_ms", millis(e.Wait)))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", cut(e.Err.Error(), DefaultMaxLogged)))
	}
	if l.params && e.Params != nil {
		attrs = append(attrs, slog.String("params", l.redactor.text(e.Params)))
	}
	if l.results && e.Result != nil {
		attrs = append(attrs, slog.String("result", l.redactor.text(e.Result)))
	}
	l.log.LogAttrs(ctx, level, e.Kind.String(), attrs...)
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
