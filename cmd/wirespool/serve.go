package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
)

const serveHelp = `usage: wirespool serve [FLAGS] -- COMMAND ARGS...

Puts a stdio server behind HTTP: Streamable HTTP of every revision at /mcp, and the HTTP+SSE
transport of 2024-11-05 at /sse. Each session has a COMMAND of its own, started at its first message
and ended with it; requests of 2026-07-28, which have no sessions, share one. /healthz and /readyz
tell whether requests are served, without touching any of it.

  --http ADDR        where to listen; 127.0.0.1:8080 by default. Port 0 takes any
  --origin ORIGIN    let web pages of an origin in, as https://app.example.com, besides those of this
                     machine; may be given more than once, "*" is all
  --host NAME        answer to a name besides those of this machine; may be given more than once
  --token TOKEN      demand a bearer token; WIRESPOOL_TOKEN in the environment does the same, and
                     other users of the machine cannot read it there
  --header "K: V"    add a header to every response; may be given more than once. WIRESPOOL_HEADERS in
                     the environment has such lines, too; a flag replaces those of its name
  --resume           keep what was sent, so that a client of a legacy session that lost its
                     connection can fetch the rest (Last-Event-ID) of a call that has sent something;
                     in 2025-11-25 every call has that takes longer than a moment
  --max-conns N      how many connections may be open at once; 4096 by default
  --dir DIR          working directory of COMMAND
  --env K=V          set a variable for COMMAND, or with K alone pass ours on; may be given more than
                     once
  --inherit NAME     how much of our environment COMMAND gets: base (the default), all, none
  --stderr NAME      what becomes of the standard error of COMMAND: prefix (the default: on ours, each
                     line behind its name), raw, none (nothing of it is kept)
  --stderr-to-clients
                     tell clients what a COMMAND that died wrote there last; by default they get its
                     exit status alone, since secrets may be in it
  --call-timeout TIME
                     how long a request may go without an answer and without progress, as 90s or 10m;
                     5m by default, 0 is for ever. Then it is cancelled, and answered with an error
  --framing NAME     how frames are told apart on its pipes: newline (the default), content-length,
                     detect
  --trace FILE|-     write down what passes, one JSON object for each message and HTTP request:
                       t (seconds), dir (c2s, s2c), hop (front, back), http (method, path, status,
                       headers; secrets masked), msg (the message). wirespool inspect explains it
  -v                 log more to standard error

` + errorsHelp + `
SIGINT, SIGTERM and SIGHUP end it: new requests are refused, what runs has 10 s to end and may still
be answered by its clients, every COMMAND is ended. A second signal does not wait.

Exit status: 0 after such an end; 2 for a wrong command line; 3 if ADDR could not be listened on;
4 if there is no such COMMAND or no such DIR, or COMMAND could not be started or had died last.
`

// serveFlags are those of serve alone.
type serveFlags struct {
	*bridging
	addr, dir, inherit, stderr *string
	conns                      *int
	resume, tell               *bool
	origins, hosts, env        list
}

const (
	// defaultConns bounds the connections that clients can open.
	defaultConns = 4096
	// drainTime is how long what runs may take to end after a signal.
	drainTime = 10 * time.Second
	// resumeAfter is how long a call may be silent before its client gets what it
	// can resume by.
	resumeAfter = 100 * time.Millisecond
	// headerTime and idleTime bound how long a connection may send a header, and
	// be silent between requests.
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	maxHeaders = 64 << 10
)

// serve is the subcommand of that name.
func serve(args []string, std streams) int {
	s, status := configured(args, std)
	if s == nil {
		return status
	}
	return s.run(std)
}

// configured returns what a command line asks for, or the status to end with.
func configured(args []string, std streams) (*service, int) {
	b := newBridging("serve")
	f := serveFlags{
		bridging: b, addr: b.fs.String("http", "127.0.0.1:8080", ""), dir: b.fs.String("dir", "", ""),
		inherit: b.fs.String("inherit", "base", ""), stderr: b.fs.String("stderr", "prefix", ""),
		conns: b.fs.Int("max-conns", defaultConns, ""), resume: b.fs.Bool("resume", false, ""),
		tell: b.fs.Bool("stderr-to-clients", false, ""),
	}
	b.fs.Var(&f.origins, "origin", "")
	b.fs.Var(&f.hosts, "host", "")
	b.fs.Var(&f.env, "env", "")
	if status, ok := parse(b.fs, args, std, serveHelp); !ok {
		return nil, status
	}
	s, err := f.service(std)
	if err != nil {
		return nil, misuse("serve", err.Error(), std)
	}
	return s, exitOK
}

