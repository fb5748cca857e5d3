//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// serving is a "wirespool serve" that runs.
type serving struct {
	t    *testing.T
	cmd  *exec.Cmd
	url  string // without a path
	rest chan string
}

// startServe runs wirespool serve in front of the server of the demo, or of
// another command.
func startServe(t *testing.T, flags []string, command ...string) *serving {
	t.Helper()
	if len(command) == 0 {
		command = []string{os.Args[0], "demo", "--serve"}
	}
	args := append([]string{"wirespool", "serve", "--http", "127.0.0.1:0", "--env", "GORACE"}, flags...)
	s := &serving{t: t, cmd: exec.Command(os.Args[0], append(append(args, "--"), command...)...), rest: make(chan string, 1)}
	stderr, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	url, ok := strings.CutPrefix(line, "wirespool: listening on ")
	require.True(t, ok, line)
	s.url, _, _ = strings.Cut(url, "/mcp")
	go func() {
		rest, _ := io.ReadAll(lines)
		s.rest <- string(rest)
	}()
	return s
}

// end asks the process to end, and returns what it said.
func (s *serving) end(status int) string {
	s.t.Helper()
	require.NoError(s.t, s.cmd.Process.Signal(syscall.SIGTERM))
	rest := <-s.rest
	_ = s.cmd.Wait()
	require.Equal(s.t, status, s.cmd.ProcessState.ExitCode(), rest)
	return rest
}

// connecting dials through a "wirespool connect".
func connecting(flags ...string) transport.Dialer {
	return stdio.Command(append([]string{os.Args[0], "wirespool", "connect"}, flags...), &stdio.Options{Env: []string{"GORACE"}})
}

// use has a host do a little of everything over a connection.
func use(t *testing.T, d transport.Dialer, era dispatch.EraChoice) {
	t.Helper()
	h, err := host.Connect(t.Context(), d, &host.Options{Era: era, Elicit: func(context.Context, string, json.RawMessage) (map[string]any, error) {
		return map[string]any{"username": "zoe", "email": "zoe@example.com", "response": "yes"}, nil
	}})
	require.NoError(t, err)
	modern := era == dispatch.EraModern
	require.Equal(t, modern, h.Client().Peer().Revision() == protocol.NewestModern)
	for i := range 3 {
		message := fmt.Sprintf("%d\n漢", i)
		result, err := h.Call(t.Context(), "echo", map[string]string{"message": message})
		require.NoError(t, err)
		require.Equal(t, "Echo: "+message, result.Text())
	}
	result, err := h.Call(t.Context(), "test_elicitation", map[string]string{"message": "who?"})
	require.NoError(t, err)
	require.Contains(t, result.Text(), "zoe")
	progress := 0
	_, err = h.Call(t.Context(), "slow", map[string]any{"seconds": 0.02, "steps": 2}, dispatch.WithProgress(func(dispatch.Progress) { progress++ }))
	require.NoError(t, err)
	require.Positive(t, progress)
	_, err = h.Client().CallRaw(t.Context(), "vendor/unknown", nil)
	require.ErrorContains(t, err, "-32601")
	require.NoError(t, h.Close())
}

// TestBridges: the server of the demo behind serve, by every transport and in
// every era, directly and through connect.
func TestBridges(t *testing.T) {
	s := startServe(t, nil)
	for name, d := range map[string]struct {
		dialer transport.Dialer
		modern bool
	}{
		"http":            {streamhttp.URL(s.url+"/mcp", nil), true},
		"sse":             {sse.URL(s.url+"/sse", nil), false},
		"connect":         {connecting(s.url + "/mcp"), true},
		"connect to http": {connecting("--transport", "http", s.url+"/mcp"), true},
		"connect to sse":  {connecting("--transport", "sse", s.url+"/sse"), false},
		"connect falls":   {connecting(s.url + "/sse"), false},
	} {
		t.Run(name, func(t *testing.T) {
			use(t, d.dialer, dispatch.EraLegacy)
			if d.modern {
				use(t, d.dialer, dispatch.EraModern)
			}
		})
	}
	require.Empty(t, strings.Join(problems(s.end(0)), "\n"))
}

