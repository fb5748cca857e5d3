package streamhttp_test

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/streamhttp"
)

// h2 is a raw HTTP/2 client: it reads in the background, so that a server that
// writes is never held up, and tells what came.
type h2 struct {
	t      *testing.T
	conn   net.Conn
	framer *http2.Framer
	frames chan h2frame
}

// h2frame is a frame as far as tests care.
type h2frame struct {
	stream uint32
	kind   http2.FrameType
	data   string
	status string
	ended  bool
}

// dialH2 opens a connection whose streams have the given window.
func dialH2(t *testing.T, srv *memhttp.Server, window uint32) *h2 {
	c, err := srv.Dial(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	p := &h2{t: t, conn: c, framer: http2.NewFramer(c, c), frames: make(chan h2frame, 1000)}
	p.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	go p.read()
	_, err = c.Write([]byte(http2.ClientPreface))
	require.NoError(t, err)
	require.NoError(t, p.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}))
	return p
}

func (p *h2) read() {
	defer close(p.frames)
	for {
		f, err := p.framer.ReadFrame()
		if err != nil {
			return
		}
		out := h2frame{stream: f.Header().StreamID, kind: f.Header().Type}
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			out.status, out.ended = f.PseudoValue("status"), f.StreamEnded()
		case *http2.DataFrame:
			out.data, out.ended = string(f.Data()), f.StreamEnded()
		}
		p.frames <- out
	}
}

// post sends a POST on a stream.
func (p *h2) post(stream uint32, body string, headers []string) {
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	fields := [][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":authority", "localhost"}, {":path", "/mcp"},
		{"content-type", "application/json"}, {"accept", "application/json, text/event-stream"},
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		fields = append(fields, [2]string{strings.ToLower(name), value})
	}
	for _, f := range fields {
		require.NoError(p.t, enc.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}))
	}
	require.NoError(p.t, p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true}))
	require.NoError(p.t, p.framer.WriteData(stream, true, []byte(body)))
}

// await returns the next frame of that kind on a stream.
func (p *h2) await(stream uint32, kind http2.FrameType) h2frame {
	p.t.Helper()
	for f := range p.frames {
		if f.stream == stream && f.kind == kind {
			return f
		}
	}
	p.t.Fatalf("the connection ended without a %s on stream %d", kind, stream)
	return h2frame{}
}

// watched registers a tool that says how it ended.
func watched(r *rig) chan error {
	ended := make(chan error, 1)
	r.srv.Handle("watched", func(ctx context.Context, q *dispatch.Request, dst []byte) ([]byte, error) {
		_ = q.Notify(ctx, "notifications/started", nil)
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
		ended <- ctx.Err()
		return append(dst, "{}"...), nil
	})
	return ended
}

// TestReset: RST_STREAM cancels the call on that stream and no other (SC26-07, H8
// of the field).
func TestReset(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		ended := watched(r)
		p := dialH2(t, r.http, 1<<16)
		body, headers := modernCall("1", "watched", "")
		p.post(1, body, headers)
		require.Equal(t, "200", p.await(1, http2.FrameHeaders).status)
		require.Contains(t, p.await(1, http2.FrameData).data, "started")
		other, otherHeaders := modernCall("2", "tools/call", `"name":"sleep:2s"`)
		p.post(3, other, append(otherHeaders, "Mcp-Name: sleep:2s"))
		<-time.After(time.Second)
		begun := time.Now()
		require.NoError(t, p.framer.WriteRSTStream(1, http2.ErrCodeCancel))
		require.ErrorIs(t, <-ended, context.Canceled)
		require.Zero(t, time.Since(begun))
		require.Contains(t, p.await(3, http2.FrameData).data, "result")
	})
}

// TestResetLegacy: before 2026-07-28 it does not (SL-14).
func TestResetLegacy(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		ended := watched(r)
		own := r.session("2025-11-25")
		p := dialH2(t, r.http, 1<<16)
		p.post(1, request("1", "watched", ""), own)
		require.Equal(t, "200", p.await(1, http2.FrameHeaders).status)
		require.NoError(t, p.framer.WriteRSTStream(1, http2.ErrCodeCancel))
		require.NoError(t, <-ended)
	})
}

// TestGoAway: a client that says it will open no more streams still gets what it
// asked for.
func TestGoAway(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		p := dialH2(t, r.http, 1<<16)
		body, headers := modernCall("1", "tools/call", `"name":"progress:x"`)
		p.post(1, body, append(headers, "Mcp-Name: progress:x"))
		require.Contains(t, p.await(1, http2.FrameData).data, `"progress":1`)
		require.NoError(t, p.framer.WriteGoAway(0, http2.ErrCodeNo, nil))
		var got strings.Builder
		for {
			f := p.await(1, http2.FrameData)
			got.WriteString(f.data)
			if f.ended {
				break
			}
		}
		require.Contains(t, got.String(), `"progress":3`)
		require.Contains(t, got.String(), `"result"`)
	})
	endpoint(t, nil, func(t *testing.T, r *rig) { // and so do those whose server goes
		p := dialH2(t, r.http, 1<<16)
		body, headers := modernCall("1", "tools/call", `"name":"progress:x"`)
		p.post(1, body, append(headers, "Mcp-Name: progress:x"))
		require.Contains(t, p.await(1, http2.FrameData).data, `"progress":1`)
		done := make(chan error, 1)
		go func() { done <- r.h.Shutdown(context.Background()) }()
		for !strings.Contains(p.await(1, http2.FrameData).data, `"result"`) {
		}
		require.NoError(t, <-done)
	})
}

// TestTinyWindow: a client that gives a few bytes at a time gets all of it; one
// that gives none loses its stream after the time for a write, and nobody else
// does.
func TestTinyWindow(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		p := dialH2(t, r.http, 10)
		body, headers := modernCall("1", "tools/call", `"name":"progress:x"`)
		p.post(1, body, append(headers, "Mcp-Name: progress:x"))
		var got strings.Builder
		for granted := 10; ; granted += 10 {
			f := p.await(1, http2.FrameData)
			got.WriteString(f.data)
			require.LessOrEqual(t, got.Len(), granted)
			if f.ended {
				break
			}
			require.NoError(t, p.framer.WriteWindowUpdate(1, 10))
		}
		require.Equal(t, 4, strings.Count(got.String(), "data: "))
		require.Contains(t, got.String(), `"result"`)

		ended := watched(r)
		body, headers = modernCall("1", "watched", "")
		begun := time.Now()
		p.post(3, body, headers)
		require.ErrorIs(t, <-ended, context.Canceled)
		require.Equal(t, 30*time.Second, time.Since(begun))
		synctest.Wait()
		require.Equal(t, 200, r.modernTool("1", "x").StatusCode)
	})
}
