package dispatch_test

import (
	"context"
	"testing"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// TestGate plays the legacy handshake against each setting of the gate, with a
// request and a notification in each phase.
func TestGate(t *testing.T) {
	const probe = `> {"jsonrpc":"2.0","id":9,"method":"tools/list"}
		> {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
		> {"jsonrpc":"2.0","id":10,"method":"ping"}
	`
	const (
		pong    = "< " + `{"jsonrpc":"2.0","id":10,"result":{}}` + "\n"
		served  = "< " + `{"jsonrpc":"2.0","id":9,"result":{}}` + "\n" + pong
		fresh   = "< " + `{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"tools/list before initialize, and without the _meta keys \"io.modelcontextprotocol/protocolVersion\" and \"io.modelcontextprotocol/clientCapabilities\" that 2026-07-28 requires"}}` + "\n" + pong
		legacy  = "< " + `{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"tools/list before initialize"}}` + "\n" + pong
		halfway = "< " + `{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"tools/list before notifications/initialized: send that notification after the initialize result first"}}` + "\n" + pong
	)
	onlyLegacy := []protocol.Revision{protocol.V20250618, protocol.V20251125}
	for _, tt := range []struct {
		name     string
		gate     dispatch.Gate
		versions []protocol.Revision
		phases   [3]string // what comes back: fresh, initialize answered, opened
		noticed  string    // phases in which the notification reached its handler
	}{
		{"default", dispatch.GateDefault, nil, [3]string{fresh, halfway, served}, "..x"},
		{"strict", dispatch.GateStrict, nil, [3]string{fresh, halfway, served}, "..x"},
		{"after initialize", dispatch.GateAfterInitialize, nil, [3]string{fresh, served, served}, ".xx"},
		{"off", dispatch.GateOff, nil, [3]string{served, served, served}, "xxx"},
		{"legacy only", dispatch.GateDefault, onlyLegacy, [3]string{legacy, halfway, served}, "..x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				came := 0
				_, w := serve(t, &dispatch.Options{Gate: tt.gate, Info: dispatch.Info{Versions: tt.versions}}, func(s *dispatch.Server) {
					s.Handle("tools/list", echo)
					s.HandleNotification("*", func(_ context.Context, n *dispatch.Notification) {
						if n.Method() == protocol.NotificationRootsListChanged {
							came++
						}
					})
				})
				noticed := func() string {
					defer func() { came = 0 }()
					return [...]string{".", "x"}[came]
				}
				var got string
				w.talk(probe + tt.phases[0])
				got += noticed()
				w.talk("> " + hello + "\n< " + `{"jsonrpc":"2.0","id":"h","result":{…}`)
				w.talk(probe + tt.phases[1])
				got += noticed()
				w.talk("> " + opened + "\n" + probe + tt.phases[2])
				got += noticed()
				if got != tt.noticed {
					t.Errorf("the notification came through in phases %s, want %s", got, tt.noticed)
				}
			})
		})
	}
}

// TestOutOfPlace: what the handshake does not allow is refused, changes
// nothing, and the connection goes on.
func TestOutOfPlace(t *testing.T) {
	const (
		list      = `> {"jsonrpc":"2.0","id":9,"method":"tools/list"}` + "\n"
		listed    = `< {"jsonrpc":"2.0","id":9,"result":{}}` + "\n"
		shaken    = `< {"jsonrpc":"2.0","id":"h","result":{"protocolVersion":"2025-11-25",…}` + "\n"
		premature = `< {"jsonrpc":"2.0","id":9,"error":{"code":-32600,…}` + "\n"
		early     = `< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,…}` + "\n"
	)
	for name, script := range map[string]string{
		"initialized first": "> " + opened + "\n" + list + early + "> " + hello + "\n" + shaken + list + premature,
		"initialized with an id": "> " + hello + "\n" + shaken +
			`> {"jsonrpc":"2.0","id":3,"method":"notifications/initialized"}
			 < {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"notifications/initialized is a notification and takes no id"}}
			` + list + premature,
		"second initialize": "> " + hello + "\n" + shaken + "> " + opened + "\n" +
			"> " + helloIn("2024-11-05") + "\n" +
			`< {"jsonrpc":"2.0","id":"h","error":{"code":-32600,"message":"initialize was already sent on this connection"}}` + "\n" + list + listed,
		"bad initialize, then a good one": `> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}
			< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params.protocolVersion must be a string"}}
			> {"jsonrpc":"2.0","id":1,"method":"initialize"}
			< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,…}
			> {"jsonrpc":"2.0","id":1,"method":"initialize","params":"x"}
			< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,…}
			> ` + hello + "\n" + shaken + "> " + opened + "\n" + list + listed,
		"misspelt initialized": "> " + hello + "\n" + shaken +
			`> {"jsonrpc":"2.0","method":"notifications/Initialized"}` + "\n" + list + premature,
		"cancelled initialize": "> " + hello + "\n" + shaken + "> " + cancel(`"h"`) + "\n> " + opened + "\n" + list + listed,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, nil, func(s *dispatch.Server) { s.Handle("tools/list", echo) })
				w.talk(script)
			})
		})
	}
}