// problems are the lines that say more than what is in force.
func problems(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "wirespool: token ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestServeHTTP: what stands around the endpoints.
func TestServeHTTP(t *testing.T) {
	t.Setenv(tokenVariable, "se cret")
	status, _, stderr := command("", "serve", "--", "x")
	require.Equal(t, exitUsage, status)
	require.Contains(t, stderr, "no header may hold")
	t.Setenv(tokenVariable, "secret")
	trace := filepath.Join(t.TempDir(), "trace")
	s := startServe(t, []string{"--header", "X-A: b", "--origin", "https://app.example.com", "--trace", trace, "--resume"})
	get := func(path string, headers ...string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
		require.NoError(t, err)
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp
	}
	for path, status := range map[string]int{"/healthz": 200, "/readyz": 200, "/mcp": 401, "/sse": 401, "/": 404} {
		resp := get(path)
		require.Equal(t, status, resp.StatusCode, path)
		require.Equal(t, "b", resp.Header.Get("X-A"))
	}
	require.Equal(t, 403, get("/mcp", "Origin: https://evil.example.com").StatusCode)
	require.Equal(t, 401, get("/mcp", "Origin: https://app.example.com").StatusCode)
	require.Equal(t, 401, get("/mcp", "Authorization: Bearer secreT").StatusCode)
	require.Equal(t, 400, get("/mcp", "Authorization: bearer secret", "Accept: text/event-stream").StatusCode)

	use(t, connecting("--token", "secret", "--header", "X-Mine: 1", s.url+"/mcp"), dispatch.EraLegacy)
	_, err := dispatch.Connect(t.Context(), connecting(s.url+"/mcp"), nil) // which gets none from our environment
	require.ErrorContains(t, err, "401")
	require.Contains(t, s.end(0), "token demanded, origins: this machine and https://app.example.com, hosts: this machine only, headers X-A, ")

	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	require.NotContains(t, string(text), "secret")
	status, stdout, stderr := command("", "inspect", trace)
	require.Equal(t, exitOK, status, stderr)
	for _, line := range []string{
		`--> +\d+  front POST /mcp request id=1 initialize`,
		`--> +\d+  back request id=1 initialize`,
		`<-- +\d+  back response id=1 `,
		`<-- +\d+  front POST /mcp 200 response id=1 `,
		`--> +\d+  front POST /mcp notification notifications/initialized`,
		`<-- +\d+  front POST /mcp 202 no message`,
		`--> +\d+  front GET /mcp no message`,
		`--> +\d+  front DELETE /mcp no message`,
		`<-- +\d+  front DELETE /mcp 204 no message`,
		`<-- +\d+  front POST /mcp 200 notification notifications/progress`,
	} {
		require.Regexp(t, `(?m)`+line, stdout)
	}
	status, stdout, _ = command("", "inspect", "--json", trace)
	require.Equal(t, exitOK, status)
	require.Contains(t, stdout, `"Mcp-Session-Id":"masked:`)
	require.Contains(t, stdout, `"Authorization":"Bearer masked:`)
}

// TestServeDrains: what runs when the signal comes is answered, over either
// transport, and nothing new is taken; a server that is left over is ended.
func TestServeDrains(t *testing.T) {
	s := startServe(t, nil)
	answered := make(chan error, 2)
	running := make(chan struct{}, 2)
	for _, d := range []transport.Dialer{streamhttp.URL(s.url+"/mcp", nil), sse.URL(s.url+"/sse", nil)} {
		h, err := host.Connect(t.Context(), d, &host.Options{Era: dispatch.EraLegacy})
		require.NoError(t, err)
		defer h.Close()
		var begun sync.Once // one that runs says so often
		go func() {
			_, err := h.Call(t.Context(), "slow", map[string]any{"seconds": 0.4, "steps": 4},
				dispatch.WithProgress(func(dispatch.Progress) { begun.Do(func() { running <- struct{}{} }) }))
			answered <- err
		}()
	}
	<-running
	<-running
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, <-answered)
	require.NoError(t, <-answered)
	<-s.rest
	require.NoError(t, s.cmd.Wait())
	_, err := http.Get(s.url + "/healthz")
	require.Error(t, err)
}

