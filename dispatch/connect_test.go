package dispatch_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

const (
	probed   = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"3"},"io.modelcontextprotocol/clientCapabilities":{"roots":{}}}}}`
	describe = `"capabilities":{"tools":{}},"instructions":"be \"kind\""`
)

// asked is the initialize request of a client with this id.
func asked(id, version string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"3"}}}`
}

// accepts is the answer to it.
func accepts(id, version string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"` + version + `","serverInfo":{"name":"s"},` + describe + `}}`
}

func discovered(versions string) string {
	return `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":` + versions + `,` + describe + `,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}}}`
}

// shakes plays a server of the handshake, for a client whose initialize has
// this id.
func shakes(id, version string) func(*wire) {
	return func(w *wire) { w.want(asked(id, version)); w.send(accepts(id, version)); w.want(opened) }
}

// answers plays a server that answers the probe, and then a handshake.
func answers(line string, then func(*wire)) func(*wire) {
	return func(w *wire) {
		w.want(probed)
		if line != "" {
			w.send(line)
		}
		then(w)
	}
}

func closes(w *wire) { _ = w.conn.Close() }

func nothing(*wire) {}

// TestConnect finds out what a server speaks (VN-01 to VN-03, VN-20 to VN-25,
// K1 to K3).
func TestConnect(t *testing.T) {
	const all = `["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]`
	fails := func(code, rest string) string {
		return `{"jsonrpc":"2.0","id":1,"error":{"code":` + code + `,"message":"no"` + rest + `}}`
	}
	unsupported := func(list string) string {
		return fails("-32022", `,"data":{"supported":`+list+`,"requested":"2026-07-28"}`)
	}
	const auto, legacy, modern = dispatch.EraAuto, dispatch.EraLegacy, dispatch.EraModern
	old := []protocol.Revision{protocol.V20250326, protocol.V20250618}
	scripts := func(s ...func(*wire)) []func(*wire) { return s }
	for name, tt := range map[string]struct {
		era      dispatch.EraChoice
		versions []protocol.Revision
		scripts  []func(*wire)
		revision protocol.Revision
		after    time.Duration
		err      string
	}{
		"modern":             {auto, nil, scripts(answers(discovered(all), nothing)), "2026-07-28", 0, ""},
		"modern, asked for":  {modern, nil, scripts(answers(discovered(`["2026-07-28","2099-01-01"]`), nothing)), "2026-07-28", 0, ""},
		"legacy, asked for":  {legacy, nil, scripts(shakes("1", "2025-11-25")), "2025-11-25", 0, ""},
		"-32601":             {auto, nil, scripts(answers(fails("-32601", ""), shakes("2", "2025-11-25"))), "2025-11-25", 0, ""},
		"-32602":             {auto, nil, scripts(answers(fails("-32602", ""), shakes("2", "2025-11-25"))), "2025-11-25", 0, ""},
		"-32600":             {auto, nil, scripts(answers(fails("-32600", ""), shakes("2", "2025-11-25"))), "2025-11-25", 0, ""},
		"-32000":             {auto, nil, scripts(answers(fails("-32000", ""), shakes("2", "2025-11-25"))), "2025-11-25", 0, ""},
		"code 0":             {auto, nil, scripts(answers(fails("0", ""), shakes("2", "2025-11-25"))), "2025-11-25", 0, ""},
		"error without id":   {auto, nil, scripts(answers(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`, shakes("2", "2025-11-25"))), "2025-11-25", 0, ""},
		"error, id missing":  {auto, nil, scripts(answers(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"x"}}`, shakes("2", "2025-11-25"))), "2025-11-25", 0, ""},
		"silence":            {auto, nil, scripts(answers("", shakes("2", "2025-11-25"))), "2025-11-25", 3 * time.Second, ""},
		"junk":               {auto, nil, scripts(answers("unknown method", shakes("2", "2025-11-25"))), "2025-11-25", 3 * time.Second, ""},
		"malformed answer":   {auto, nil, scripts(answers(`{"id":1,"result":{}}`, shakes("2", "2025-11-25"))), "2025-11-25", 0, ""},
		"any result":         {auto, nil, scripts(answers(empty("1"), shakes("2", "2025-11-25"))), "2025-11-25", 0, ""},
		"closes":             {auto, nil, scripts(answers("", closes), shakes("1", "2025-11-25")), "2025-11-25", 0, ""},
		"answers and closes": {auto, nil, scripts(answers(fails("-32601", ""), closes), shakes("1", "2025-11-25")), "2025-11-25", 0, ""},
		"closes twice":       {auto, nil, scripts(answers("", closes), closes), "", 0, "initialize"},
		"late probe answer": {auto, nil, scripts(answers("", func(w *wire) {
			w.want(asked("2", "2025-11-25"))
			w.send(discovered(all), accepts("2", "2025-11-25"))
			w.want(opened)
		})), "2025-11-25", 3 * time.Second, ""},
		"-32022, lists legacy": {auto, nil, scripts(answers(unsupported(`["2024-11-05","2025-06-18"]`), shakes("2", "2025-06-18"))), "2025-06-18", 0, ""},
		"-32022, lists modern": {auto, nil, scripts(answers(unsupported(all), func(w *wire) {
			w.want(strings.Replace(probed, `"id":1`, `"id":2`, 1))
			w.send(strings.Replace(discovered(all), `"id":1`, `"id":2`, 1))
		})), "2026-07-28", 0, ""}, // VN-22
		"-32022, lists modern, twice": {auto, nil, scripts(answers(unsupported(`["2026-07-28"]`), func(w *wire) {
			w.want(strings.Replace(probed, `"id":1`, `"id":2`, 1))
			w.send(strings.Replace(unsupported(`["2026-07-28"]`), `"id":1`, `"id":2`, 1))
			closesQuietly(w)
		})), "", 0, "-32022"},
		"-32022, nothing mutual": {auto, nil, scripts(answers(unsupported(`["2099-01-01"]`), closesQuietly)), "", 0, "-32022"},
		"-32022, no list":        {auto, nil, scripts(answers(fails("-32022", ""), closesQuietly)), "", 0, "-32022"},
		"-32022, modern only":    {modern, nil, scripts(answers(unsupported(`["2025-06-18"]`), closesQuietly)), "", 0, "-32022"},
		"-32021":                 {auto, nil, scripts(answers(fails("-32021", ""), closesQuietly)), "", 0, "-32021"},
		"discover lists legacy":  {auto, nil, scripts(answers(discovered(`["2025-06-18"]`), shakes("2", "2025-06-18"))), "2025-06-18", 0, ""},
		"discover lists nothing": {auto, nil, scripts(answers(discovered(`[]`), closesQuietly)), "", 0, "no common version"},
		"modern fails":           {modern, nil, scripts(answers(fails("-32601", ""), closesQuietly)), "", 0, "-32601"},
		"older answer":           {legacy, nil, scripts(func(w *wire) { w.want(asked("1", "2025-11-25")); w.send(accepts("1", "2024-11-05")); w.want(opened) }), "2024-11-05", 0, ""},
		"own versions":           {auto, old, scripts(shakes("1", "2025-06-18")), "2025-06-18", 0, ""},
		"modern answer":          {legacy, nil, scripts(func(w *wire) { w.want("…"); w.send(accepts("1", "2026-07-28")); w.ended() }), "", 0, "no common version"},
		"unknown answer":         {legacy, nil, scripts(func(w *wire) { w.want("…"); w.send(accepts("1", "2099-01-01")); w.ended() }), "", 0, "no common version"},
		"answer not ours":        {legacy, old, scripts(func(w *wire) { w.want(asked("1", "2025-06-18")); w.send(accepts("1", "2025-11-25")); w.ended() }), "", 0, "no common version"},
		"answer not ours, lists": {legacy, old, scripts(func(w *wire) { w.want("…"); w.send(lists("2025-11-25", `["2025-11-25","2025-03-26"]`)); w.ended() }, shakes("1", "2025-03-26")), "2025-03-26", 0, ""},
		"answer not ours, again": {legacy, old, scripts(func(w *wire) { w.want("…"); w.send(lists("2025-11-25", `["2025-11-25","2025-06-18"]`)); w.ended() }), "", 0, "no common version"},
		"-32602 with supported": {legacy, nil, scripts(func(w *wire) {
			w.want("…")
			w.send(fails("-32602", `,"data":{"supported":["2024-11-05"],"requested":"x"}`))
			w.ended()
		}, shakes("1", "2024-11-05")), "2024-11-05", 0, ""},
		"initialize fails":         {legacy, nil, scripts(func(w *wire) { w.want("…"); w.send(fails("-32603", "")); w.ended() }), "", 0, "initialize: peer: -32603"},
		"initialize, version gone": {legacy, nil, scripts(func(w *wire) { w.want("…"); w.send(empty("1")); w.ended() }), "", 0, "no common version"},
		"initialize, silence":      {legacy, nil, scripts(func(w *wire) { w.want("…"); w.ended() }), "", 30 * time.Second, "30s"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				begun := time.Now()
				d := &dialer{t: t, scripts: tt.scripts}
				c, err := dispatch.Connect(t.Context(), d, &dispatch.ClientOptions{Era: tt.era, Options: dispatch.Options{
					Info: dispatch.Info{Name: "c", Version: "3", Capabilities: []byte(`{"roots":{}}`), Versions: tt.versions},
				}})
				require.Equal(t, tt.after, time.Since(begun))
				require.Equal(t, len(tt.scripts), d.dials)
				if tt.err != "" {
					require.ErrorContains(t, err, tt.err)
					return
				}
				require.NoError(t, err)
				p := c.Peer()
				require.Equal(t, tt.revision, p.Revision())
				r := p.Remote()
				require.Equal(t, tt.revision, r.Revision)
				require.Equal(t, tt.revision.Era(), r.Era)
				require.Equal(t, `{"name":"s"}`, string(r.Info))
				require.Equal(t, `{"tools":{}}`, string(r.Capabilities))
				require.Equal(t, `"be \"kind\""`, string(r.Instructions))
				require.NoError(t, c.Close())
				_, err = c.CallRaw(t.Context(), "ping", nil)
				require.ErrorIs(t, err, net.ErrClosed)
			})
		})
	}
}

