package host

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
	"github.com/wirespool/wirespool/typed"
)

// Options configure a host. What is nil is not offered to the server.
type Options struct {
	// Era and Versions say what to speak, as in dispatch.ClientOptions.
	Era      dispatch.EraChoice
	Versions []protocol.Revision
	// Sample lets the host's model answer a prompt.
	Sample func(ctx context.Context, prompt string) (string, error)
	// Elicit shows the user a message and a form, a JSON schema, and returns
	// what was filled in, or nil if the user declined.
	Elicit func(ctx context.Context, message string, form json.RawMessage) (map[string]any, error)
	// Tasks lets tools run as tasks, in 2026-07-28.
	Tasks bool
	// Skills says that the host knows what to do with skills.
	Skills bool
	// Roots are the URIs of the folders the server may work in.
	Roots []string
	// OnLog gets the server's log messages.
	OnLog func(level, text string)
	// OnTools is called whenever the list of tools was fetched anew.
	OnTools func([]Tool)
	// Handlers registers further handlers for what the server sends.
	Handlers func(*dispatch.Mux)
	// Logger gets the engine's diagnostics; nil discards them.
	Logger *slog.Logger
}

// Host is one connection to a server.
type Host struct {
	opts   Options
	client *dispatch.Client
	tools  *ToolList

	ready  chan struct{} // closed when the fields above are set
	listen sync.WaitGroup
	stop   context.CancelFunc
}

// Connect connects to a server. ctx bounds that alone.
func Connect(ctx context.Context, d transport.Dialer, opts *Options) (*Host, error) {
	h := &Host{ready: make(chan struct{})}
	if opts != nil {
		h.opts = *opts
	}
	client, err := dispatch.Connect(ctx, d, &dispatch.ClientOptions{
		Options: dispatch.Options{
			Info: dispatch.Info{
				Name: "everything-host", Version: "1.0.0",
				Capabilities: h.capabilities(), Versions: h.opts.Versions,
			},
			Logger: h.opts.Logger,
		},
		Era:      h.opts.Era,
		Handlers: h.register,
	})
	if err != nil {
		return nil, err
	}
	life, stop := context.WithCancel(client.Peer().Context())
	h.client, h.stop = client, stop
	h.tools = NewToolList(life, h.fetchTools)
	close(h.ready)
	if client.Peer().Revision().Era() == protocol.Modern {
		h.listen.Go(func() { h.subscribe(life) })
	}
	return h, nil
}

// Close ends the subscription, so that the server need not wait for us, and
// then the connection.
func (h *Host) Close() error {
	h.stop()
	h.listen.Wait()
	return h.client.Close()
}

// Client returns the connection, for calls that this package has no method for.
func (h *Host) Client() *dispatch.Client { return h.client }

// Tools returns the server's tools, from memory if nothing has changed.
func (h *Host) Tools(ctx context.Context) ([]Tool, error) { return h.tools.Get(ctx) }

func (h *Host) capabilities() codec.Value {
	own := map[string]any{}
	if h.opts.Sample != nil {
		own["sampling"] = struct{}{}
	}
	if h.opts.Elicit != nil {
		own["elicitation"] = struct{}{}
	}
	if h.opts.Roots != nil {
		own["roots"] = struct{}{}
	}
	extensions := map[string]any{}
	if h.opts.Tasks {
		extensions[protocol.ExtensionTasks] = struct{}{}
	}
	if h.opts.Skills {
		extensions[ExtensionSkills] = struct{}{}
	}
	if len(extensions) > 0 {
		own["extensions"] = extensions
	}
	text, _ := typed.Append(nil, own) // cannot fail
	return text
}

// register registers what the server may send. It may send before Connect has
// returned.
func (h *Host) register(m *dispatch.Mux) {
	if h.opts.Handlers != nil {
		h.opts.Handlers(m)
	}
	for method, answer := range h.answerers() {
		m.Handle(method, func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
			result, err := answer(ctx, r.Params())
			if err != nil {
				return dst, err
			}
			return typed.Append(dst, result)
		})
	}
	m.HandleNotification(protocol.NotificationToolsListChanged, func(context.Context, *dispatch.Notification) {
		select {
		case <-h.ready:
			h.tools.Changed()
		default: // nothing was fetched yet
		}
	})
	m.HandleNotification(protocol.NotificationMessage, func(_ context.Context, n *dispatch.Notification) {
		if h.opts.OnLog == nil {
			return
		}
		level, _ := n.Fact(codec.FactLevel).Text()
		data, _ := codec.Find(n.Params(), "data")
		text, isText := data.Text()
		if !isText {
			text = data
		}
		h.opts.OnLog(string(level), string(text))
	})
}

// fetchTools gets the whole list, page by page (PG-01).
func (h *Host) fetchTools(ctx context.Context) ([]Tool, error) {
	var tools []Tool
	var cursor *string
	for range maxPages {
		page, err := typed.Call[struct {
			Tools      []Tool  `json:"tools"`
			NextCursor *string `json:"nextCursor"`
		}](ctx, h.client, protocol.MethodToolsList, struct {
			Cursor *string `json:"cursor,omitempty"`
		}{cursor})
		if err != nil {
			return nil, err
		}
		tools = append(tools, page.Tools...)
		if cursor = page.NextCursor; cursor == nil {
			if h.opts.OnTools != nil {
				h.opts.OnTools(tools)
			}
			return tools, nil
		}
	}
	return nil, fmt.Errorf("the list of tools has more than %d pages", maxPages)
}

// maxPages bounds a list that has no end.
const maxPages = 1000

// subscribe keeps a subscription open, which is how a server of 2026-07-28 tells
// of changes. Its call has no time limit, and ends with the connection.
func (h *Host) subscribe(ctx context.Context) {
	params := codec.Value(`{"notifications":{"toolsListChanged":true}}`)
	res, err := h.client.CallRaw(ctx, protocol.MethodSubscriptionsListen, params, dispatch.WithTimeout(-1, -1))
	if err == nil {
		res.Release()
	} else if ctx.Err() == nil && h.opts.Logger != nil {
		h.opts.Logger.Warn("no notices of changes any more", "error", err)
	}
}
