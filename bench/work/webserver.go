package work

import (
	"context"
	"errors"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

const webTools = `{"tools":[{"name":"echo","inputSchema":` +
	`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}`

// many lifts the bounds on what one client may open: there is one only.
const many = 100_000

// webWirespool serves without an event log: handlers run on the goroutine of their
// request. Who wants events asks for nothing else in its Accept header.
func webWirespool(o WebOptions) *WebServer { return serveWirespool(o, nil, false) }

// webWirespoolLog keeps streams in memory: handlers run on goroutines of their own.
func webWirespoolLog(o WebOptions) *WebServer {
	return serveWirespool(o, eventlog.NewMemory(nil), false)
}

// webWirespoolHijack takes the connections of GET streams for itself.
func webWirespoolHijack(o WebOptions) *WebServer { return serveWirespool(o, nil, true) }

func serveWirespool(o WebOptions, log eventlog.Log, hijack bool) *WebServer {
	info := dispatch.Info{Name: "echo", Version: "1", Capabilities: codec.Value(`{"tools":{"listChanged":true}}`)}
	if o.Legacy {
		info.Versions = []protocol.Revision{protocol.V20250618}
	}
	server := dispatch.NewServer(&dispatch.Options{Info: info})
	server.Handle("tools/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, webTools...), nil
	})
	server.Handle("tools/call", echoText)
	h := streamhttp.NewHandler(server, &streamhttp.Options{
		Stateless: o.Stateless, Log: log, Hijack: hijack,
		Limits: streamhttp.Limits{
			MaxSessions: many, MaxSessionsPerPrincipal: many, MaxStreams: many, MaxStreamsPerPrincipal: many,
		},
	})
	end := func() error {
		err := errors.Join(h.Close(), server.Shutdown(context.Background()))
		if log != nil {
			err = errors.Join(err, log.Close())
		}
		return err
	}
	return &WebServer{Handler: h, End: end, Broadcast: func(n, size int) error {
		params, _ := bench.WebEvent(size)
		for range n {
			var failed error
			server.Peers(func(p *dispatch.Peer) bool {
				err := p.Notify(context.Background(), protocol.NotificationProgress, params)
				if err != nil && !errors.Is(err, transport.ErrNoStream) {
					failed = err
				}
				return failed == nil
			})
			if failed != nil {
				return failed
			}
		}
		return nil
	}}
}

// echoText copies the text as it stands in the request.
func echoText(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	text, err := codec.Find(r.Fact(codec.FactArguments), "text")
	if err != nil || string(r.Fact(codec.FactName)) != `"echo"` || text.Kind() != codec.String {
		return dst, &codec.Error{Code: protocol.CodeInvalidParams, Message: "no text to echo"}
	}
	dst = append(dst, `{"content":[{"type":"text","text":`...)
	dst = append(dst, text...)
	return append(dst, `}]}`...), nil
}
