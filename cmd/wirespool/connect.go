package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

const connectHelp = `usage: wirespool connect [FLAGS] URL

Is a stdio server in front of the MCP server at URL: put this command into the configuration of a
client that can only start servers. Which transport and which revisions the server speaks is found
out, and anew when another server has taken its place; a client of any revision may be in front of a
server of any other. A lost session is opened anew.

  --transport NAME   http (Streamable HTTP), sse (HTTP+SSE of 2024-11-05), or auto (the default):
                     http, and sse where the server has nothing else
  --header "K: V"    send a header with every request; may be given more than once.
                     WIRESPOOL_HEADERS in the environment has such lines, too; a flag replaces those of
                     its name
  --token TOKEN      send a bearer token; WIRESPOOL_TOKEN in the environment does the same, and other
                     users of the machine cannot read it there
  --ca FILE          trust the certificate authorities in FILE, PEM, besides those of the system
  --cert FILE        identify with a client certificate, PEM, and
  --key FILE         its key
  --proxy URL|none   send requests through a proxy, or through none; by default HTTPS_PROXY,
                     HTTP_PROXY and NO_PROXY of the environment decide
  --call-timeout TIME
                     how long a request may go without an answer and without progress, as 90s or 10m;
                     5m by default, 0 is for ever. Then it is cancelled, and answered with an error
  --framing NAME     how frames are told apart on standard input and output: newline (the default),
                     content-length, detect
  --trace FILE       append what passes to FILE, one JSON object for each message and HTTP request:
                       t (seconds), dir (c2s, s2c), hop (front, back), http (method, path, status,
                       headers; secrets masked), msg (the message). wirespool inspect explains it
  -v                 log more to standard error

` + errorsHelp + `
Exit status: 0 when the client ended its side and nothing was wrong; 2 for a wrong command line;
3 if standard input or output failed, 5 if HTTP had failed last or the server owed answers still 10 s
after that, 6 if the server had refused the handshake that is made for a client of 2026-07-28.
`

// connectFlags are those of connect alone.
type connectFlags struct {
	*bridging
	transport, ca, cert, key, proxy *string
}

// connect is the subcommand of that name.
func connect(args []string, std streams) int {
	b := newBridging("connect")
	f := connectFlags{
		bridging: b, transport: b.fs.String("transport", "auto", ""), ca: b.fs.String("ca", "", ""),
		cert: b.fs.String("cert", "", ""), key: b.fs.String("key", "", ""), proxy: b.fs.String("proxy", "", ""),
	}
	if status, ok := parse(b.fs, args, std, connectHelp); !ok {
		return status
	}
	how, err := parseFraming(*f.framing)
	switch {
	case err != nil:
	case b.fs.NArg() > 1 && strings.HasPrefix(b.fs.Arg(1), "-"):
		err = fmt.Errorf("%s must stand before URL", flagIn(b.fs.Arg(1)))
	case b.fs.NArg() != 1:
		err = errors.New("one URL is needed")
	}
	if err == nil {
		err = checkURL(b.fs.Arg(0))
	}
	token, badToken := b.bearer()
	limits, badLimits := b.limits()
	if err := cmp.Or(err, badToken, badLimits); err != nil {
		return misuse("connect", err.Error(), std)
	}
	web, err := f.roundTripper(b.fs.Arg(0))
	if err != nil {
		return misuse("connect", err.Error(), std)
	}
	recorder, file, err := openTrace(b.fs, *b.trace, std, true)
	if err != nil {
		return misuse("connect", err.Error(), std)
	}
	defer file.Close()

	var link *bridge.Bridge
	dialer, err := f.dialer(b.fs.Arg(0), token, recorder.RoundTripper(web), std, func() *bridge.Bridge { return link })
	if err != nil {
		return misuse("connect", err.Error(), std)
	}
	link = bridge.New(dialer, &bridge.Options{
		Over: bridge.HopHTTP, Name: "wirespool", Version: version(), Limits: limits, Advice: f.advice(b.fs.Arg(0), token), Logger: b.logger(std),
	})
	conn, err := stdio.Claim(&stdio.Options{Framing: how, Logger: b.logger(std)})
	if err != nil {
		say(std, "front: %v", err)
		return exitFront
	}
	f.announce(std, token)
	ctx, stop := untilSignal()
	defer stop()
	err = link.Serve(ctx, recorder.Conn(conn))
	failed := link.Err()
	_ = link.Close() // it never fails
	_ = conn.Close() // standard input and output are nobody's any more
	web.CloseIdleConnections()
	if err := recorder.Err(); err != nil {
		say(std, "the trace is not complete: %v", err)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		say(std, "front: %v", err)
		return exitFront
	case failed != nil:
		say(std, "%v", failed)
	}
	return exitOf(failed)
}

