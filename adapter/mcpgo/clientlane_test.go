package mcpgo_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/mcpgo"
)

// TestClientFlood: a server sends more notifications than may wait while the
// handler waits for the answer that comes behind them. The answer is read, and
// what is worth least is lost; nothing is where nobody waits.
func TestClientFlood(t *testing.T) {
	const n, progress = "n", "notifications/progress"
	for name, test := range map[string]struct {
		methods []string // behind the first notification
		late    bool     // the call begins when the connection is not read any more
		idle    bool     // there is no call
		want    []int
	}{
		"all alike":             {methods: []string{n, n, n, n, n, n}, want: []int{0, 4, 5, 6}},
		"it is not read":        {methods: []string{n, n, n, n, n, n}, late: true, want: []int{0, 4, 5, 6}},
		"progress":              {methods: []string{n, progress, n, progress, n}, want: []int{0, 1, 3, 5}},
		"progress comes behind": {methods: []string{n, n, n, progress, progress}, want: []int{0, 1, 2, 3}},
		"no call":               {methods: []string{n, n, progress, n, n, n}, idle: true, want: []int{0, 1, 2, 3, 4, 5, 6}},
	} {
		t.Run(name, func(t *testing.T) {
			c, far := open(t, &mcpgo.ClientOptions{MaxNotifications: 3})
			got := make(chan int, len(test.methods)+1)
			begin, answered := make(chan struct{}), make(chan error, 1)
			c.SetNotificationHandler(func(n mcp.JSONRPCNotification) {
				i := int(n.Params.AdditionalFields["i"].(float64))
				got <- i
				if i > 0 {
					return
				}
				<-begin
				if !test.idle {
					_, err := c.SendRequest(t.Context(), request(int64(1), "ping", nil))
					answered <- err
				}
			})
			send(t, far, `{"jsonrpc":"2.0","method":"n","params":{"i":0}}`)
			flooded := make(chan struct{})
			flood := func() {
				defer close(flooded)
				for i, method := range test.methods {
					send(t, far, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"i":%d}}`, method, i+1))
				}
			}
			if test.late || test.idle {
				go flood()
				runtime.Gosched()
			}
			close(begin)
			if !test.idle {
				require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, receive(t, far))
				if !test.late {
					flood()
				}
				<-flooded
				send(t, far, `{"jsonrpc":"2.0","id":1,"result":{}}`)
				require.NoError(t, <-answered)
			}
			for _, want := range test.want {
				require.Equal(t, want, <-got)
			}
		})
	}
}
