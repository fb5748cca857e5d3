package httpx_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/transport"
)

// secure starts a server with TLS, and returns its URL and what trusts it.
func secure(t *testing.T, config *tls.Config) (string, *tls.Config) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	}))
	s.TLS = config
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return s.URL, &tls.Config{RootCAs: pool}
}

// accepting returns the address of a listener whose connections f has.
func accepting(t *testing.T, f func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f(c)
		}
	}()
	return l.Addr().String()
}

// TestNeverSent: a connection that could not be opened carried nothing; whatever fails
// behind that may have run.
func TestNeverSent(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	unknown, _ := secure(t, nil)
	trusted, trust := secure(t, nil)
	old, trustOld := secure(t, &tls.Config{MaxVersion: tls.VersionTLS12})
	asks13, trust13 := secure(t, &tls.Config{MinVersion: tls.VersionTLS13, ClientAuth: tls.RequireAnyClientCert})
	asks12, trust12 := secure(t, &tls.Config{MaxVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert})
	named, _ := secure(t, nil)
	wrongName := trust.Clone()
	wrongName.ServerName = "elsewhere.invalid"
	trustOld.MinVersion = tls.VersionTLS13
	silent := accepting(t, func(c net.Conn) { t.Cleanup(func() { _ = c.Close() }) })
	dead := accepting(t, func(c net.Conn) {
		_, _ = http.ReadRequest(bufio.NewReader(c))
		_ = c.Close()
	})
	for name, tt := range map[string]struct {
		url    string
		config *tls.Config
		text   string
		unsent bool
	}{
		"nobody":               {"http://127.0.0.1:1", nil, "connection refused", true},
		"no TLS":               {"https" + plain.URL[len("http"):], nil, "first record does not look like a TLS handshake", true},
		"unknown authority":    {unknown, nil, "x509: certificate signed by unknown authority", true},
		"another name":         {named, wrongName, "x509: certificate", true},
		"no version in common": {old, trustOld, "protocol version not supported", true},
		"no certificate, 1.3":  {asks13, trust13, "certificate required", true},
		"no certificate, 1.2":  {asks12, trust12, "tls: ", true},
		"silence":              {"https://" + silent, nil, "TLS handshake timeout", true},
		"it ends in the call":  {trusted, trust, "EOF", false},
		"it ends":              {"http://" + dead, nil, "EOF", false},
	} {
		t.Run(name, func(t *testing.T) {
			web := &http.Transport{TLSClientConfig: tt.config, TLSHandshakeTimeout: 50 * time.Millisecond}
			if name != "silence" {
				web.TLSHandshakeTimeout = 0
			}
			defer web.CloseIdleConnections()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tt.url, http.NoBody)
			require.NoError(t, err)
			_, err = web.RoundTrip(req)
			require.ErrorContains(t, err, tt.text)
			err = httpx.SendError(err)
			refusal, refused := errors.AsType[transport.Refusal](err)
			require.Equal(t, tt.unsent, refused && refusal.NotRun(), "%v", err)
			require.Equal(t, !tt.unsent, errors.Is(err, transport.ErrOutcomeUnknown), "%v", err)
		})
	}
}