func lists(version, supported string) string {
	return `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"` + version + `","supportedVersions":` + supported + `,"serverInfo":{"name":"s"}}}`
}

func closesQuietly(w *wire) { w.ended() }

// TestConnectContext: the end of ctx ends all of it, and its values reach
// handlers.
func TestConnectContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		d := &dialer{t: t, scripts: []func(*wire){answers("", closesQuietly)}}
		_, err := dispatch.Connect(ctx, d, &dispatch.ClientOptions{Options: dispatch.Options{
			Info: dispatch.Info{Name: "c", Version: "3", Capabilities: []byte(`{"roots":{}}`)},
		}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = dispatch.Connect(t.Context(), &dialer{t: t}, nil)
		require.ErrorIs(t, err, errNoMoreScripts)
	})
}

// TestConnectJSONRPC: plain JSON-RPC has no handshake.
func TestConnectJSONRPC(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, conn := newWire(t, nil)
		c, err := dispatch.Connect(t.Context(), to(conn), &dispatch.ClientOptions{Options: dispatch.Options{Profile: dispatch.JSONRPC}})
		require.NoError(t, err)
		go func() {
			w.want(`{"jsonrpc":"2.0","id":1,"method":"sum","params":[1,2]}`)
			w.send(`{"jsonrpc":"2.0","id":1.0,"result":3}`)
		}()
		res, err := c.CallRaw(t.Context(), "sum", []byte(`[1,2]`), dispatch.WithProgress(func(dispatch.Progress) {}))
		require.NoError(t, err)
		require.Equal(t, "3", string(res.Value()))
		res.Release()
		require.NoError(t, c.Close())
	})
}
