//go:build unix

package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/streamhttp"
)

// refusedConnect runs a "wirespool connect" whose client gets an error, and returns
// that, and what was said.
func refusedConnect(t *testing.T, status int, args ...string) (e wireError, stderr string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"wirespool", "connect"}, args...)...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(handshake+"\n"), &out, &said
	_ = cmd.Run()
	require.Equal(t, status, cmd.ProcessState.ExitCode(), said.String())
	var answer struct{ Error wireError }
	require.NoError(t, json.Unmarshal(out.Bytes(), &answer), out.String())
	return answer.Error, said.String()
}

// wireError is an error as a client of the bridge gets it.
type wireError struct {
	Message string
	Data    struct {
		Hop    string `json:"io.github.wirespool/hop"`
		Status int    `json:"io.github.wirespool/httpStatus"`
		NotRun bool   `json:"io.github.wirespool/notRun"`
	}
}

// TestConnectAdvice: what HTTP and TLS refuse was not run, names the hop, and says
// what to change in the command line.
func TestConnectAdvice(t *testing.T) {
	engine := everything.New(nil)
	mcp := streamhttp.NewHandler(engine, nil)
	t.Cleanup(func() { _ = mcp.Close() })
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp)
	mux.HandleFunc("/guarded", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"a bearer token is required"}}`)
	})
	plain := newWeb(t, mux)
	secure := httptest.NewUnstartedServer(mux)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	other := filepath.Join(t.TempDir(), "other.pem")
	require.NoError(t, os.WriteFile(other, otherAuthority(t), 0o600))

	for name, tt := range map[string]struct {
		args    []string
		message string // a part of it
		advice  string // its end
		status  int    // of HTTP
	}{
		"no token":         {[]string{plain + "/guarded"}, "a bearer token is required", "(--token or WIRESPOOL_TOKEN)", 401},
		"wrong token":      {[]string{"--token", "x", plain + "/guarded"}, "a bearer token is required", "(the token is not accepted)", 401},
		"wrong header":     {[]string{"--header", "authorization: x", plain + "/guarded"}, "401", "(the header Authorization is not accepted)", 401},
		"sse, no token":    {[]string{"--transport", "sse", plain + "/guarded"}, "401", "(--token or WIRESPOOL_TOKEN)", 401},
		"another path":     {[]string{plain + "/"}, "404", "(no MCP endpoint at this path; is it /mcp?)", 404},
		"sse, other path":  {[]string{"--transport", "sse", plain + "/"}, "404", "(no HTTP+SSE endpoint at this path; is it /sse?)", 404},
		"sse to /mcp":      {[]string{"--transport", "sse", plain + "/mcp"}, "400", "(this is Streamable HTTP: --transport http)", 400},
		"no TLS":           {[]string{"https" + strings.TrimPrefix(plain, "http") + "/mcp"}, "first record does not look like", "(is it an http URL?)", 0},
		"sse, no TLS":      {[]string{"--transport", "sse", "https" + strings.TrimPrefix(plain, "http") + "/mcp"}, "first record", "(is it an http URL?)", 0},
		"authority":        {[]string{secure.URL + "/mcp"}, "x509: certificate signed by unknown authority", "(--ca FILE trusts another authority)", 0},
		"sse, authority":   {[]string{"--transport", "sse", secure.URL + "/mcp"}, "x509: ", "(--ca FILE trusts another authority)", 0},
		"wrong authority":  {[]string{"--ca", other, secure.URL + "/mcp"}, "x509: ", "(neither the system nor the file of --ca knows the authority)", 0},
		"nobody is there":  {[]string{"http://127.0.0.1:1/mcp"}, "connection refused", "connection refused", 0},
		"http, at nothing": {[]string{"--transport", "http", plain + "/nothing"}, "404", "(no MCP endpoint at this path; is it /mcp?)", 404},
	} {
		t.Run(name, func(t *testing.T) {
			e, stderr := refusedConnect(t, exitHTTP, tt.args...)
			require.Contains(t, e.Message, tt.message)
			require.True(t, strings.HasSuffix(e.Message, tt.advice), e.Message)
			require.True(t, strings.HasPrefix(e.Message, "http: "), e.Message)
			require.Equal(t, "http", e.Data.Hop)
			require.Equal(t, tt.status, e.Data.Status)
			require.True(t, e.Data.NotRun)
			require.NotContains(t, e.Message, "outcome unknown")
			require.Contains(t, stderr, tt.advice)
		})
	}
}

// otherAuthority is a certificate that is none of the servers'.
func otherAuthority(t *testing.T) []byte {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
