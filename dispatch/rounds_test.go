package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// asksTwice is a handler written with calls to the client alone.
func asksTwice(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	var got []string
	for _, step := range []string{"one", "two"} {
		res, err := r.Call(ctx, protocol.MethodElicitationCreate, fmt.Appendf(nil, `{"message":"%s"}`, step))
		if err != nil {
			return dst, err
		}
		content, _ := codec.Find(res.Value(), "content")
		got = append(got, string(content))
		res.Release()
	}
	res, err := r.Call(ctx, protocol.MethodRootsList, nil)
	if err != nil {
		return dst, err
	}
	defer res.Release()
	roots, _ := codec.Find(res.Value(), "roots")
	return fmt.Appendf(dst, `{"got":[%s,%s]}`, strings.Join(got, ","), roots), nil
}

func answering(m *dispatch.Mux) {
	m.Handle(protocol.MethodElicitationCreate, func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		r.Wait(func() {})
		message, _ := codec.Find(r.Params(), "message")
		return fmt.Appendf(dst, `{"action":"accept","content":{"to":%s}}`, message), nil
	})
	m.Handle(protocol.MethodRootsList, func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"roots":[]}`...), nil
	})
}

// TestOneHandlerBothEras: one handler asks by requests in the legacy era and by
// results in 2026-07-28, and one set of client handlers answers both (MR-12).
func TestOneHandlerBothEras(t *testing.T) {
	const want = `"got":[{"to":"one"},{"to":"two"},[]]}`
	register := func(s *dispatch.Server) { s.Handle(protocol.MethodToolsCall, asksTwice) }
	o := dispatch.Options{Info: everything, Rounds: &dispatch.Rounds{}}
	for name, connect := range map[string]func(*testing.T) *joined{
		"legacy": func(t *testing.T) *joined { return join(t, o, register, answering) },
		"modern": func(t *testing.T) *joined { return joinModern(t, o, o, register, answering) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				j := connect(t)
				res, err := j.client.CallRaw(t.Context(), protocol.MethodToolsCall, []byte(`{"name":"x","arguments":{}}`), dispatch.WithAnswers(nil))
				require.NoError(t, err)
				require.True(t, strings.HasSuffix(string(res.Value()), want), "%s", res.Value())
				res.Release()
				require.Zero(t, j.server.Stats().Running+j.server.Stats().Parked)
			})
		})
	}
}

// modernCall is a tools/call of a client that can do all.
func modernCall(id, rest string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"sampling":{},"roots":{},"elicitation":{}}}` + rest + `}}`
}

// stateIn is the state in a line, as it stands there.
func stateIn(t testing.TB, line string) string {
	t.Helper()
	_, rest, ok := strings.Cut(line, `"requestState":"`)
	require.True(t, ok, line)
	state, _, _ := strings.Cut(rest, `"`)
	return state
}

