package proxytest_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/protocol"
)

// cut is the silence after which the proxy gives a response up, and keepAlive
// what stands against it.
const (
	cut       = 3 * time.Second
	keepAlive = cut / 12 // and so that a machine which is busy elsewhere cuts nothing
)

// nginxConf is nginx's default configuration, with files of its own and a short
// time for silence. It is given the folder, the extra directives, the origin and cut.
const nginxConf = `
daemon off;
master_process off;
pid %[1]s/pid;
error_log stderr;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	server {
		listen unix:%[1]s/socket;
		location / {
			proxy_pass %[3]s;
			proxy_read_timeout %[4]dms;
			%[2]s
		}
	}
}
`

// behindNginx returns what sends requests to the origin through nginx.
func behindNginx(t *testing.T, origin, extra string) http.RoundTripper {
	dir, err := os.MkdirTemp("", "nginx") // a short path: it becomes the name of a socket
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	conf := filepath.Join(dir, "conf")
	require.NoError(t, os.WriteFile(conf, fmt.Appendf(nil, nginxConf, dir, extra, origin, cut.Milliseconds()), 0o600))
	cmd := exec.Command(os.Getenv("WIRESPOOL_NGINX"), "-c", conf, "-p", dir, "-e", "stderr")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("nginx says:\n%s", said.String())
		}
	})
	rt := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, "socket"))
	}}
	t.Cleanup(rt.CloseIdleConnections)
	require.Eventually(t, func() bool {
		c, err := rt.DialContext(t.Context(), "", "")
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, patience, 10*time.Millisecond, "nginx does not start")
	return rt
}

// TestNginx: through a proxy that buffers, events arrive when they are sent, and
// silence is no reason to end a stream (M1, M4).
func TestNginx(t *testing.T) {
	if os.Getenv("WIRESPOOL_NGINX") == "" {
		t.Skip("WIRESPOOL_NGINX names no nginx: run make proxy")
	}
	for name, extra := range map[string]string{
		"default":  "",
		"HTTP 1.1": `proxy_http_version 1.1; proxy_set_header Connection "";`,
	} {
		for _, s := range streams {
			t.Run(name+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				o, c := throughNginx(t, s, extra, keepAlive)
				for i := range 5 {
					if i == 3 {
						<-time.After(5 * cut / 2)
					}
					o.send(t, s)
					c.arrives(t, s, i+1)
				}
				close(o.next)
				if s.call {
					require.NoError(t, <-c.ended)
				}
			})
		}
	}
}

// TestNginxCuts: without keep-alives the proxy does cut what is silent. A client
// that can resume does not notice; a call whose stream cannot be resumed fails.
func TestNginxCuts(t *testing.T) {
	if os.Getenv("WIRESPOOL_NGINX") == "" {
		t.Skip("WIRESPOOL_NGINX names no nginx: run make proxy")
	}
	for _, s := range streams {
		if s.old || !s.log && !s.call && s.revision.Era() == protocol.Legacy {
			continue // nobody is told
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			o, c := throughNginx(t, s, "", -1)
			o.send(t, s)
			c.arrives(t, s, 1)
			<-time.After(5 * cut / 2)
			if !s.log {
				require.Error(t, <-c.ended)
				return
			}
			o.send(t, s)
			c.arrives(t, s, 2)
		})
	}
}

func throughNginx(t *testing.T, s stream, extra string, keepAlive time.Duration) (*origin, *client) {
	o := newOrigin(t, s, keepAlive)
	srv := httptest.NewServer(o)
	t.Cleanup(srv.Close)
	t.Cleanup(o.end)
	c := connect(t, s, "http://proxy", behindNginx(t, srv.URL, extra))
	t.Cleanup(func() { _ = c.Close() })
	return o, c
}