// service is a serve that is configured.
type service struct {
	f       *serveFlags
	bridge  *bridge.Bridge
	check   func() error // whether there is a COMMAND to start
	web     *streamhttp.Handler
	old     *sse.Handler
	handler http.Handler
	log     eventlog.Log
	guarded bool         // a token is demanded
	close   func() error // ends the trace
}

// service makes of the flags what they say.
func (f *serveFlags) service(std streams) (*service, error) {
	how, err := parseFraming(*f.framing)
	inherit, known := inherits[*f.inherit]
	token, badToken := f.bearer()
	badAddr, badNames := checkAddr(*f.addr), f.checkNames()
	limits, badLimits := f.limits()
	switch {
	case err != nil:
		return nil, err
	case f.fs.NArg() == 0:
		return nil, errors.New("no COMMAND")
	case isURL(f.fs.Arg(0)):
		return nil, errors.New("serve wants a COMMAND; for a URL use connect")
	case badAddr != nil:
		return nil, badAddr
	case badNames != nil:
		return nil, badNames
	case !known:
		return nil, fmt.Errorf("--inherit %q is not known: base, all or none", *f.inherit)
	case *f.conns < 1:
		return nil, errors.New("--max-conns must be positive")
	case badToken != nil:
		return nil, badToken
	case *f.tell && *f.stderr == "none":
		return nil, errors.New("--stderr-to-clients has nothing to tell with --stderr none")
	case badLimits != nil:
		return nil, badLimits
	}
	stderr, err := stderrOf(*f.stderr, f.fs.Arg(0), std.err)
	if err != nil {
		return nil, err
	}
	recorder, file, err := openTrace(f.fs, *f.trace, std, false)
	if err != nil {
		return nil, err
	}
	logger := f.logger(std)
	tail := 0 // as much as is usual
	if stderr == nil {
		tail = -1
	}
	child := stdio.Command(f.fs.Args(), &stdio.Options{
		Framing: how, Dir: *f.dir, Env: f.env, Inherit: inherit, Stderr: stderr, StderrTail: tail, Logger: logger, Backoff: &stdio.Backoff{},
	})
	s := &service{f: f, check: child.(interface{ Check() error }).Check, guarded: token != "", close: func() error { return cmp.Or(recorder.Err(), file.Close()) }}
	s.bridge = bridge.New(recorder.Dialer(child), &bridge.Options{
		Over: bridge.HopChild, Name: "wirespool", Version: version(), Stderr: *f.tell, Limits: limits, Logger: logger,
	})
	var authenticate func(*http.Request) (string, error)
	if token != "" {
		authenticate = demand(token)
	}
	s.old, err = sse.NewHandler(s.bridge, &sse.Options{
		Origins: f.origins, Hosts: f.hosts, Authenticate: authenticate, Challenge: "Bearer", Logger: logger,
	})
	if err != nil {
		return nil, err
	}
	web := &streamhttp.Options{
		Origins: f.origins, Hosts: f.hosts, Authenticate: authenticate, Params: s.bridge.Params, Logger: logger,
	}
	if *f.resume {
		s.log = eventlog.NewMemory(nil)
		web.Log, web.StreamAfter = s.log, resumeAfter
	}
	s.web = streamhttp.NewHandler(s.bridge, web)
	mux := http.NewServeMux()
	mux.Handle("/mcp", recorder.Handler(s.web))
	mux.Handle("/sse", recorder.Handler(s.unlessDraining(s.old)))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("GET /readyz", s.web.Health())
	s.handler = withHeaders(f.headers.Header, mux)
	return s, nil
}

// run serves until a signal comes.
func (s *service) run(std streams) int {
	defer func() {
		if err := s.close(); err != nil {
			say(std, "the trace is not complete: %v", err)
		}
	}()
	if err := s.check(); err != nil {
		say(std, "child: %v", err)
		return exitChild
	}
	listener, err := net.Listen("tcp", *s.f.addr)
	if err != nil {
		say(std, "front: %v%s", err, portAdvice(err))
		return exitFront
	}
	if !s.guarded && !onLoopback(*s.f.addr) {
		say(std, "warning: everybody who reaches %s can use %s; set %s", *s.f.addr, s.f.fs.Arg(0), tokenVariable)
	}
	ctx, stop := untilSignal()
	defer stop()
	s.announce(std, listener.Addr())
	var unused fresh
	web := &http.Server{
		ConnState: unused.note, Handler: s.handler, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeaders,
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(netutil.LimitListener(listener, *s.f.conns)) }()
	select {
	case err = <-served:
		say(std, "front: %v", err)
	case <-ctx.Done():
		stop()
		s.drain(web, &unused)
	}
	failed := s.bridge.Err()
	_ = s.bridge.Close() // they never fail
	_ = s.old.Close()
	_ = web.Close()
	if s.log != nil {
		_ = s.log.Close()
	}
	switch {
	case err != nil:
		return exitFront
	case failed != nil:
		say(std, "%v", failed)
	}
	return exitOf(failed)
}

