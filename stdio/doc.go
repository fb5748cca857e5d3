// Package stdio is the stdio transport, both sides of it: [Claim] makes the
// standard input and output of this process a connection to the client that
// started it, [Command] starts a server as a child process and connects to it.
//
// # Usage
//
// A server claims its streams first thing in main, serves, and exits:
//
//	conn, err := stdio.Claim(nil)
//	if err == nil {
//		err = server.Serve(ctx, conn)
//	}
//
// From Claim to Close descriptor 0 is the null device and descriptor 1 is
// standard error (the null device where that is missing, or is the same pipe).
// Neither a print nor C code nor a child process that inherits them can read
// or write the protocol. The end of standard input is io.EOF.
//
// A client gives the command as a list of arguments; no shell is involved:
//
//	client, err := dispatch.Connect(ctx, stdio.Command([]string{"npx", "-y", "some-server"}, nil), nil)
//
// Each Dial starts a process of its own; [Child] says what becomes of it.
//
// # Platforms
//
// Linux: everything, tested. Descriptors may be pipes, sockets, terminals and
// files. None that came from the parent is ever made non-blocking, because the
// flag is shared with the parent. A pipe or pseudo-terminal is opened once more
// through /proc, which gives a description of our own: reads of it simply block,
// one system call each, and Close ends one by making the description
// non-blocking and interrupting the threads of this process with SIGURG, as
// package runtime does to reschedule; writes are non-blocking. A socket is read
// and written with MSG_DONTWAIT and waited for with poll(2). Everything else, and
// a pipe that may not be opened, has poll(2) before each read and write, and
// writes take no more at once than a pipe that is ready takes.
//
// macOS: a server's reads go through a goroutine of their own, as poll(2) does
// not report the end of a FIFO there; a child is reaped before what is left of
// its group is killed, and does not die with this process. Built and vetted, not
// run.
//
// Windows: the standard handles and the variables of package os are replaced;
// a C runtime that has copied the handles before keeps them. A child has no
// group: only the process itself is killed, at once instead of SIGTERM, and its
// output is closed instead of drained when Close begins. Batch files are run with
// every argument quoted; those that cmd.exe could misread are refused. Built and
// vetted, not run.
//
// Elsewhere Claim fails, Command is like that of macOS or Windows.
//
// # Concurrency
//
// Connections are those of package transport: one reader at a time, any number
// of senders, Close at any time. Writing to a child, reading what it answers and
// reading its standard error are independent of one another, so that full pipes
// in both directions do not block each other. Dial may be called concurrently.
//
// # Ownership
//
// As in package transport: an Inbound borrows its frame until Release. Options
// are copied. What Options.Stderr is given is borrowed until its Write returns.
//
// # Limits
//
// Frames and messages have the limits of packages framing and codec, through
// [Options]; the times are the constants of this package. Of a child's standard
// error a bounded tail is kept.
//
// # Errors
//
// A line that is no message is not an error of Read but an Inbound with Err, as
// for every transport. When a child has died, Read and Send return an
// [*ExitError] with its exit status and the end of its standard error. Every
// error of a dead connection has net.ErrClosed in its tree.
package stdio
