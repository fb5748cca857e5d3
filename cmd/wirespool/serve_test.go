//go:build unix

package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// configure makes the service of a command line, in this process. It is over with
// the test, or with the function that is returned.
func configure(t *testing.T, args ...string) (s *service, over func()) {
	t.Helper()
	s, status := configured(args, streams{nil, io.Discard, io.Discard})
	require.NotNil(t, s, status)
	over = func() {
		_ = s.web.Close()
		_ = s.old.Close()
		require.NoError(t, s.bridge.Close())
		require.NoError(t, s.close())
	}
	t.Cleanup(over)
	return s, over
}

// ask has the service answer a request.
func (s *service) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// TestServeEnvironment: a child that gets all of our environment does not get the
// token that clients have to show.
func TestServeEnvironment(t *testing.T) {
	t.Setenv(tokenVariable, "hunter2")
	t.Setenv("WIRESPOOL_OTHER", "passed on")
	file := filepath.Join(t.TempDir(), "environment")
	s, _ := configure(t, "--inherit", "all", "--", "sh", "-c", `echo "${WIRESPOOL_TOKEN-none}, ${WIRESPOOL_OTHER-none}" >"$0"`, file)
	require.Equal(t, http.StatusUnauthorized, s.ask(http.MethodPost, "/mcp", opening).Code)
	w := s.ask(http.MethodPost, "/mcp", opening, "Authorization: Bearer hunter2")
	require.Contains(t, w.Body.String(), `"io.github.wirespool/hop":"child"`)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "none, passed on\n", string(text))
}

// TestHeadersOfEnvironment: headers come from lines of the environment, too, which no
// child gets; a flag replaces those of its name.
func TestHeadersOfEnvironment(t *testing.T) {
	t.Setenv(headersVariable, "X-A: from there\r\nx-b: 1\n\n X-B : no name\n")
	_, status := configured([]string{"--", "true"}, streams{nil, io.Discard, io.Discard})
	require.Equal(t, exitUsage, status)
	t.Setenv(headersVariable, "X-A: from there\r\nx-b: 1\n\nX-B: 2")
	file := filepath.Join(t.TempDir(), "environment")
	s, _ := configure(t, "--inherit", "all", "--header", "x-a: given", "--", "sh", "-c", `echo "${WIRESPOOL_HEADERS-none}" >"$0"`, file)
	h := s.ask(http.MethodPost, "/mcp", opening).Header()
	require.Equal(t, []string{"given"}, h.Values("X-A"))
	require.Equal(t, []string{"1", "2"}, h.Values("X-B"))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "none\n", string(text))
}

// TestServeStarts: probes start no child, however many there are; a session does,
// and one that keeps dying is started again after a while only.
func TestServeStarts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "starts")
	s, over := configure(t, "--", "sh", "-c", `echo started >>"$0"; exit 9`, file)
	for range 100 {
		require.Equal(t, "ok\n", s.ask(http.MethodGet, "/healthz", "").Body.String())
		require.Equal(t, http.StatusOK, s.ask(http.MethodGet, "/readyz", "").Code)
		require.NoFileExists(t, file)
	}
	require.Zero(t, s.bridge.Backs())
	before := time.Now()
	for _, wait := range []time.Duration{0, 0, time.Second} {
		begun := time.Now()
		require.Contains(t, s.ask(http.MethodPost, "/mcp", opening).Body.String(), "exit status 9")
		require.GreaterOrEqual(t, time.Since(before), wait) // it counts from the last exit, before begun
		before = begun
	}
	over() // a probe may have started something that had not written yet
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("started\n", 3), string(text))
}

// TestServeResumes: with --resume a call that takes a while can be resumed before it
// has said anything.
func TestServeResumes(t *testing.T) {
	for _, resume := range []bool{true, false} {
		args := []string{"--", os.Args[0], "demo", "--serve"}
		if resume {
			args = append([]string{"--resume"}, args...)
		}
		s, _ := configure(t, args...)
		own := "Mcp-Session-Id: " + s.ask(http.MethodPost, "/mcp", opening).Header().Get("Mcp-Session-Id")
		require.Equal(t, http.StatusAccepted, s.ask(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, own).Code)
		call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":0.2}}}`
		if resume { // longer than a busy machine needs to notice that it takes its time
			call = strings.Replace(call, "0.2", "2", 1)
		}
		w := s.ask(http.MethodPost, "/mcp", call, own)
		if !resume {
			require.Equal(t, "application/json", w.Header().Get("Content-Type"))
			continue
		}
		require.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
		opened := regexp.MustCompile(`\nid: (.*)\ndata:\n\n`).FindStringSubmatch(w.Body.String())
		require.NotNil(t, opened, w.Body)
		again := s.ask(http.MethodGet, "/mcp", "", own, "Last-Event-ID: "+opened[1])
		require.Equal(t, http.StatusOK, again.Code)
		require.Contains(t, again.Body.String(), `"id":2,"result":`)
	}
}

// TestServeReady: serve is alive but not ready as soon as it drains, while what
// runs still does.
func TestServeReady(t *testing.T) {
	s, _ := configure(t, "--", "no-such-command")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	web := &http.Server{Handler: s.handler}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	rest, body := io.Pipe() // the request runs until this ends
	client := &http.Transport{ExpectContinueTimeout: time.Hour}
	defer client.CloseIdleConnections()
	answered := make(chan error, 1)
	go func() {
		r, _ := http.NewRequest(http.MethodPost, "http://"+listener.Addr().String()+"/mcp", rest)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Expect", "100-continue")
		resp, err := client.RoundTrip(r)
		if err == nil {
			err = resp.Body.Close()
		}
		answered <- err
	}()
	_, err = body.Write([]byte{' '}) // it is read: so serve wants the body
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, s.ask(http.MethodGet, "/readyz", "").Code)

	drained := make(chan struct{})
	go func() {
		defer close(drained)
		s.drain(web, new(fresh))
	}()
	limit, stop := context.WithTimeout(t.Context(), drainTime/2)
	defer stop()
	for s.ask(http.MethodGet, "/readyz", "").Code == http.StatusOK {
		require.NoError(t, limit.Err(), "ready while it drains")
	}
	require.Equal(t, http.StatusServiceUnavailable, s.ask(http.MethodGet, "/readyz", "").Code)
	require.Equal(t, http.StatusOK, s.ask(http.MethodGet, "/healthz", "").Code)
	select {
	case <-drained:
		require.Fail(t, "a request still runs")
	default:
	}
	require.NoError(t, body.Close())
	require.NoError(t, <-answered)
	<-drained
	require.ErrorIs(t, <-served, http.ErrServerClosed)
}
