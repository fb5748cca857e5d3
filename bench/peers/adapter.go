package peers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/work"
)

// adapterSizes are the texts of the calls that measure an SDK on wirespool, and
// how many calls one Do makes: what a connection costs that is set up and ended by
// each Do is small beside them.
var adapterSizes = []struct {
	name        string
	size, calls int
}{{"100B", 100, 512}, {"64K", 64 << 10, 32}, {"1M", 1 << 20, 4}}

// AdapterGroups returns the groups that measure SDKs on wirespool beside the same
// SDKs on their own transports: the shape begins with the name of the SDK. They take
// longer than those of [Groups], and have no floor.
func AdapterGroups() []work.Group {
	return slices.Concat(gosdkGroups(), mcpgoGroups(), mcpgoServerGroups())
}

// adapterGroup compares an SDK on its own transport, the last entry, with the same
// SDK on ours, by calls of a tool that returns a text of so many bytes.
func adapterGroup(shape, size string, calls, text int, entries ...work.Entry) work.Group {
	return work.Group{
		Op: "Adapter", Shape: shape, Size: size, Messages: calls, Bytes: calls * text,
		Found: fmt.Sprint(calls, " answered"), Entries: entries,
	}
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"peers","version":"1"}}}`

const helloDone = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// argumentsHead and argumentsTail are what stands around the text in the arguments.
const argumentsHead, argumentsTail = `{"text":"`, `"}`

func legacyCall(text string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + argumentsHead + text + argumentsTail + `}}`
}

func modernCall(text string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + argumentsHead + text + argumentsTail + `,"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"peers","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{"sampling":{},"elicitation":{}}}}}`
}

// linesFeed is a feed for one call at a time, whose answer may come in parts.
type linesFeed struct {
	*bench.Feed
	written int // bytes of all answers
}

// oneAnswer is what the feed counts as one.
var oneAnswer = []byte(`"jsonrpc"`)

func (f *linesFeed) Write(p []byte) (int, error) {
	f.written += len(p) // looked at behind the last answer
	if !bytes.HasSuffix(p, []byte("\n")) {
		return len(p), nil
	}
	_, err := f.Feed.Write(oneAnswer)
	return len(p), err
}

// feedCalls is an entry whose Do has a server answer calls on a feed. Answers
// are counted, and all of them together are at least as long as their texts.
func feedCalls(impl, text string, calls int, serve func(io.ReadWriteCloser) error) work.Entry {
	answered := 0
	call := []byte(legacyCall(text) + "\n")
	return work.Entry{
		Impl:  impl,
		Bytes: func() int { return answered * len(text) },
		Found: func() string { return fmt.Sprint(answered, " answered") },
		Do: func() error {
			answered = 0
			f := &linesFeed{Feed: bench.NewFeed()}
			ended := make(chan error, 1)
			go func() { ended <- serve(f) }()
			err := f.Ask([]byte(hello+"\n"), 1)
			if err == nil {
				err = f.Ask([]byte(helloDone+"\n"), 0)
			}
			for ; err == nil && answered < calls; answered++ {
				err = f.Ask(call, 1)
			}
			if err == nil {
				err = work.Judge(f.written > calls*len(text))
			}
			return errors.Join(err, f.Close(), <-ended)
		},
	}
}

// httpServer is a handler, and what ends it.
type httpServer struct {
	http.Handler
	end func() error
}

// postCalls is an entry whose Do has a handler answer POSTs, of a session or of
// 2026-07-28.
func postCalls(impl, text string, calls int, modern bool, open func() httpServer) work.Entry {
	answered := 0
	call := legacyCall(text)
	if modern {
		call = modernCall(text)
	}
	return work.Entry{
		Impl:  impl,
		Bytes: func() int { return answered * len(text) },
		Found: func() string { return fmt.Sprint(answered, " answered") },
		Do: func() (err error) {
			answered = 0
			s := open()
			defer func() { err = errors.Join(err, s.end()) }()
			header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
			if modern {
				header["Mcp-Protocol-Version"] = []string{"2026-07-28"}
				header["Mcp-Method"] = []string{"tools/call"}
				header["Mcp-Name"] = []string{"echo"}
			} else {
				opened := ask(s, http.MethodPost, header, hello)
				header["Mcp-Session-Id"] = opened.header["Mcp-Session-Id"]
				header["Mcp-Protocol-Version"] = []string{"2025-11-25"}
				ask(s, http.MethodPost, header, helloDone)
				defer ask(s, http.MethodDelete, header, "")
			}
			for range calls {
				if w := ask(s, http.MethodPost, header, call); w.status/100 != 2 || w.written < len(text) {
					return fmt.Errorf("%w: status %d, %d bytes", work.ErrWork, w.status, w.written)
				}
				answered++
			}
			return nil
		},
	}
}

// ask has a handler answer a request as net/http hands it to one.
func ask(h http.Handler, method string, header http.Header, body string) *sink {
	w := &sink{header: http.Header{}}
	h.ServeHTTP(w, &http.Request{
		Method: method, URL: &url.URL{Path: "/mcp"}, Host: "localhost", RequestURI: "/mcp", RemoteAddr: "127.0.0.1:1", Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	})
	return w
}

// sink is a response that only counts.
type sink struct {
	header          http.Header
	status, written int
}

func (s *sink) Header() http.Header { return s.header }

func (s *sink) WriteHeader(status int) { s.status = status }

func (s *sink) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	s.written += len(p)
	return len(p), nil
}

func (s *sink) Flush() {}

func (s *sink) SetReadDeadline(time.Time) error { return nil }

func (s *sink) SetWriteDeadline(time.Time) error { return nil }
