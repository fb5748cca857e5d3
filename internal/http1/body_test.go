package http1_test

import (
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestBodyOver: a body that broke off stays so, and none is read after Close.
func TestBodyOver(t *testing.T) {
	for _, text := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX",
	} {
		bubble(t, func(t *testing.T) {
			resp, err := (&script{conns: []func(net.Conn){answers(text)}}).transport().RoundTrip(post(t.Context(), t, "{}"))
			require.NoError(t, err)
			_, broken := io.ReadAll(resp.Body)
			require.Error(t, broken)
			for range 2 {
				n, err := resp.Body.Read(make([]byte, 10))
				require.Zero(t, n)
				require.Equal(t, broken, err)
			}
			require.NoError(t, resp.Body.Close())
		})
	}
	for _, text := range []string{yes, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n{}"} {
		bubble(t, func(t *testing.T) {
			tr := (&script{conns: []func(net.Conn){answers(text)}}).transport()
			resp, err := tr.RoundTrip(post(t.Context(), t, "{}"))
			require.NoError(t, err)
			synctest.Wait()
			require.NoError(t, resp.Body.Close())
			n, err := resp.Body.Read(make([]byte, 10))
			require.Zero(t, n)
			require.ErrorIs(t, err, http.ErrBodyReadAfterClose)
		})
	}
	bubble(t, func(t *testing.T) {
		tr := (&script{conns: []func(net.Conn){answers(yes)}}).transport()
		resp, err := tr.RoundTrip(post(t.Context(), t, "{}"))
		require.NoError(t, err)
		_, err = io.ReadAll(resp.Body)
		require.NoError(t, err)
		_, err = resp.Body.Read(make([]byte, 10))
		require.Equal(t, io.EOF, err)
		tr.CloseIdleConnections()
	})
}
