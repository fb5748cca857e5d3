package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDemo(t *testing.T) {
	for _, framing := range []string{"newline", "content-length", "detect"} {
		t.Run(framing, func(t *testing.T) {
			status, out, stderr := command("", "demo", "--framing", framing)
			require.Zero(t, status, stderr)
			require.Empty(t, stderr)
			require.Contains(t, out, "Echo: still here")
			require.Contains(t, out, "negotiated 2026-07-28")
		})
	}
}

func TestDemoOverHTTP(t *testing.T) {
	status, out, stderr := command("", "demo", "--transport", "sse")
	require.Zero(t, status, stderr)
	require.Contains(t, out, "negotiated 2025-11-25")
	require.Contains(t, out, "extra_hello")

	trace := filepath.Join(t.TempDir(), "trace")
	status, out, stderr = command("", "demo", "--transport", "http", "--trace", trace)
	require.Zero(t, status, stderr)
	_, traced, _ := command("", "inspect", trace)
	require.Regexp(t, `(?m)<-- +\d+  back POST /mcp 200 response id=1 `, traced)
	require.Regexp(t, `(?m)--> +\d+  back GET /mcp no message`, traced)
	require.Regexp(t, `(?s)the connection breaks.*GET /mcp Last-Event-ID: \S+.*the stream goes on behind that event.*<-- notifications/progress.*<-- response`, out)
	require.Contains(t, out, "negotiated 2026-07-28")

	status, _, stderr = command("", "demo", "--serve", "--transport", "http", "--addr", "256.0.0.1:0")
	require.Equal(t, exitBad, status)
	require.Contains(t, stderr, "256.0.0.1")
}

func TestDemoOfACommand(t *testing.T) {
	status, out, stderr := command("", "demo", "--json", "--", os.Args[0], "demo", "--serve")
	require.Zero(t, status, stderr)
	require.Contains(t, out, `"method":"resources/read"`)

	status, _, stderr = command("", "demo", "--", os.Args[0], "server", "fail")
	require.Equal(t, exitBad, status)
	require.Contains(t, stderr, "exit status 9")
}

func TestDemoUsage(t *testing.T) {
	for _, args := range [][]string{
		{"demo", "--framing", "lines"},
		{"demo", "--serve", "--json"},
		{"demo", "--serve", "--trace", "x"},
		{"demo", "--json", "--trace", "-"},
		{"demo", "--serve", "--", "command"},
		{"demo", "--transport", "tcp"},
		{"demo", "--transport", "http", "--framing", "newline"},
		{"demo", "--transport", "sse", "--", "command"},
		{"demo", "--addr", "127.0.0.1:0"},
		{"demo", "--serve", "--addr", "127.0.0.1:0"},
	} {
		status, out, stderr := command("", args...)
		require.Equal(t, exitUsage, status, args)
		require.Empty(t, out)
		require.Regexp(t, `\Awirespool demo: .*; wirespool demo -h tells more\n\z`, stderr)
	}
	status, out, _ := command("", "demo", "-h")
	require.Equal(t, exitOK, status)
	require.Contains(t, out, "usage: wirespool demo")
}
