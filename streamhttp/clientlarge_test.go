package streamhttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// TestClientLargeBodies: large calls on the client's own transport, of which some
// are given up and some are answered before they were read, all arrive as they are,
// although they share memory one after the other.
func TestClientLargeBodies(t *testing.T) {
	const callers, rounds, size = 4, 9, 512 << 10
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Kind") {
		case "": // a cancellation
			w.WriteHeader(http.StatusAccepted)
			return
		case "early": // whoever still sends is cut off
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // given up
		}
		from := strings.Index(string(body), `"params":["`) + len(`"params":["`)
		if strings.Trim(string(body[from:]), string(body[from])) != `"]}` {
			t.Errorf("a text of more than one letter: %.80s… of %d bytes", body, len(body))
		}
		var m codec.Message
		if err := codec.Decode(body, &m); err != nil {
			t.Error(err)
		}
		asJSON(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"letter":"%c"}}`, m.ID, body[from]))
	}))
	defer srv.Close()
	conn, err := streamhttp.URL(srv.URL, &streamhttp.ClientOptions{NoFallback: true}).Dial(t.Context())
	require.NoError(t, err)
	defer conn.Close()

	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for round := range rounds {
				letter := string(rune('a' + (caller*rounds+round)%26))
				m := codec.Message{
					Kind: codec.Request, ID: codec.ID(fmt.Sprint(caller*rounds + round)), Method: []byte("echo"),
					Params: codec.Value(`["` + strings.Repeat(letter, size) + `"]`),
				}
				ctx, cancel := context.WithCancel(t.Context())
				kind := []string{"answered", "early", "left"}[round%3]
				ctx = transport.WithHeader(ctx, http.Header{"X-Kind": {kind}})
				if kind == "left" {
					go cancel()
				}
				answered := ""
				err := conn.(transport.Caller).Call(ctx, &m, func(in *transport.Inbound) {
					if !in.Failed {
						answered = string(in.Result)
					}
				})
				cancel()
				if kind == "answered" && (err != nil || answered != `{"letter":"`+letter+`"}`) {
					t.Errorf("answer %q, error %v", answered, err)
				}
			}
		})
	}
	all.Wait()
}