// TestRounds plays rounds by hand: what is asked (MR-02), what counts as an answer
// (MR-08), and what becomes of a state that was changed, is old, or belongs to
// another call (MR-07).
func TestRounds(t *testing.T) {
	start := func(t *testing.T, r *dispatch.Rounds) *wire {
		o := plain()
		o.Rounds = r
		o.Limits.MaxRounds = 4
		_, w := serve(t, o, func(s *dispatch.Server) {
			s.Handle(protocol.MethodToolsCall, asksTwice)
			s.Handle(protocol.MethodResourcesRead, asksTwice)
		})
		return w
	}
	asked := func(id, key, step string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"input_required","inputRequests":{"` + key +
			`":{"method":"elicitation/create","params":{"message":"` + step + `"}}},"requestState":"…"}}`
	}
	const yes = `{"action":"accept","content":1}`
	with := func(state, responses string) string {
		return `,"requestState":"` + state + `","inputResponses":` + responses
	}
	round := func(w *wire, id, rest, want string) string {
		w.t.Helper()
		w.send(modernCall(id, rest))
		line := w.next()
		require.True(w.t, matches(want, line), "want %s\ngot  %s", want, line)
		return line
	}
	t.Run("to the end", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			w := start(t, &dispatch.Rounds{})
			state := stateIn(t, round(w, "1", "", asked("1", "1", "one")))
			state = stateIn(t, round(w, "2", with(state, `{"1":`+yes+`,"other":{}}`), asked("2", "2", "two")))
			line := round(w, "3", with(state, `{"2":`+yes+`}`), `{"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required","inputRequests":{"3":{"method":"roots/list","params":{}}},…`)
			round(w, "4", with(stateIn(t, line), `{"3":{"roots":[7]}}`), `{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","got":[1,1,[7]]}}`)
			w.send(modern("5", "tools/call"))
			w.want(`{"jsonrpc":"2.0","id":5,"error":{"code":-32021,"message":"…","data":{"requiredCapabilities":{"elicitation":{}}}}}`) // MR-03
		})
	})
	t.Run("asked again", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			w := start(t, &dispatch.Rounds{})
			state := stateIn(t, round(w, "1", "", asked("1", "1", "one")))
			for _, responses := range []string{`{}`, `{"2":` + yes + `}`, `{"1":5}`, `{"1":{"action":1}}`} {
				round(w, "2", with(state, responses), asked("2", "1", "one"))
			}
			round(w, "3", `,"inputResponses":{"1":`+yes+`}`, asked("3", "1", "one")) // nothing was asked
			round(w, "4", `,"requestState":"`+state+`"`, asked("4", "1", "one"))
		})
	})
	t.Run("refused", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			who := "me"
			w := start(t, &dispatch.Rounds{Bind: func(*dispatch.Request) string { return who }})
			state := stateIn(t, round(w, "1", "", asked("1", "1", "one")))
			for _, bad := range []string{"", ".", "x", state[1:], state + "A", "A" + state, strings.Replace(state, ".", "", 1)} {
				round(w, "2", with(bad, `{"1":`+yes+`}`), refusal("2", "-32602"))
			}
			round(w, "3", `,"requestState":5`, refusal("3", "-32602"))
			round(w, "4", with(state, `[]`), refusal("4", "-32602"))
			round(w, "5", `,"y":1`+with(state, `{"1":`+yes+`}`), refusal("5", "-32602")) // other params
			w.send(strings.Replace(modernCall("6", with(state, `{"1":`+yes+`}`)), "tools/call", "resources/read", 1))
			w.want(refusal("6", "-32602"))
			who = "another"
			round(w, "7", with(state, `{"1":`+yes+`}`), refusal("7", "-32602"))
			who = "me"
			round(w, "8", with(state, `{"1":`+yes+`}`), asked("8", "2", "two")) // it was good
			<-time.After(dispatch.DefaultRoundTTL)
			round(w, "9", with(state, `{"1":`+yes+`}`), refusal("9", "-32602"))
		})
	})
	t.Run("too many", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			w := start(t, &dispatch.Rounds{})
			rest := ""
			for range 4 {
				rest = with(stateIn(t, round(w, "1", rest, asked("1", "1", "one"))), `{}`)
			}
			round(w, "1", rest, refusal("1", "-32603"))
		})
	})
	t.Run("shared key", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			one, two := start(t, &dispatch.Rounds{Key: []byte("k")}), start(t, &dispatch.Rounds{Key: []byte("k"), TTL: time.Hour})
			other := start(t, &dispatch.Rounds{})
			state := stateIn(t, round(one, "1", "", asked("1", "1", "one")))
			round(two, "2", with(state, `{"1":`+yes+`}`), asked("2", "2", "two"))
			round(other, "2", with(state, `{"1":`+yes+`}`), refusal("2", "-32602"))
		})
	})
	t.Run("kept at home", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			kept, n := map[string][]byte{}, 0
			w := start(t, &dispatch.Rounds{
				Seal: func(_ context.Context, _ *dispatch.Request, state []byte) (string, error) {
					name := fmt.Sprint("s", n)
					n++
					kept[name] = append([]byte(nil), state...)
					return name, nil
				},
				Open: func(_ context.Context, _ *dispatch.Request, sealed string) ([]byte, error) {
					state := kept[sealed]
					delete(kept, sealed)
					if state == nil {
						return nil, errors.New("used up")
					}
					return state, nil
				},
			})
			state := stateIn(t, round(w, "1", "", asked("1", "1", "one")))
			require.Equal(t, "s0", state)
			round(w, "2", with(state, `{"1":`+yes+`}`), asked("2", "2", "two"))
			round(w, "2", with(state, `{"1":`+yes+`}`), refusal("2", "-32602"))
		})
	})
}

