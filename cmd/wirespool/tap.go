package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/cmd/wirespool/internal/relay"
	"github.com/wirespool/wirespool/framing"
)

const tapHelp = `usage: wirespool tap [--framing newline|content-length|detect] [--out FILE] -- COMMAND ARGS...

Runs a stdio server and stands between it and its client: put "wirespool tap --" before the server's
command in the client's configuration. Every byte is passed on unchanged and at once, in both
directions; each frame is explained afterwards, from a copy, on standard error:

      0.004s -->    1  request id=1 initialize (163 bytes, depth 4) protocolVersion="2025-11-25"

that is seconds since the start, --> for client to server and <-- for server to client, and what
wirespool inspect says of the frame. The server's own standard error goes there too.

  --framing NAME   how frames are told apart: newline (the default), content-length, detect.
                   It changes what is explained, never what is passed on
  --out FILE       append the explanations to FILE instead, one JSON object for each frame:
                     t (seconds), dir (c2s or s2c), offset (in the stream of that direction),
                     raw (the frame; base64 instead where it is not UTF-8), and what
                     wirespool inspect --json says of it. inspect reads FILE back. The file holds
                     all that was said, secrets included; only its owner can read it

COMMAND is run without a shell, in a process group of its own. SIGINT, SIGTERM and SIGHUP are passed
on to that group. When the client closes our standard input, the server's is closed; when the server
ends, what it has written is still passed on, and what it left running in its group is ended. (On
Windows there are no groups and no signals: Ctrl-C reaches the server by itself, and what the server
has started is not ended.)

When explaining cannot keep up, because nobody reads our standard error or the disk is slow, the
relay goes on and the listing says how many bytes it left out.

Exit status: that of COMMAND, 128 and the signal's number if a signal ended it, 127 if there is no
such command, 126 if it cannot be run, 1 if the client stopped reading, 2 for a wrong command line.
`

// explainPatience is how long the end of the tap waits for explanations that nobody takes.
const explainPatience = 500 * time.Millisecond

// tap is the subcommand of that name. It relays between the standard streams of the process.
func tap(args []string, std streams) int {
	fs := flag.NewFlagSet("tap", flag.ContinueOnError)
	framingName := fs.String("framing", framing.Newline.String(), "")
	outName := fs.String("out", "", "")
	if status, ok := parse(fs, args, std, tapHelp); !ok {
		return status
	}
	how, err := parseFraming(*framingName)
	switch {
	case err != nil:
		return misuse("tap", err.Error(), std)
	case fs.NArg() == 0:
		return misuse("tap", "no COMMAND", std)
	case isSet(fs, "out") && (*outName == "" || *outName == "-"):
		return misuse("tap", "--out wants a file: standard output belongs to the client", std)
	}

	t := &tapListing{out: retrying{os.Stderr}}
	if *outName != "" {
		file, err := os.OpenFile(*outName, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			fmt.Fprintln(std.err, "wirespool tap:", err)
			return exitUsage
		}
		defer file.Close()
		t = &tapListing{out: file, capture: true}
	}
	watcher := relay.Watch(how, t.add, t.flush)
	r := relay.Relay{
		Command: fs.Args(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Watcher: watcher,
	}
	status, err := r.Run()
	if failed, ok := errors.AsType[*relay.StartError](err); ok {
		status = failed.Status
	} else if err != nil {
		status = exitUsage
	}
	if err != nil {
		fmt.Fprintln(std.err, "wirespool tap:", err)
	}
	if err := watcher.Close(explainPatience); err != nil && !errors.Is(err, relay.ErrBehind) {
		fmt.Fprintln(std.err, "wirespool tap:", err)
	}
	return status
}

// tapListing writes entries as they come. Its writes may block or fail; the relay does not notice.
type tapListing struct {
	out     io.Writer
	capture bool // JSON lines with the frames in them
	buf     []byte
	dead    bool
}

// flushAt is how much is gathered at most before it is written.
const flushAt = 64 << 10

func (t *tapListing) add(e *explain.Entry) {
	switch {
	case t.dead:
		return
	case t.capture:
		t.buf = e.AppendJSON(t.buf)
	default:
		t.buf = e.AppendText(t.buf)
	}
	if len(t.buf) >= flushAt {
		t.flush()
	}
}

// flush writes what has gathered, whole lines in one piece, so that taps which share a file do not
// cut each other's lines.
func (t *tapListing) flush() {
	if len(t.buf) == 0 {
		return
	}
	_, err := t.out.Write(t.buf)
	if cap(t.buf) > 4*flushAt {
		t.buf = nil // one huge message must not be held for ever
	}
	t.buf = t.buf[:0]
	if err != nil {
		t.dead = true
		fmt.Fprintln(retrying{os.Stderr}, "wirespool tap: explaining ends, the relay goes on:", err)
	}
}

// retrying writes to a file that another process may have made non-blocking: that is a property of
// the open file, which the child shares with us, and some runtimes set it on their standard error.
type retrying struct{ *os.File }

func (w retrying) Write(p []byte) (n int, err error) {
	for {
		m, err := w.File.Write(p[n:])
		n += max(m, 0)
		if !errors.Is(err, syscall.EAGAIN) {
			return n, err
		}
		time.Sleep(time.Millisecond)
	}
}