// TestServeDrainsAsked: a call that has asked its client something when the signal
// comes gets the answer, for which serve still listens, and nothing new is taken.
func TestServeDrainsAsked(t *testing.T) {
	s := startServe(t, nil)
	asked, proceed := make(chan struct{}, 2), make(chan struct{})
	answered := make(chan error, 2)
	for _, d := range []transport.Dialer{streamhttp.URL(s.url+"/mcp", nil), sse.URL(s.url+"/sse", nil)} {
		h, err := host.Connect(t.Context(), d, &host.Options{Era: dispatch.EraLegacy, Elicit: func(context.Context, string, json.RawMessage) (map[string]any, error) {
			asked <- struct{}{}
			<-proceed
			return map[string]any{"username": "zoe", "email": "zoe@example.com", "response": "yes"}, nil
		}})
		require.NoError(t, err)
		defer h.Close()
		go func() {
			result, err := h.Call(t.Context(), "test_elicitation", map[string]string{"message": "who?"})
			if err == nil && !strings.Contains(result.Text(), "zoe") {
				err = errors.New(result.Text())
			}
			answered <- err
		}()
	}
	<-asked
	<-asked
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	status := func(method, path, body string) int {
		r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
		r.Close = true // each over a connection of its own
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	for status(http.MethodGet, "/readyz", "") == http.StatusOK {
	}
	require.Equal(t, http.StatusServiceUnavailable, status(http.MethodPost, "/mcp", opening))
	require.Equal(t, http.StatusServiceUnavailable, status(http.MethodGet, "/sse", ""))
	require.Equal(t, http.StatusOK, status(http.MethodGet, "/healthz", ""))
	close(proceed)
	require.NoError(t, <-answered)
	require.NoError(t, <-answered)
	require.Empty(t, strings.Join(problems(<-s.rest), "\n"))
	require.NoError(t, s.cmd.Wait())
}

// TestServeEndsAtOnce: neither a connection that a client has to spare nor a call that
// was cancelled by a client that left holds up the end.
func TestServeEndsAtOnce(t *testing.T) {
	for range 3 {
		s := startServe(t, []string{"--resume"})
		spare, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		require.NoError(t, err)
		defer spare.Close()
		for _, d := range []transport.Dialer{streamhttp.URL(s.url+"/mcp", nil), sse.URL(s.url+"/sse", nil)} {
			h, err := host.Connect(t.Context(), d, &host.Options{Era: dispatch.EraLegacy})
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			_, err = h.Call(ctx, "slow", map[string]any{"seconds": 30, "steps": 100}, dispatch.WithProgress(func(dispatch.Progress) { cancel() }))
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, h.Close())
		}
		begun := time.Now()
		rest := s.end(0)
		require.Less(t, time.Since(begun), 4*time.Second)
		require.Empty(t, strings.Join(problems(rest), "\n"))
	}
}

// TestConnectHeaders: headers and token go with every request, whatever the
// transport (L7 of the field).
func TestConnectHeaders(t *testing.T) {
	for _, how := range []string{"auto", "http", "sse"} {
		var mu sync.Mutex
		seen := map[string]int{}
		url := newWeb(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			seen[r.Method+" "+r.Header.Get("X-Mine")+" "+r.Header.Get("Authorization")]++
			http.Error(w, "no", http.StatusMethodNotAllowed)
		}))
		_, err := dispatch.Connect(t.Context(), connecting("--transport", how, "--header", "X-Mine: a b", "--token", "secret", url), &dispatch.ClientOptions{Era: dispatch.EraLegacy})
		require.ErrorContains(t, err, "405")
		mu.Lock()
		require.NotEmpty(t, seen)
		for request := range seen {
			require.Regexp(t, `^(GET|POST) a b Bearer secret$`, request, how)
		}
		mu.Unlock()
	}
}

