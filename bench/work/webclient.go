package work

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/streamhttp"
)

func callWirespool(ctx context.Context, url, text string) (*WebCaller, error) {
	c, err := dispatch.Connect(ctx, streamhttp.URL(url, nil), &dispatch.ClientOptions{
		Options: dispatch.Options{Info: dispatch.Info{Name: "load", Version: "1"}},
	})
	if err != nil {
		return nil, err
	}
	params := codec.AppendString([]byte(`{"name":"echo","arguments":{"text":`), text)
	params = append(params, `}}`...)
	return &WebCaller{
		Call: func(ctx context.Context) (int, error) {
			res, err := c.CallRaw(ctx, "tools/call", params)
			if err != nil {
				return 0, err
			}
			defer res.Release()
			for item := range must(codec.Find(res.Value(), "content")).Elements() {
				back, _ := must(codec.Find(item, "text")).Text()
				return len(back), nil
			}
			return 0, errors.New("work: no content")
		},
		Close: c.Close,
	}, nil
}

// must is for values that are known to be JSON.
func must(v codec.Value, _ error) codec.Value { return v }

// callNetHTTP is the least that net/http needs for a call: bytes around an id, an
// answer that is read and not looked at.
func callNetHTTP(_ context.Context, url, text string) (*WebCaller, error) {
	addr, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	first, err := bench.DialWeb(addr)
	if err != nil {
		return nil, err
	}
	session, err := bench.OpenWeb(first)
	if err := errors.Join(err, first.Close()); err != nil {
		return nil, err
	}
	conns := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	tail := bench.Call("", len(text)+len(bench.Call("", 0)))
	tail = bytes.TrimPrefix(tail, []byte(callHead))
	header := http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-06-18"}, "Mcp-Session-Id": {session},
	}
	var id atomic.Int64
	call := func(ctx context.Context) (int, error) {
		body := make([]byte, 0, len(callHead)+20+len(tail))
		body = append(strconv.AppendInt(append(body, callHead...), id.Add(1), 10), tail...)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		req.Header = header
		resp, err := conns.RoundTrip(req)
		if err != nil {
			return 0, err
		}
		answer, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("work: status %d: %.200q", resp.StatusCode, answer)
		}
		if err == nil {
			err = Judge(len(answer) > len(text))
		}
		return 0, errors.Join(err, resp.Body.Close())
	}
	return &WebCaller{Call: call, Close: func() error {
		conns.CloseIdleConnections()
		return nil
	}}, nil
}

// callHead is what a call of package bench begins with.
const callHead = `{"jsonrpc":"2.0","id":`
