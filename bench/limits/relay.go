package limits

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
)

// Relay joins a connection to the two ends of a server's pipes, unread, until
// one side ends (limit-relay): the least that is between a client on a socket
// and a server on pipes. It closes conn and toServer.
func Relay(conn net.Conn, toServer io.WriteCloser, fromServer io.Reader) error {
	var up, down error
	var both sync.WaitGroup
	both.Go(func() {
		_, up = io.Copy(toServer, conn)
		up = errors.Join(up, toServer.Close())
	})
	_, down = io.Copy(conn, fromServer)
	down = errors.Join(down, conn.Close())
	both.Wait()
	return errors.Join(up, down)
}

// RelayHTTP returns a handler that writes the body of each request to a server
// as one line and answers with the line that comes back, one request at a time
// (limit-http).
func RelayHTTP(toServer io.Writer, fromServer io.Reader) http.Handler {
	var mu sync.Mutex
	in := bufio.NewReaderSize(fromServer, bufferSize)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if _, err := toServer.Write(append(body, '\n')); err != nil {
			return
		}
		line, err := in.ReadSlice('\n')
		if err == nil {
			w.Header()["Content-Length"] = []string{strconv.Itoa(len(line))}
			_, _ = w.Write(line)
		}
	})
}