// TestBridgingUsage: what does not apply is an error.
func TestBridgingUsage(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("no certificate"), 0o600))
	for _, c := range []struct{ args, stderr string }{
		{"serve", "no COMMAND"},
		{"serve --bad x", "flag provided but not defined: --bad"},
		{"serve -bad -- y", "flag provided but not defined: --bad"},
		{"serve --max-conns", "flag needs an argument: --max-conns"},
		{"serve --max-conns x -- y", `invalid value "x" for flag --max-conns: parse error`},
		{"serve http://secret:secret@a", "serve wants a COMMAND; for a URL use connect"},
		{"serve -- HTTPS://a", "serve wants a COMMAND; for a URL use connect"},
		{"serve --http 8080 -- y", `--http: "8080" is no address, did you mean 127.0.0.1:8080?`},
		{"serve --http localhost -- y", `--http: "localhost" is no address such as 127.0.0.1:8080`},
		{"serve --token -- y", "--token wants a value, and got --;"},
		{"serve --env -- y", "--env wants a value, and got --;"},
		{"serve --token --resume -- y", "--token wants a value, and got --resume"},
		{"serve --trace --token=secret -- y", "--trace wants a value, and got --token"},
		{"tap --out -- y", "--out wants a value, and got --;"},
		{"demo --trace -- y", "--trace wants a value, and got --;"},
		{"connect --token -- http://a", "--token wants a value, and got --;"},
		{"connect http://a --token secret", "--token must stand before URL"},
		{"connect http://a -token=secret", "--token must stand before URL"},
		{"connect 127.0.0.1:8080/mcp", `"127.0.0.1:8080/mcp" is no URL, did you mean http://127.0.0.1:8080/mcp?`},
		{"connect localhost:8080/mcp?secret", `"localhost:8080/mcp" is no URL, did you mean http://localhost:8080/mcp?`},
		{"connect secret:secret@a/mcp", "the URL is no http or https URL"},
		{"connect /mcp", `"/mcp" is no http or https URL`},
		{"serve --framing x -- y", "--framing: \"x\" is none of"},
		{"serve --inherit x -- y", `--inherit "x" is not known`},
		{"serve --stderr x -- y", `--stderr "x" is not known`},
		{"serve --max-conns 0 -- y", "--max-conns must be positive"},
		{"serve --call-timeout -1s -- y", "--call-timeout must not be negative"},
		{"connect --call-timeout 5 http://a", "-call-timeout"},
		{"serve --header x-secret -- y", "must look like"},
		{"serve --origin x -- y", `--origin: "x" is not an origin`},
		{"serve --host / -- y", `--host: "/" is not a host`},
		{"serve --token= -- y", "--token is empty"},
		{"serve --trace= -- y", "--trace wants a file"},
		{"serve --trace no/such/folder/file -- y", "--trace: open no/such/folder/file"},
		{"serve --proxy none -- y", "flag provided but not defined"},
		{"connect", "one URL is needed"},
		{"connect http://a http://b", "one URL is needed"},
		{"connect ftp://secret:secret@a?secret", "the URL is no http or https URL"},
		{"connect ftp://a?secret", `"ftp://a" is no http or https URL`},
		{"connect http://secret:secret@a:b/?secret", "the URL cannot be parsed"},
		{"connect --transport x http://a", `--transport "x" is not known`},
		{"connect --trace - http://a", "--trace wants a file"},
		{"connect --ca " + plain + " http://a", "--ca means nothing to an http URL"},
		{"connect --ca " + plain + " https://a", "holds no certificate"},
		{"connect --ca " + plain + "x https://a", "--ca: open"},
		{"connect --cert " + plain + " https://a", "--cert and --key go together"},
		{"connect --cert " + plain + " --key " + plain + " https://a", "--cert, --key: tls: "},
		{"connect --proxy :: https://a", "--proxy wants a URL"},
		{"connect --origin x http://a", "flag provided but not defined"},
	} {
		status, stdout, stderr := command("", strings.Fields(c.args)...)
		require.Equal(t, exitUsage, status, c.args)
		require.Contains(t, stderr, c.stderr, c.args)
		require.NotContains(t, stderr, "secret", c.args)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		require.Contains(t, stderr, "; wirespool "+strings.Fields(c.args)[0]+" -h tells more\n")
		require.Empty(t, stdout)
	}
	for _, name := range []string{"serve", "connect"} {
		status, stdout, _ := command("", name, "-h")
		require.Equal(t, exitOK, status)
		require.Contains(t, stdout, "Exit status")
		for _, word := range []string{"hop ", "notRun", "exitStatus", "stderr", "httpStatus"} {
			require.Contains(t, stdout, "io.github.wirespool/"+word)
		}
		for _, hop := range []bridge.Hop{bridge.HopFront, bridge.HopBridge, bridge.HopChild, bridge.HopPipe, bridge.HopHTTP, bridge.HopRemote} {
			require.Contains(t, stdout, string(hop)+" (")
		}
	}
}

