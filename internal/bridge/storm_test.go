package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestStorm: many clients of either era at once, all with the same ids and
// tokens, in front of servers that answer in any order, say other things in
// between, and die: whoever gets an answer gets his own, once, and who gets none
// is told which hop failed.
func TestStorm(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			virtual(t, &bridge.Options{Limits: bridge.Limits{Hold: time.Second}}, func(t *testing.T, r *rig) {
				var o streamhttp.Options
				if seed%2 == 1 {
					log := eventlog.NewMemory(nil)
					defer func() { require.NoError(t, log.Close()) }()
					o.Log = log
				}
				s := r.web(&o)
				done := make(chan struct{})
				var servers sync.WaitGroup
				defer func() {
					close(done)
					_ = r.b.Close() // ends the servers
					servers.Wait()
				}()
				servers.Go(func() {
					for n := uint64(0); ; n++ {
						select {
						case p := <-r.to.peers:
							servers.Go(func() { p.live(rand.New(rand.NewPCG(seed, n)), seed%4 >= 2) })
						case <-done:
							return
						}
					}
				})
				var clients sync.WaitGroup
				outcomes := map[string]int{}
				var mu sync.Mutex
				for i := range 12 {
					clients.Go(func() {
						c := r.client(s)
						modern := i%3 == 0
						if !modern && !c.hello() {
							return // the server died of it
						}
						var calls sync.WaitGroup
						for id := range 8 {
							calls.Go(func() {
								mine := fmt.Sprintf("client-%d-call-%d", i, id)
								got := c.storm(modern, id, mine)
								mu.Lock()
								defer mu.Unlock()
								outcomes[judge(t, got, id, mine)]++
							})
						}
						calls.Wait()
					})
				}
				clients.Wait()
				t.Log(outcomes)
				require.Positive(t, outcomes["answered"], "%v", outcomes)
			})
		})
	}
}

// hello opens a session; false when that failed.
func (c *client) hello() bool {
	resp := c.post(request("1", "initialize", hello))
	if !strings.Contains(resp.text(), `"result"`) {
		return false
	}
	c.headers.Set("Mcp-Session-Id", resp.Header.Get("Mcp-Session-Id"))
	c.headers.Set("MCP-Protocol-Version", "2025-11-25")
	c.post(notification("notifications/initialized", ""))
	return true
}

// storm calls a tool and returns all that comes for it.
func (c *client) storm(modern bool, id int, mine string) string {
	params := `{"name":"t","mine":"` + mine + `","_meta":{"progressToken":"token"}}`
	if modern {
		params = `{"name":"t","mine":"` + mine + `",` + meta(able, `,"progressToken":"token"`) + `}`
		return c.modern(context.Background(), fmt.Sprint(id), "tools/call", "t", params).text()
	}
	return c.post(request(fmt.Sprint(id), "tools/call", params)).text()
}

// judge says what became of a call.
func judge(t *testing.T, got string, id int, mine string) string {
	answers, outcome := 0, ""
	for line := range strings.Lines(got) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var m struct {
			ID     *int
			Method string
			Params struct{ ProgressToken, Of string }
			Result *struct{ Mine string }
			Error  *struct {
				Message string
				Data    map[string]any
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		switch {
		case m.Method == "notifications/progress":
			if m.Params.ProgressToken != "token" || m.Params.Of != mine {
				t.Errorf("%s got the progress %s", mine, line)
			}
		case m.Method != "":
		case m.Error != nil:
			answers, outcome = answers+1, "failed"
			if m.Error.Data["io.github.wirespool/hop"] == nil {
				t.Errorf("%s: no hop in %s", mine, line)
			}
		default:
			answers, outcome = answers+1, "answered"
			if m.Result == nil || m.Result.Mine != mine || m.ID == nil || *m.ID != id {
				t.Errorf("%s got %s", mine, line)
			}
		}
	}
	if answers != 1 {
		t.Errorf("%s got %d answers: %s", mine, answers, got)
	}
	return outcome
}

// live is a server: of the revisions with a handshake, and one that may die.
func (p *peer) live(r *rand.Rand, mortal bool) {
	var mu sync.Mutex
	say := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = p.conn.Write([]byte(line + "\n")) // it may be dead
	}
	var calls sync.WaitGroup
	defer calls.Wait()
	for line := range p.lines {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Mine string
				Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
			}
		}
		if json.Unmarshal([]byte(line), &m) != nil || m.ID == nil || m.Method == "" {
			continue
		}
		switch m.Method {
		case "initialize":
			say(result(string(m.ID), welcome))
			continue
		case "server/discover":
			say(failed(string(m.ID), `{"code":-32601,"message":"what?"}`))
			continue
		}
		pause, asks, dies := time.Duration(r.IntN(1000))*time.Millisecond, r.IntN(4) == 0, mortal && r.IntN(40) == 0
		calls.Go(func() {
			say(notification("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":1,"of":%q}`, m.Params.Meta.ProgressToken, m.Params.Mine)))
			if asks {
				say(request(`"ask"`, "roots/list", ""))
				say(notification("notifications/tools/list_changed", ""))
			}
			<-time.After(pause)
			if dies {
				_ = p.conn.Close()
				return
			}
			say(result(string(m.ID), fmt.Sprintf(`{"content":[],"mine":%q}`, m.Params.Mine)))
		})
	}
}
