package streamhttp_test

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// TestClientTLS: authorities and certificates of ClientOptions.TLS, both versions of
// HTTP, and what provably did not run when there is no handshake. It is about the
// client's own transport, over TCP.
func TestClientTLS(t *testing.T) {
	mine := httptest.NewUnstartedServer(nil) // for its certificate
	mine.StartTLS()
	certificate := mine.TLS.Certificates
	mine.Close()
	for _, c := range []struct {
		name   string
		server *tls.Config
		http2  bool
		trusts bool
		client *tls.Config
		err    string
	}{
		{name: "HTTP/1.1", trusts: true},
		{name: "HTTP/2", trusts: true, http2: true},
		{name: "HTTP/1.1 is all that is asked for", trusts: true, http2: true, client: &tls.Config{NextProtos: []string{"http/1.1"}}},
		{name: "another name", trusts: true, client: &tls.Config{ServerName: "example.com"}},
		{name: "certificate", trusts: true, server: &tls.Config{ClientAuth: tls.RequireAnyClientCert}, client: &tls.Config{Certificates: certificate}},

		{name: "nobody knows it", err: "certificate signed by unknown authority"},
		{name: "a name that is not its own", trusts: true, client: &tls.Config{ServerName: "elsewhere.example"}, err: "not elsewhere.example"},
		{name: "no certificate", trusts: true, server: &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}, err: "remote error: tls"},
		{name: "too old", trusts: true, server: &tls.Config{MaxVersion: tls.VersionTLS11}, err: "protocol version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := dispatch.NewServer(&dispatch.Options{Info: everything})
			register(s)
			h := streamhttp.NewHandler(s, nil)
			defer h.Close()
			proto := make(chan string, 100)
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				proto <- r.Proto
				h.ServeHTTP(w, r)
			}))
			srv.TLS, srv.EnableHTTP2 = c.server.Clone(), c.http2
			srv.Config.ErrorLog = log.New(io.Discard, "", 0)
			srv.StartTLS()
			defer srv.Close()

			o := &streamhttp.ClientOptions{TLS: cmp.Or(c.client.Clone(), new(tls.Config))}
			if c.trusts {
				o.TLS.RootCAs = x509.NewCertPool()
				o.TLS.RootCAs.AddCert(srv.Certificate())
			}
			client, err := dispatch.Connect(t.Context(), streamhttp.URL(srv.URL, o), nil)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				notRun(t, err)
				return
			}
			require.NoError(t, err)
			res, err := client.CallRaw(t.Context(), "tools/list", nil)
			require.NoError(t, err)
			res.Release()
			require.NoError(t, client.Close())
			want := "HTTP/1.1"
			if c.http2 && c.client == nil {
				want = "HTTP/2.0"
			}
			require.Equal(t, want, <-proto)
		})
	}
}

// TestClientNoTLS: a server that speaks none provably ran nothing.
func TestClientNoTLS(t *testing.T) {
	for _, says := range []string{"HTTP/1.1 400 Bad Request\r\n\r\n", ""} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.ReadFull(c, make([]byte, 5))
				_, _ = io.WriteString(c, says)
				_ = c.Close()
			}
		})
		_, err = dispatch.Connect(t.Context(), streamhttp.URL("https://"+l.Addr().String(), nil), nil)
		require.ErrorContains(t, err, "TLS handshake")
		notRun(t, err)
		require.NoError(t, l.Close())
		wg.Wait()
	}
}

func notRun(t *testing.T, err error) {
	t.Helper()
	refusal, ok := errors.AsType[transport.Refusal](err)
	require.True(t, ok && refusal.NotRun(), "%v", err)
	require.NotErrorIs(t, err, transport.ErrOutcomeUnknown)
}