// drain lets what runs end, until a second signal says not to wait. A third ends
// the process, whatever its children still do. Clients are listened to meanwhile:
// what runs may wait for their answers.
func (s *service) drain(web *http.Server, unused *fresh) {
	hurry, stop := untilSignal()
	defer stop()
	bounded, cancel := context.WithTimeout(hurry, drainTime)
	defer cancel()
	var both sync.WaitGroup
	both.Go(func() { _ = s.web.Shutdown(bounded) }) // what did not end in time is ended now
	both.Go(func() { s.bridge.Drain(bounded) })     // of /sse
	both.Wait()
	_ = s.bridge.Close()
	_ = s.old.Close()
	unused.end()
	_ = web.Shutdown(bounded) // nothing holds it up any more
}

// unlessDraining refuses new connections of HTTP+SSE while what runs ends.
func (s *service) unlessDraining(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && s.web.Draining() {
			httpx.Busy(http.StatusServiceUnavailable, "shutting down", time.Second).Write(w, true)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// announce says what is in force.
func (s *service) announce(std streams, at net.Addr) {
	f := s.f
	say(std, "listening on http://%s/mcp and /sse, in front of %s", at, strings.Join(f.fs.Args(), " "))
	say(std, "token %s, origins: %s, hosts: %s, headers %s, resume %t, environment %s, framing %s",
		given(s.guarded), letIn(f.origins), letIn(f.hosts),
		orNone(f.headers.names()), *f.resume, *f.inherit, *f.framing)
}

// checkAddr refuses what is no address, before anything is said about it.
func checkAddr(addr string) error {
	_, _, err := net.SplitHostPort(addr)
	switch _, notPort := strconv.ParseUint(addr, 10, 16); {
	case err == nil:
		return nil
	case notPort == nil:
		return fmt.Errorf("--http: %q is no address, did you mean 127.0.0.1:%s?", addr, addr)
	}
	return fmt.Errorf("--http: %q is no address such as 127.0.0.1:8080", addr)
}

// checkNames refuses origins and hosts that are none.
func (f *serveFlags) checkNames() error {
	if _, err := httpx.NewGuard(httpx.GuardOptions{Origins: f.origins}); err != nil {
		return fmt.Errorf("--origin: %w", err)
	}
	if _, err := httpx.NewGuard(httpx.GuardOptions{Hosts: f.hosts}); err != nil {
		return fmt.Errorf("--host: %w", err)
	}
	return nil
}

// portAdvice is what to do about a port that is taken.
func portAdvice(err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return "; choose another with --http ADDR (port 0: any)"
	}
	return ""
}

// letIn says which names are let in besides those of this machine.
func letIn(names list) string {
	switch {
	case len(names) == 0:
		return "this machine only"
	case slices.Contains(names, "*"):
		return "all"
	}
	return "this machine and " + names.String()
}

func given(yes bool) string {
	if yes {
		return "demanded"
	}
	return "not demanded"
}

func orNone(text string) string { return cmp.Or(text, "none") }

func onLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// demand lets those in who have the token.
func demand(token string) func(*http.Request) (string, error) {
	want := sha256.Sum256([]byte(token))
	return func(r *http.Request) (string, error) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
			return "", &streamhttp.AuthError{Status: http.StatusUnauthorized, Challenge: "Bearer", Reason: "a bearer token is required"}
		}
		return "token", nil
	}
}

// withHeaders adds headers to every response.
func withHeaders(headers http.Header, h http.Handler) http.Handler {
	if len(headers) == 0 {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range headers {
			w.Header()[name] = append(w.Header()[name], values...)
		}
		h.ServeHTTP(w, r)
	})
}

// stderrOf returns where the standard error of children goes.
func stderrOf(how, command string, to io.Writer) (io.Writer, error) {
	switch how {
	case "raw":
		return to, nil
	case "none":
		return nil, nil
	case "prefix":
		return newPrefixer(command, to), nil
	}
	return nil, fmt.Errorf("--stderr %q is not known: prefix, raw or none", how)
}