// announce says what is in force.
func (f *connectFlags) announce(std streams, token string) {
	sent := "not sent"
	if token != "" {
		sent = "sent"
	}
	u, _ := url.Parse(f.fs.Arg(0)) // it was parsed before
	proxy := "of the environment"
	if p, err := url.Parse(*f.proxy); err == nil && *f.proxy != "" {
		proxy = p.Redacted()
	}
	say(std, "in front of %s://%s%s, transport %s, token %s, headers %s, proxy %s, framing %s",
		u.Scheme, u.Host, u.EscapedPath(), *f.transport, sent, orNone(f.headers.names()), proxy, *f.framing)
}

// isURL reports whether a text is meant to be the URL of a server.
func isURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// checkURL quotes of a text that is no URL what holds no secret.
func checkURL(text string) error {
	shown, _, _ := strings.Cut(text, "?")
	shown, _, _ = strings.Cut(shown, "#")
	name := "the URL"
	if !strings.Contains(text, "@") {
		name = strconv.Quote(shown)
	}
	if !strings.Contains(text, "://") && !strings.Contains(text, "@") && text != "" && !strings.HasPrefix(text, "/") {
		return fmt.Errorf("%s is no URL, did you mean http://%s?", name, shown)
	}
	u, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("%s cannot be parsed", name)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%s is no http or https URL", name)
	}
	return nil
}

// dialer returns what dials URL by the transport that is wanted.
func (f *connectFlags) dialer(url, token string, web http.RoundTripper, std streams, link func() *bridge.Bridge) (transport.Dialer, error) {
	asked := func(context.Context) (string, error) { return token, nil }
	switch *f.transport {
	case "auto", "http":
		return streamhttp.URL(url, &streamhttp.ClientOptions{
			Transport: web, Header: f.headers.Header, Token: asked,
			Renewed: func() { link().Renewed() }, Interrupted: func(err error) { link().Interrupted(err) },
			NoFallback: *f.transport == "http", Logger: f.logger(std),
		}), nil
	case "sse":
		return sse.URL(url, &sse.ClientOptions{Transport: web, Header: f.headers.Header, Token: asked, Logger: f.logger(std)}), nil
	}
	return nil, fmt.Errorf("--transport %q is not known: auto, http or sse", *f.transport)
}

// roundTripper sends the requests as the flags say.
func (f *connectFlags) roundTripper(target string) (*http.Transport, error) {
	secure := strings.HasPrefix(target, "https:")
	for _, name := range []string{"ca", "cert", "key"} {
		if isSet(f.fs, name) && !secure {
			return nil, fmt.Errorf("--%s means nothing to an http URL", name)
		}
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if *f.ca != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		text, err := os.ReadFile(*f.ca)
		if err != nil {
			return nil, fmt.Errorf("--ca: %w", err)
		}
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--ca: %s holds no certificate", *f.ca)
		}
		config.RootCAs = pool
	}
	if isSet(f.fs, "cert") != isSet(f.fs, "key") {
		return nil, errors.New("--cert and --key go together")
	}
	if *f.cert != "" {
		pair, err := tls.LoadX509KeyPair(*f.cert, *f.key)
		if err != nil {
			return nil, fmt.Errorf("--cert, --key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	proxy, err := proxyFunc(*f.proxy)
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		Proxy: proxy, TLSClientConfig: config, ForceAttemptHTTP2: true,
		MaxIdleConns: 64, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		DisableCompression:  true, // events would wait in a decompressor
	}, nil
}

// proxyFunc returns what chooses the proxy of a request.
func proxyFunc(wanted string) (func(*http.Request) (*url.URL, error), error) {
	switch wanted {
	case "none":
		return nil, nil
	case "":
		choose := httpproxy.FromEnvironment().ProxyFunc()
		return func(r *http.Request) (*url.URL, error) { return choose(r.URL) }, nil
	}
	u, err := url.Parse(wanted)
	if err != nil || u.Host == "" {
		return nil, errors.New("--proxy wants a URL, or none")
	}
	return http.ProxyURL(u), nil
}
