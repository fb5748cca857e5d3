package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
)

const inspectHelp = `usage: wirespool inspect [--framing newline|content-length|detect] [--json] [FILE|-]
       wirespool inspect --sse [--json] [FILE|-]
       wirespool inspect --sample [--json]

Explains captured traffic, one line for each frame: kind, id, method, length, depth of nesting and
what routes it, or the error code, the byte and the reason why it is refused. Elements of a batch
follow on indented lines, and so do notes about what is legal but known to trip peers. Without FILE,
or with -, standard input is read. A FILE that "wirespool tap --out" wrote, or --trace of serve or
connect, is recognised by its first line; its frames are shown with their time and direction (-->
client to server), and those of a trace with the hop and the HTTP request that they were in.

  --framing NAME   how frames are told apart: newline (the default), content-length, detect
  --json           one JSON object for each frame instead:
                     n, offset (of the frame in the stream), bytes, depth, kind,
                     id and method (as they stood in the message),
                     facts (members that route the message, raw values), sizes (in bytes, of
                     those too long to show), notes,
                     elements (of a batch: the same, with "element" for n),
                     error (code, offset in the frame, stream: offset in the stream, message, near)
                   and of a file of tap also t (seconds) and dir (c2s, s2c), offset and stream
                   counting each direction by itself; of a trace also hop and http
  --sse            the stream is text/event-stream: one line for each event, with its type, id and
                   retry, and its message explained; with --json one object for each event:
                     event (type), data (null for a block without any), id, retry (milliseconds),
                     error (of a message that is refused)
                   what is no event is said on standard error
  --sample         explain a built-in session, broken messages included

Characters that a terminal would obey are shown as escapes, long values by their size.

What the input seems to be instead of messages is said on standard error.

Exit status: 0 when every frame is acceptable, 1 when one was refused or cut off, or nothing of the
input is an event stream, 2 when the command line is wrong or FILE cannot be read. With --sample it is 0: the broken messages are there on purpose.
`

// maxFrame bounds what inspect holds in memory. It is above the codec's limit, so that the codec
// says what is wrong with a message that is too long, and so that a line of a capture, where every
// byte of a frame may have become an escape of six, still fits.
const maxFrame = 8 * codec.DefaultMaxBytes

// inspect is the subcommand of that name.
func inspect(args []string, std streams) int {
	fs := flag.NewFlagSet("inspect", flag.ContinueOnError)
	framingName := fs.String("framing", framing.Newline.String(), "")
	asJSON := fs.Bool("json", false, "")
	sse := fs.Bool("sse", false, "")
	sample := fs.Bool("sample", false, "")
	if status, ok := parse(fs, args, std, inspectHelp); !ok {
		return status
	}
	how, err := parseFraming(*framingName)
	switch {
	case err != nil:
		return misuse("inspect", err.Error(), std)
	case fs.NArg() > 1 && strings.HasPrefix(fs.Arg(1), "-"):
		return misuse("inspect", flagIn(fs.Arg(1))+" must stand before FILE", std)
	case fs.NArg() > 1:
		return misuse("inspect", "more than one FILE", std)
	case *sse && (*sample || isSet(fs, "framing")):
		return misuse("inspect", "--sse has its own framing, and no sample", std)
	case *sample && (fs.NArg() > 0 || isSet(fs, "framing")):
		return misuse("inspect", "--sample reads no FILE and has its own framing", std)
	}

	l := newListing(std.out, *asJSON)
	if *sample {
		l.sample()
		return l.end(std, exitOK)
	}
	in, err := open(fs.Arg(0), std)
	if err != nil {
		fmt.Fprintln(std.err, "wirespool inspect:", err)
		return exitUsage
	}
	defer in.Close()
	l.hint = func(what string) {
		if what != "" {
			l.out.Flush()
			fmt.Fprintln(std.err, "wirespool inspect:", what)
		}
	}
	explainAll := func() error { return l.stream(in, how) }
	if *sse {
		explainAll = func() error { return l.events(in, std) }
	}
	if err := explainAll(); err != nil {
		l.out.Flush()
		fmt.Fprintln(std.err, "wirespool inspect:", err)
		return exitUsage
	}
	return l.end(std, exitBad)
}

func isSet(fs *flag.FlagSet, name string) (set bool) {
	fs.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// open opens the file to read; an empty name and "-" are standard input.
func open(name string, std streams) (io.ReadCloser, error) {
	if name == "" || name == "-" {
		return io.NopCloser(std.in), nil
	}
	return os.Open(name)
}

// listing writes entries one after another.
type listing struct {
	explainer *explain.Explainer
	out       *bufio.Writer
	asJSON    bool
	n         int
	bad       bool // one of them was refused
	line      []byte
	hint      func(string) // says what the input may be instead, if that is something
}

func newListing(out io.Writer, asJSON bool) *listing {
	return &listing{explainer: explain.New(nil), out: bufio.NewWriter(out), asJSON: asJSON}
}

// stream explains all frames of in. An error is one of reading.
func (l *listing) stream(in io.Reader, how framing.Framing) error {
	r := framing.NewReader(in, how, &framing.Options{MaxFrame: maxFrame})
	defer r.Close()
	capture := false // the first line is one of a capture
	for {
		if !r.More() {
			l.out.Flush() // somebody may watch while the stream is still being written
		}
		text, offset, err := r.Lend()
		refused, ok := errors.AsType[*framing.Error](err)
		switch {
		case ok:
			l.add(&explain.Entry{Offset: refused.Offset, Report: explain.Refused(refused)})
			if l.n == 1 {
				l.hint(hintAtFraming(how, refused))
			}
			continue
		case err == io.EOF:
			if l.n == 0 {
				l.hint("no message")
			}
			return nil
		case err != nil:
			return err
		}
		var entry explain.Entry
		recorded := false
		if l.n == 0 || capture {
			entry, recorded = l.explainer.ReadCapture(text)
			capture = capture || recorded
		}
		if !recorded {
			entry = explain.Entry{Offset: offset, Report: l.explainer.Frame(text, offset)}
		}
		l.add(&entry)
		if l.n == 1 && !recorded {
			l.hint(hintAt(text, entry.Report))
		}
	}
}

// add numbers an entry and writes it.
func (l *listing) add(e *explain.Entry) {
	l.n++
	e.N = l.n
	l.bad = l.bad || e.Bad()
	if l.asJSON {
		l.line = e.AppendJSON(l.line[:0])
	} else {
		l.line = e.AppendText(l.line[:0])
	}
	l.out.Write(l.line)
}

// end writes what is still buffered and returns the exit status, which is whenBad if a frame was
// refused.
func (l *listing) end(std streams, whenBad int) int {
	if err := l.out.Flush(); err != nil {
		fmt.Fprintln(std.err, "wirespool inspect:", err)
		return exitUsage
	}
	if l.bad {
		return whenBad
	}
	return exitOK
}
