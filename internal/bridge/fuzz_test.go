package bridge_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/transport"
)

// FuzzBridge: whatever a client and a server send, nothing panics or hangs, what
// goes out on either side is messages, and no request gets more answers than one.
func FuzzBridge(f *testing.F) {
	opened := request("0", "initialize", hello) + "\n" + notification("notifications/initialized", "") + "\n"
	for _, front := range []string{
		opened + request("1", "tools/call", `{"name":"x","_meta":{"progressToken":"p"}}`),
		opened + "[" + request("1", "a", "") + "," + notification("n", "") + "]\n" + notification("notifications/cancelled", `{"requestId":1}`),
		request("1", "tools/call", `{"name":"x",`+meta(able)+"}") + "\n" + request("2", "subscriptions/listen", `{"notifications":{"toolsListChanged":true},`+meta("{}")+"}"),
		request("0", "initialize", `{"protocolVersion":"2026-07-28"}`) + "\n" + result("3", "{}") + "\nnoise\n{\"id\":7}",
	} {
		for _, back := range []string{
			result("1", welcome) + "\n" + notification("notifications/progress", `{"progressToken":2,"progress":1}`) + "\n" + result("2", "{}"),
			failed("1", `{"code":-32022,"message":"no"}`) + "\n" + result("2", discovered) + "\n" + result("3", `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s"}`),
			failed("1", `{"code":-32601,"message":"no"}`) + "\n" + result("2", greeting) + "\n" + request("1", "elicitation/create", "{}") + "\n" + result("3", "{}"),
			"noise\n[" + result("1", "{}") + "]\n{\"id\":1,\"result\":1,\"error\":2}\n" + request(`"x"`, "roots/list", "") + "\n" + notification("notifications/cancelled", `{"requestId":"x"}`),
		} {
			f.Add([]byte(front), []byte(back))
		}
	}
	f.Fuzz(func(t *testing.T, front, back []byte) {
		b := bridge.New(scripted(back), &bridge.Options{Limits: bridge.Limits{
			Drain: time.Millisecond, Probe: time.Millisecond, Handshake: time.Millisecond, Tell: time.Millisecond, Hold: time.Millisecond, Suspend: time.Millisecond, MaxRounds: 3,
		}})
		c := &script{in: bytes.NewReader(front)}
		_ = b.Serve(context.Background(), transport.Stream(c, framing.Newline, nil))
		_ = b.Close()
		if n := b.Backs(); n != 0 {
			t.Fatalf("%d backs are left", n)
		}
		asked, answered := map[codec.IDKey]int{}, map[codec.IDKey]int{}
		count(front, func(m *codec.Message, _ error) {
			if m.ID != nil {
				asked[m.ID.Key()]++
			}
		})
		count(c.written(), func(m *codec.Message, err error) {
			if err != nil {
				t.Fatalf("the client got %v", err)
			}
			if m.ID != nil && m.Method == nil {
				answered[m.ID.Key()]++
			}
		})
		for id, n := range answered {
			if n > asked[id] && id != codec.NullID.Key() {
				t.Fatalf("%d answers to %d requests: %s", n, asked[id], c.written())
			}
		}
	})
}

// count calls f for each message in a stream, elements of arrays too.
func count(stream []byte, f func(*codec.Message, error)) {
	for line := range strings.Lines(string(stream)) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if line == "" {
			continue
		}
		var m codec.Message
		err := codec.Decode([]byte(line), &m)
		if m.Kind != codec.Batch {
			f(&m, err)
			continue
		}
		for i := range m.Len() {
			var el codec.Message
			f(&el, m.Element(i, &el))
		}
	}
}

// scripted is a Dialer of backs that say what they have to say, and then nothing.
type scripted []byte

func (d scripted) Dial(context.Context) (transport.Conn, error) {
	return transport.Stream(&script{in: bytes.NewReader(d), stay: make(chan struct{})}, framing.Newline, nil), nil
}

// script is a stream that reads what was written before.
type script struct {
	in   *bytes.Reader
	stay chan struct{} // the stream ends when it is closed; nil to end by itself

	mu   sync.Mutex
	once sync.Once
	out  bytes.Buffer
}

func (s *script) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if err == io.EOF && s.stay != nil {
		<-s.stay
	}
	return n, err
}

func (s *script) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (s *script) written() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.out.Bytes())
}

func (s *script) Close() error {
	s.once.Do(func() {
		if s.stay != nil {
			close(s.stay)
		}
	})
	return nil
}
