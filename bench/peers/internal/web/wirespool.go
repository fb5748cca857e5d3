package web

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

const tools = `{"tools":[{"name":"echo","inputSchema":` +
	`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}`

// many lifts the bounds on what one client may open: there is one only.
const many = 100_000

// wirespool serves without an event log: handlers run on the goroutine of their
// request. Who wants events asks for nothing else in its Accept header.
func wirespool(o Options) *Server { return serveWirespool(o, nil, false) }

// wirespoolLog keeps streams in memory: handlers run on goroutines of their own.
func wirespoolLog(o Options) *Server { return serveWirespool(o, eventlog.NewMemory(nil), false) }

// wirespoolHijack takes the connections of GET streams for itself.
func wirespoolHijack(o Options) *Server { return serveWirespool(o, nil, true) }

func serveWirespool(o Options, log eventlog.Log, hijack bool) *Server {
	info := dispatch.Info{Name: "echo", Version: "1", Capabilities: codec.Value(`{"tools":{"listChanged":true}}`)}
	if o.Legacy {
		info.Versions = []protocol.Revision{protocol.V20250618}
	}
	server := dispatch.NewServer(&dispatch.Options{Info: info})
	server.Handle("tools/list", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, tools...), nil
	})
	server.Handle("tools/call", echo)
	h := streamhttp.NewHandler(server, &streamhttp.Options{
		Stateless: o.Stateless, Log: log, Hijack: hijack,
		Limits: streamhttp.Limits{
			MaxSessions: many, MaxSessionsPerPrincipal: many, MaxStreams: many, MaxStreamsPerPrincipal: many,
		},
	})
	return &Server{Handler: h, Broadcast: func(n, size int) error {
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

// echo copies the text as it stands in the request.
func echo(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	text, err := codec.Find(r.Fact(codec.FactArguments), "text")
	if err != nil || string(r.Fact(codec.FactName)) != `"echo"` || text.Kind() != codec.String {
		return dst, &codec.Error{Code: protocol.CodeInvalidParams, Message: "no text to echo"}
	}
	dst = append(dst, `{"content":[{"type":"text","text":`...)
	dst = append(dst, text...)
	return append(dst, `}]}`...), nil
}
