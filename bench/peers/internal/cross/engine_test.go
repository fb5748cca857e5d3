package cross_test

import (
	"context"
	"errors"
	"testing"

	"github.com/wirespool/wirespool/bench/peers/internal/cross"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
	"github.com/wirespool/wirespool/typed"
)

const engineName = "wirespool"

// engine is the client of package dispatch, with no SDK above it.
func engine(way string, dial func(target string) transport.Dialer) dialer {
	return dialer{name: engineName, way: way, ours: true, open: func(t *testing.T, target, version string) *session {
		info := dispatch.Info{Name: "client", Version: "1", Capabilities: codec.Value(`{"sampling":{}}`)}
		if version != "" {
			info.Versions = []protocol.Revision{protocol.Revision(version)}
		}
		c, err := dispatch.Connect(t.Context(), dial(target), &dispatch.ClientOptions{
			Options:  dispatch.Options{Info: info},
			Handlers: func(m *dispatch.Mux) { m.Handle(protocol.MethodSamplingCreateMessage, sampled) },
		})
		if err != nil {
			t.Fatal(err)
		}
		progress := make(chan float64, buffered)
		return &session{
			version:  string(c.Peer().Revision()),
			progress: progress,
			close:    c.Close,
			tools: func(ctx context.Context) (names []string, err error) {
				list, err := typed.Call[toolList](ctx, c, protocol.MethodToolsList, nil)
				for _, tool := range list.Tools {
					names = append(names, tool.Name)
				}
				return names, err
			},
			call: func(ctx context.Context, tool, text string) (string, error) {
				params := map[string]any{"name": tool, "arguments": map[string]any{"text": text}}
				result, err := typed.Call[toolResult](ctx, c, protocol.MethodToolsCall, params, dispatch.WithAnswers(nil),
					dispatch.WithProgress(func(p dispatch.Progress) { progress <- p.Progress }))
				switch {
				case err != nil:
					return "", err
				case result.IsError:
					return "", errors.New(result.Content[0].Text)
				}
				return result.Content[0].Text, nil
			},
		}
	}}
}

type toolList struct {
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

type toolResult struct {
	Content []textContent `json:"content"`
	IsError bool          `json:"isError"`
}

type textContent struct {
	Text string `json:"text"`
}

// sampled answers what servers ask the client's model.
func sampled(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	var params struct {
		Messages []struct {
			Content textContent `json:"content"`
		} `json:"messages"`
	}
	if err := typed.Decode(r.Params(), &params); err != nil {
		return nil, err
	}
	if q := params.Messages[0].Content.Text; q != cross.Question {
		return nil, errors.New("this is not the question: " + q)
	}
	return typed.Append(dst, map[string]any{"role": "assistant", "model": "m", "content": map[string]any{"type": "text", "text": answer}})
}
