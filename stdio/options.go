package stdio

import (
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// Options configure [Claim] and [Command]. They are copied; nil and the zero
// value are ready to use. A negative time means no limit.
type Options struct {
	// Framing is how frames are told apart: newline by default, as MCP has it.
	// Detect answers in the peer's framing, and speaks newline when it speaks
	// first.
	Framing framing.Framing
	// Frames and Limits bound frames and messages.
	Frames framing.Options
	Limits codec.Limits
	// Logger is told when a child had to be signalled; nil discards that.
	Logger *slog.Logger
	// FlushWait bounds how long Close waits for frames that are being written;
	// 0 means DefaultFlushWait.
	FlushWait time.Duration

	// The rest is for Command alone.

	// Dir is the child's working directory, ours by default.
	Dir string
	// Inherit says how much of our environment the child gets.
	Inherit Inherit
	// Env is added to that. "KEY=value" sets or replaces one variable, "KEY"
	// passes our value on, and of several for one key the last counts. A PATH
	// given here is also where the command is looked for.
	Env []string
	// Stderr gets what the child writes to its standard error, as it comes; nil
	// drops it. While a Write of it blocks, the child's may too; what it returns
	// is ignored. It is called by one goroutine per child.
	Stderr io.Writer
	// StderrTail is how many bytes of it errors quote; 0 means
	// DefaultStderrTail, a negative number none.
	StderrTail int
	// ForwardSignals sends SIGINT and SIGTERM that reach this process on to the
	// group of every child, which a terminal's Ctrl-C does not reach by itself.
	// While a child runs they no longer end this process then: it must handle
	// them itself, for instance by signal.NotifyContext.
	ForwardSignals bool
	// ExitWait and TermWait bound how long Close waits for the child after it
	// closed the child's standard input, and after SIGTERM; 0 means
	// DefaultExitWait and DefaultTermWait.
	ExitWait, TermWait time.Duration
	// PipeWait bounds how long the pipes of a dead child may stay open; 0 means
	// DefaultPipeWait.
	PipeWait time.Duration
	// Backoff slows down the restart of a child that keeps dying; nil means
	// that every Dial starts one at once.
	Backoff *Backoff
}

// filled returns a copy of o with its defaults.
func (o *Options) filled() Options {
	var c Options
	if o != nil {
		c = *o
	}
	c.Env = slices.Clone(c.Env)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.StderrTail == 0 {
		c.StderrTail = DefaultStderrTail
	}
	c.StderrTail = max(c.StderrTail, 0)
	c.FlushWait = orDefault(c.FlushWait, DefaultFlushWait)
	c.ExitWait = orDefault(c.ExitWait, DefaultExitWait)
	c.TermWait = orDefault(c.TermWait, DefaultTermWait)
	c.PipeWait = orDefault(c.PipeWait, DefaultPipeWait)
	if c.Backoff != nil {
		b := *c.Backoff
		c.Backoff = &b
	}
	return c
}

// stream makes a connection of rwc.
func (o *Options) stream(rwc io.ReadWriteCloser) transport.Conn {
	return transport.Stream(rwc, o.Framing, &transport.StreamOptions{Framing: o.Frames, Limits: o.Limits})
}