// TestRoundsRefused: where a result cannot ask, Request.Call says so at once
// (MR-01, SH26-19), and what a handler returns from a run with an open question
// does not count.
func TestRoundsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Rounds = &dispatch.Rounds{}
		_, w := serve(t, o, func(s *dispatch.Server) {
			s.Handle(protocol.MethodToolsList, asksTwice)
			s.Handle(protocol.MethodPromptsGet, func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				_, err := r.Call(ctx, protocol.MethodPing, nil)
				require.ErrorIs(t, err, dispatch.ErrNoServerRequests)
				return append(dst, "{}"...), nil
			})
			s.Handle(protocol.MethodToolsCall, func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				_, err := r.Call(ctx, protocol.MethodRootsList, nil)
				require.ErrorIs(t, err, dispatch.ErrInputRequired)
				_, err = r.Call(ctx, protocol.MethodSamplingCreateMessage, []byte(`{"a":1}`))
				require.ErrorIs(t, err, dispatch.ErrInputRequired)
				return dispatch.ToolError(dst, "could not ask"), nil
			})
		})
		w.send(modern("1", protocol.MethodToolsList), modern("2", protocol.MethodPromptsGet), modernCall("3", ""))
		w.want(refusal("1", "-32603"), `{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}`,
			`{"jsonrpc":"2.0","id":3,"result":{"resultType":"input_required","inputRequests":{"1":{"method":"roots/list","params":{}},"2":{"method":"sampling/createMessage","params":{"a":1}}},"requestState":"…"}}`)
	})
}

// TestWithAnswers: a call goes on with a new id, its own params, the answers, and
// the state byte for byte, also when there is only one of the two (MR-04, MR-05),
// and with none of it from the round before.
func TestWithAnswers(t *testing.T) {
	const discovered = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}`
	input := func(id, rest string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"input_required"` + rest + `}}`
	}
	sent := func(id, rest string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"_meta":{…},"name":"x"` + rest + `}}`
	}
	const ask = `,"inputRequests":{"k\u0031":{"method":"elicitation/create","params":{"m":1}},"k2":{"method":"roots/list"}}`
	const given = `,"inputResponses":{"k\u0031":{"to":"k1 elicitation/create {\"m\":1}"},"k2":{"to":"k2 roots/list "}}`
	for name, tt := range map[string]struct {
		rounds []string // what comes, and what must be sent then
		err    string
	}{
		"complete at once": {[]string{`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete"}}`}, ""},
		"requests":         {[]string{input("2", ask), sent("3", given), `{"jsonrpc":"2.0","id":3,"result":{}}`}, ""},
		"both":             {[]string{input("2", ask+`,"requestState":"\u0061 b"`), sent("3", `,"requestState":"\u0061 b"`+given), `{"jsonrpc":"2.0","id":3,"result":{}}`}, ""},
		"state alone":      {[]string{input("2", `,"requestState":"s"`), sent("3", `,"requestState":"s"`), input("3", ask), sent("4", given), `{"jsonrpc":"2.0","id":4,"result":{}}`}, ""},
		"error":            {[]string{input("2", ask), sent("3", given), `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no"}}`}, "no"},
		"neither":          {[]string{input("2", ``)}, "neither inputRequests nor requestState"},
		"wrong kind":       {[]string{input("2", `,"inputRequests":[]`)}, "neither"},
		"unknown":          {[]string{input("2", `,"inputRequests":{"k":{"method":"tools/call"}}`)}, "nothing that a result can ask for"},
		"no answer":        {[]string{input("2", `,"inputRequests":{"fail":{"method":"roots/list"}}`)}, "cannot"},
		"no object":        {[]string{input("2", `,"inputRequests":{"list":{"method":"roots/list"}}`)}, "no object"},
		"too many": {[]string{
			input("2", `,"requestState":"1"`), sent("3", `,"requestState":"1"`), input("3", `,"requestState":"2"`), sent("4", `,"requestState":"2"`), input("4", `,"requestState":"3"`),
		}, "limit of 2 rounds"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, conn := newWire(t, nil)
				go func() {
					w.want(`{"jsonrpc":"2.0","id":1,"method":"server/discover",…`)
					w.send(discovered)
					w.want(sent("2", ""))
					for i, line := range tt.rounds {
						if i%2 == 0 {
							w.send(line)
						} else {
							w.want(line)
						}
					}
				}()
				c, err := dispatch.Connect(t.Context(), to(conn), &dispatch.ClientOptions{Options: dispatch.Options{Limits: dispatch.Limits{MaxRounds: 2}}})
				require.NoError(t, err)
				defer func() { _ = c.Close() }()
				res, err := c.CallRaw(t.Context(), protocol.MethodToolsCall, []byte(`{"name":"x"}`), dispatch.WithAnswers(func(_ context.Context, ask dispatch.Ask) ([]byte, error) {
					switch ask.Key {
					case "fail":
						return nil, errors.New("cannot")
					case "list":
						return []byte("[]"), nil
					}
					return append(codec.AppendString([]byte(`{"to":`), fmt.Sprintf("%s %s %s", ask.Key, ask.Method, ask.Params)), '}'), nil
				}))
				if tt.err == "" {
					require.NoError(t, err)
					res.Release()
				} else {
					require.ErrorContains(t, err, tt.err)
				}
			})
		})
	}
	t.Run("without", func(t *testing.T) { // it is passed through
		bubble(t, func(t *testing.T) {
			j := joinModern(t, dispatch.Options{Info: everything, Rounds: &dispatch.Rounds{}}, dispatch.Options{Info: everything},
				func(s *dispatch.Server) { s.Handle(protocol.MethodToolsCall, asksTwice) }, nil)
			require.False(t, j.client.Mux().Has(protocol.MethodRootsList))
			res, err := j.client.CallRaw(t.Context(), protocol.MethodToolsCall, nil)
			require.NoError(t, err)
			require.Equal(t, `"input_required"`, string(res.Fact(codec.FactResultType)))
			res.Release()
			_, err = j.client.CallRaw(t.Context(), protocol.MethodToolsCall, nil, dispatch.WithAnswers(nil))
			require.ErrorContains(t, err, "no handler answers it")
		})
	})
}

