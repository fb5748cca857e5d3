package main

import (
	"bytes"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/streamhttp"
)

func TestUnderSuite(t *testing.T) {
	engine := everything.New(nil)
	srv := httptest.NewServer(streamhttp.NewHandler(engine, &streamhttp.Options{Params: engine.Params}))
	t.Cleanup(srv.Close)
	for _, version := range []string{"", "2025-06-18", "2026-07-28"} {
		t.Setenv(envScenario, "tools_call")
		t.Setenv(envVersion, version)
		t.Setenv(envContext, `{"name":"tools_call","toolCalls":[{"name":"test_header_mirroring","arguments":{"region":"漢","priority":3}}]}`)
		s, err := underSuite()
		require.NoError(t, err)
		h, err := host.Connect(t.Context(), streamhttp.URL(srv.URL, nil), &host.Options{Versions: s.versions})
		require.NoError(t, err)
		t.Cleanup(func() { _ = h.Close() })
		if version != "" {
			require.Equal(t, version, string(h.Client().Peer().Revision()))
		}
		var out bytes.Buffer
		require.NoError(t, s.run(t.Context(), h, &out))
		require.Contains(t, out.String(), "test_header_mirroring: region 漢\n")
		require.NotContains(t, out.String(), "echo")

		if version != "" {
			continue
		}
		s.calls, out = nil, bytes.Buffer{}
		require.NoError(t, s.run(t.Context(), h, &out), "one of everything")
		require.Contains(t, out.String(), "echo: Echo: value of message\n")
		require.Contains(t, out.String(), "add: 2\n")
	}
}

func TestUnderSuiteBadly(t *testing.T) {
	s, err := underSuite()
	require.NoError(t, err)
	require.Nil(t, s)
	t.Setenv(envScenario, "initialize")
	t.Setenv(envVersion, "2099-01-01")
	require.ErrorContains(t, run(t.Context(), eras["auto"], nil), "2099-01-01")
	t.Setenv(envVersion, "")
	t.Setenv(envContext, "[")
	require.ErrorContains(t, run(t.Context(), eras["auto"], nil), envContext)
}