// TestBridgingStatus: the exit status names the hop.
func TestBridgingStatus(t *testing.T) {
	ask := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n"

	status, _, stderr := command("", "serve", "--http", "256.0.0.1:1", "--", os.Args[0])
	require.Equal(t, exitFront, status)
	require.Contains(t, stderr, "front: ")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	status, _, stderr = command("", "serve", "--http", taken.Addr().String(), "--", os.Args[0])
	require.Equal(t, exitFront, status)
	require.Regexp(t, `^wirespool: front: .*; choose another with --http ADDR \(port 0: any\)\n$`, stderr)

	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("no program"), 0o600))
	for _, args := range [][]string{{"--", "no-such-command"}, {"--", plain}, {"--dir", plain + "s", "--", os.Args[0]}} {
		status, _, stderr = command("", append([]string{"serve", "--http", "0.0.0.0:0"}, args...)...)
		require.Equal(t, exitChild, status, stderr)
		require.Regexp(t, `^wirespool: child: stdio: start .*\n$`, stderr, "nothing else is said, and nobody is let in")
	}

	for _, tt := range []struct {
		command []string
		answer  string
		status  int
	}{
		{[]string{os.Args[0], "server", "fail"}, `exit status 9`, exitChild},
	} {
		s := startServe(t, nil, tt.command...)
		resp, err := http.Post(s.url+"/mcp", "application/json", strings.NewReader(ask))
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Contains(t, string(text), tt.answer)
		require.Contains(t, string(text), `"io.github.wirespool/hop":"child"`)
		require.Contains(t, s.end(tt.status), "child: ")
	}

	modern := `{"jsonrpc":"2.0","id":"q","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	outOfOrder := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "out of order", http.StatusBadGateway) }
	for name, tt := range map[string]struct {
		ask     string
		handler http.HandlerFunc
		answer  string
		status  int
		said    string
	}{
		"HTTP":   {ask, outOfOrder, `"io.github.wirespool/httpStatus":502`, exitHTTP, "http: "},
		"nobody": {ask, nil, `"io.github.wirespool/hop":"http"`, exitHTTP, "http: "},
		"remote": {modern, refuseRPC, `"id":"q","error":{"code":-32603,"message":"not today"}`, exitRemote, "remote: "},
	} {
		t.Run(name, func(t *testing.T) {
			url := "http://127.0.0.1:1/mcp"
			if tt.handler != nil {
				web := newWeb(t, tt.handler)
				url = web
			}
			cmd := exec.Command(os.Args[0], "wirespool", "connect", url)
			var stdout, stderr bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(tt.ask), &stdout, &stderr
			_ = cmd.Run()
			require.Contains(t, stdout.String(), tt.answer)
			require.Equal(t, tt.status, cmd.ProcessState.ExitCode(), stderr.String())
			require.Contains(t, stderr.String(), "wirespool: "+tt.said)
		})
	}
}

// refuseRPC is a server that answers every request with an error of JSON-RPC.
func refuseRPC(w http.ResponseWriter, r *http.Request) {
	var request struct{ ID json.RawMessage }
	_ = json.NewDecoder(r.Body).Decode(&request)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"not today"}}`, request.ID)
}

func newWeb(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// TestServeSignals: a terminal that closes ends serve in good order, and whoever
// no longer reads what it says does not end it.
func TestServeSignals(t *testing.T) {
	ask := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	s := startServe(t, nil)
	use(t, streamhttp.URL(s.url+"/mcp", nil), dispatch.EraLegacy)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
	rest := <-s.rest
	require.NoError(t, s.cmd.Wait(), rest)

	cmd := exec.Command(os.Args[0], "wirespool", "serve", "--http", "127.0.0.1:0", "--trace", "-", "--", os.Args[0], "server", "fail")
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	url, _, _ := strings.Cut(strings.TrimPrefix(line, "wirespool: listening on "), "/mcp")
	_, err = lines.ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, stderr.Close())
	require.NoError(t, stdout.Close())
	for range 3 {
		resp, err := http.Post(url+"/mcp", "application/json", strings.NewReader(ask))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait()
	require.Equal(t, exitChild, cmd.ProcessState.ExitCode())
}