// TestRoundsOfPrincipal: where the transport knows who asks, a state is good for
// nobody else (MR-07).
func TestRoundsOfPrincipal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Rounds = &dispatch.Rounds{}
		p := push(t, o, func(s *dispatch.Server) { s.Handle(protocol.MethodToolsCall, asksTwice) })
		post := func(who, rest string) string {
			via := &knownExchange{exchange: exchange{ctx: context.Background()}, who: who}
			text := modernCall("1", rest)
			in := transport.Inbound{Via: via, Bytes: len(text)}
			require.NoError(t, codec.Decode([]byte(text), &in.Message))
			p.to.Receive(&in)
			return via.lines()
		}
		rest := `,"requestState":"` + stateIn(t, post("a", "")) + `","inputResponses":{"1":{"action":"accept","content":1}}`
		require.Contains(t, post("b", rest), "-32602")
		require.Contains(t, post("a", rest), `"message":"two"`)
	})
}

// TestRoundsOneKey: all rounds of a call may share one retry key, and whoever
// repeats the call gets the outcome of the last.
func TestRoundsOneKey(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := dispatch.Options{Info: everything, Rounds: &dispatch.Rounds{}, Idempotency: &dispatch.Idempotency{}}
		runs := 0
		j := joinModern(t, o, o, func(s *dispatch.Server) {
			s.Handle(protocol.MethodToolsCall, func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				runs++
				return asksTwice(ctx, r, dst)
			})
		}, answering)
		for range 2 {
			res, err := j.client.CallRaw(t.Context(), protocol.MethodToolsCall, []byte(`{"name":"x","_meta":{"`+protocol.MetaRetryKey+`":"k"}}`), dispatch.WithAnswers(nil))
			require.NoError(t, err)
			require.Contains(t, string(res.Value()), `"got":[{"to":"one"},{"to":"two"},[]]`)
			require.Equal(t, 4, runs)
			res.Release()
		}
		_, err := j.client.CallRaw(t.Context(), protocol.MethodToolsCall, []byte(`{"name":"y","_meta":{"`+protocol.MetaRetryKey+`":"k"}}`))
		require.ErrorContains(t, err, "-32600")
	})
}

// TestRoundsEndless: a handler that asks until it is answered gets an error that
// names the limit, and what it asked is bounded.
func TestRoundsEndless(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := dispatch.Options{Info: everything, Rounds: &dispatch.Rounds{}}
		asked := 0
		j := joinModern(t, o, o, func(s *dispatch.Server) {
			s.Handle(protocol.MethodToolsCall, func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				for err := error(dispatch.ErrInputRequired); errors.Is(err, dispatch.ErrInputRequired); asked++ {
					_, err = r.Call(ctx, protocol.MethodRootsList, nil)
				}
				return dst, nil
			})
		}, answering)
		res, err := j.client.CallRaw(t.Context(), protocol.MethodToolsCall, []byte(`{"name":"x"}`))
		require.NoError(t, err)
		require.Equal(t, 256, strings.Count(string(res.Value()), protocol.MethodRootsList))
		require.Equal(t, 257, asked)
	})
}
