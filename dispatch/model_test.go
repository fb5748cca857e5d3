package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// The model: sixteen peers that know nothing of this package send a server what
// they like, and each keeps a ledger of what it sent and what came back. What
// must come back follows from the ledger and from JSON-RPC alone: one answer to
// each request that was not cancelled, a refusal without its id to each that used
// an id in flight, and at most one silence for each cancellation.

const (
	modelPeers = 16
	modelSends = 150
	ownTime    = 30 * time.Millisecond // that a handler may run
	askTime    = 5 * time.Second       // that a handler waits for an answer of the peer
)

// modelMethods says what the answer to a method must be: the result, or the code
// of an error. plan is what its params ask for.
var modelMethods = map[string]func(id, plan string) (result string, code int64){
	"quick": func(id, _ string) (string, int64) { return `{"v":"` + id + `"}`, 0 },
	"slow": func(id, plan string) (string, int64) {
		if plan == "60ms" {
			return "", -32000
		}
		return `{"v":"` + id + `"}`, 0
	},
	"fail": func(string, string) (string, int64) { return "", 1002 },
	"ask": func(id, plan string) (string, int64) {
		if plan == "answer" || plan == "twice" {
			return `{"v":"` + id + `","roots":["` + id + `"]}`, 0
		}
		return "", 1001
	},
	"missing": func(string, string) (string, int64) { return "", -32601 },
}

// modelPlans are what the methods can be asked for.
var modelPlans = map[string][]string{
	"quick": {""}, "fail": {""}, "missing": {""},
	"slow": {"1ms", "5ms", "20ms", "60ms"},
	"ask":  {"answer", "twice", "late", "never"},
}

// modelServer is what the peers call. runs counts handlers by id, and live has
// the context of the one that runs.
type modelServer struct {
	mu     sync.Mutex
	runs   map[string]int
	live   map[string]context.Context
	shared []string            // ids of which two ran at a time
	notes  map[string][]string // by peer
}

func (s *modelServer) ran(ctx context.Context, r *dispatch.Request) (id, plan string) {
	v, _ := codec.Find(r.Params(), "v")
	text, _ := v.Text()
	p, _ := codec.Find(r.Params(), "plan")
	planned, _ := p.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	id = string(text)
	s.runs[id]++
	if other := s.live[id]; other != nil && other.Err() == nil {
		s.shared = append(s.shared, id)
	}
	s.live[id] = ctx
	return id, string(planned)
}

func (s *modelServer) left(id string, ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live[id] == ctx {
		delete(s.live, id)
	}
}

func (s *modelServer) register(srv *dispatch.Server) {
	srv.Handle("quick", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		id, _ := s.ran(ctx, r)
		defer s.left(id, ctx)
		return fmt.Appendf(dst, `{"v":"%s"}`, id), nil
	})
	srv.Handle("slow", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		id, plan := s.ran(ctx, r)
		defer s.left(id, ctx)
		d, _ := time.ParseDuration(plan)
		for i := range 3 {
			_ = r.Progress(ctx, float64(i+1), 3, "")
		}
		select {
		case <-time.After(d):
		case <-ctx.Done():
			if strings.HasSuffix(id, "1") { // it takes no notice
				<-time.After(d)
			}
		}
		return fmt.Appendf(dst, `{"v":"%s"}`, id), ctx.Err()
	})
	srv.Handle("fail", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		id, _ := s.ran(ctx, r)
		defer s.left(id, ctx)
		return dst, &codec.Error{Code: 1002, Message: id}
	})
	srv.Handle("ask", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		id, _ := s.ran(ctx, r)
		defer s.left(id, ctx)
		res, err := r.Call(ctx, "roots/list", r.Params(), dispatch.WithTimeout(askTime, askTime))
		switch {
		case errors.Is(err, dispatch.ErrTimeout):
			return dst, &codec.Error{Code: 1001, Message: "no answer"}
		case err != nil:
			return dst, err
		}
		defer res.Release()
		roots, _ := codec.Find(res.Value(), "roots")
		return fmt.Appendf(dst, `{"v":"%s","roots":%s}`, id, roots), nil
	})
	srv.HandleNotification("note", func(_ context.Context, n *dispatch.Notification) {
		who, _ := codec.Find(n.Params(), "who")
		number, _ := codec.Find(n.Params(), "n")
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notes[string(who)] = append(s.notes[string(who)], string(number))
	})
}

// entry is what a peer knows of one id.
type entry struct {
	method, plan string
	sends        int
	cancels      int
	answers      int // with the id
	busy         int // of them: refusals for want of room
	clashes      int // refusals without the id, which name it
	progress     float64
}

// modelPeer is one peer and its ledger.
type modelPeer struct {
	t    *testing.T
	name string
	conn transport.Conn
	rand *rand.Rand

	mu     sync.Mutex
	ledger map[string]*entry
	ids    []string
	notes  int
	faults []string
	opened chan struct{}
}

func (p *modelPeer) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// read notes what comes until the connection ends.
func (p *modelPeer) read() {
	var in transport.Inbound
	for p.conn.Read(&in) == nil {
		switch in.Kind {
		case codec.Batch:
			p.readArray(&in)
		case codec.Request:
			p.asked(&in.Message)
		default:
			p.came(&in.Message)
		}
	}
}

// readArray checks besides that answers have the order of the requests, whose
// numbers ascend.
func (p *modelPeer) readArray(in *transport.Inbound) {
	var last string
	for i := range in.Len() {
		var m codec.Message
		if err := in.Element(i, &m); err != nil {
			p.fault("element %d: %v", i, err)
			continue
		}
		p.came(&m)
		if id, ok := codec.Value(m.ID).Text(); ok {
			if string(id) < last {
				p.fault("answer to %s behind that to %s", id, last)
			}
			last = string(id)
		}
	}
}

// came notes an answer or a notification.
func (p *modelPeer) came(m *codec.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Kind == codec.Notification {
		p.noted(m)
		return
	}
	text, _ := codec.Value(m.ID).Text()
	id := string(text)
	if id == "hello" {
		close(p.opened)
		return
	}
	wire := m.WireError()
	if m.ID == nil || string(m.ID) == "null" {
		_, rest, _ := strings.Cut(wire.Message, `"`)
		named, _, _ := strings.Cut(rest, `"`)
		if e := p.ledger[named]; e != nil && wire.Code == -32600 {
			e.clashes++
			return
		}
		p.fault("without an id: %v", wire)
		return
	}
	e := p.ledger[id]
	if e == nil {
		p.fault("answer to %s, which was never sent", id)
		return
	}
	e.answers++
	if wire != nil && wire.Code == -32000 && strings.HasPrefix(wire.Message, "busy: the limit of ") {
		e.busy++
		return
	}
	result, code := modelMethods[e.method](id, e.plan)
	switch {
	case wire == nil && string(m.Result) != result:
		p.fault("%s %s %s: result %s", e.method, e.plan, id, m.Result)
	case wire != nil && wire.Code != code:
		p.fault("%s %s %s: %v", e.method, e.plan, id, wire)
	}
}

// noted checks progress: it increases, and comes before the last answer. Caller
// holds p.mu.
func (p *modelPeer) noted(m *codec.Message) {
	if string(m.Method) != "notifications/progress" {
		return // cancellations of what nobody answered
	}
	text, _ := m.Fact(codec.FactProgressToken).Text()
	value, _ := m.Fact(codec.FactProgress).Float64()
	switch e := p.ledger[string(text)]; {
	case e == nil:
		p.fault("progress of %s", text)
	case e.sends == 1 && (e.answers > 0 || value <= e.progress):
		p.fault("progress %v of %s after %v and %d answers", value, text, e.progress, e.answers)
	default:
		e.progress = value
	}
}

// asked answers what the server asks: at once, twice, too late, or never.
func (p *modelPeer) asked(m *codec.Message) {
	v, _ := codec.Find(m.Params, "v")
	plan, _ := codec.Find(m.Params, "plan")
	id := codec.ID(append([]byte(nil), m.ID...))
	result := codec.Value(fmt.Sprintf(`{"roots":[%s]}`, v))
	answer := func() {
		_ = p.conn.Send(context.Background(), &codec.Message{Kind: codec.Response, ID: id, Result: result})
	}
	switch string(plan) {
	case `"answer"`:
		go answer()
	case `"twice"`:
		go func() { answer(); answer() }()
	case `"late"`:
		time.AfterFunc(askTime+time.Second, answer)
	}
}

// request notes that a request is about to be sent, anew or once more.
func (p *modelPeer) request(again bool) *codec.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	var id string
	if again && len(p.ids) > 0 {
		id = p.ids[len(p.ids)-1-p.rand.IntN(min(len(p.ids), 4))]
	} else {
		id = fmt.Sprintf("%s.%04d", p.name, len(p.ids))
		methods := []string{"ask", "fail", "missing", "quick", "slow"}
		e := &entry{method: methods[p.rand.IntN(len(methods))]}
		e.plan = modelPlans[e.method][p.rand.IntN(len(modelPlans[e.method]))]
		p.ledger[id] = e
		p.ids = append(p.ids, id)
	}
	e := p.ledger[id]
	e.sends++
	params := fmt.Sprintf(`{"v":"%s","plan":"%s"`, id, e.plan)
	if p.rand.IntN(2) == 0 {
		params += fmt.Sprintf(`,"_meta":{"progressToken":"%s"}`, id)
	}
	return &codec.Message{Kind: codec.Request, ID: codec.StringID(id), Method: []byte(e.method), Params: codec.Value(params + "}")}
}

func (p *modelPeer) note() *codec.Message {
	p.notes++
	return &codec.Message{Kind: codec.Notification, Method: []byte("note"), Params: codec.Value(fmt.Sprintf(`{"who":"%s","n":%d}`, p.name, p.notes-1))}
}

// cancel notes that one of the latest requests is about to be cancelled; or one
// that is not there.
func (p *modelPeer) cancel() *codec.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := "nothing"
	if len(p.ids) > 0 && p.rand.IntN(8) > 0 {
		id = p.ids[len(p.ids)-1-p.rand.IntN(min(len(p.ids), 6))]
		p.ledger[id].cancels++
	}
	return &codec.Message{Kind: codec.Notification, Method: []byte("notifications/cancelled"), Params: codec.Value(fmt.Sprintf(`{"requestId":"%s","reason":"r"}`, id))}
}

func (p *modelPeer) array() *codec.Message {
	var items []string
	for range 1 + p.rand.IntN(5) {
		m := p.request(false)
		if p.rand.IntN(4) == 0 {
			m = p.note()
		}
		text, err := m.AppendText(nil)
		require.NoError(p.t, err)
		items = append(items, string(text))
		if m.Kind == codec.Notification { // the request that was made was not sent
			p.mu.Lock()
			delete(p.ledger, p.ids[len(p.ids)-1])
			p.ids = p.ids[:len(p.ids)-1]
			p.mu.Unlock()
		} else if p.rand.IntN(6) == 0 {
			p.mu.Lock()
			p.ledger[p.ids[len(p.ids)-1]].sends++ // twice in one array
			p.mu.Unlock()
			items = append(items, string(text))
		}
	}
	return &codec.Message{Kind: codec.Batch, Array: codec.Value("[" + strings.Join(items, ",") + "]")}
}

// write sends at random.
func (p *modelPeer) write() {
	send := func(m *codec.Message) { require.NoError(p.t, p.conn.Send(context.Background(), m)) }
	send(&codec.Message{Kind: codec.Request, ID: codec.StringID("hello"), Method: []byte("initialize"),
		Params: codec.Value(`{"protocolVersion":"2025-03-26","capabilities":{"roots":{}},"clientInfo":{"name":"model","version":"1"}}`)})
	<-p.opened
	send(&codec.Message{Kind: codec.Notification, Method: []byte("notifications/initialized")})
	for range modelSends {
		switch p.rand.IntN(12) {
		case 0:
			send(p.array())
		case 1, 2:
			send(p.cancel())
		case 3:
			send(p.request(true))
		case 4:
			send(p.note())
		case 5:
			<-time.After(time.Duration(p.rand.IntN(20)) * time.Millisecond)
		default:
			send(p.request(false))
		}
	}
}

// check holds the ledger against what JSON-RPC demands.
func (p *modelPeer) check(s *modelServer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, e := range p.ledger {
		got := e.answers + e.clashes
		switch runs := s.runs[id]; {
		case got > e.sends:
			p.fault("%s %+v: more answers than requests", id, e)
		case got < e.sends-e.cancels:
			p.fault("%s %+v: answers are missing", id, e)
		case e.cancels == 0 && e.method != "missing" && runs != e.answers-e.busy && !e.refused(runs):
			p.fault("%s %+v: answered without having run, or the other way round: %d runs", id, e, runs)
		case runs > e.sends:
			p.fault("%s %+v: %d runs", id, e, runs)
		}
	}
	var want []string
	for n := range p.notes {
		want = append(want, fmt.Sprint(n))
	}
	require.Equal(p.t, want, s.notes[`"`+p.name+`"`], "notifications, in order")
	require.Empty(p.t, p.faults)
}

// refused reports the one refusal that a handler runs for: its call to the peer
// found too many waiting.
func (e *entry) refused(runs int) bool {
	return e.method == "ask" && runs >= e.answers-e.busy && runs <= e.answers
}

// TestModel: every request gets exactly one answer, or was cancelled.
func TestModel(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &modelServer{runs: map[string]int{}, live: map[string]context.Context{}, notes: map[string][]string{}}
				srv := dispatch.NewServer(&dispatch.Options{Info: everything, Limits: dispatch.Limits{
					MaxHandlers: 24, MaxHandlersPerPeer: 4, MaxQueue: 8, MaxParked: 6, HandlerTimeout: ownTime,
				}})
				s.register(srv)
				var peers []*modelPeer
				var all sync.WaitGroup
				for i := range modelPeers {
					near, far := transport.Pipe(nil)
					go func() { _ = srv.Serve(context.Background(), far) }()
					p := &modelPeer{
						t: t, name: fmt.Sprintf("p%02d", i), conn: near, rand: rand.New(rand.NewPCG(seed, uint64(i))),
						ledger: map[string]*entry{}, opened: make(chan struct{}),
					}
					peers = append(peers, p)
					go p.read()
					all.Go(p.write)
				}
				all.Wait()
				<-time.After(10 * time.Minute) // all is answered, and what is late has come
				synctest.Wait()
				stats := srv.Stats()
				require.Equal(t, []int{modelPeers, 0, 0, 0, 0}, []int{stats.Peers, stats.Running, stats.Parked, stats.Queued, stats.QueuedBytes})
				require.NoError(t, srv.Shutdown(context.Background()))
				require.Empty(t, s.shared, "an id in flight was served once more")
				answers, clashes, busy, cancels := 0, 0, 0, 0
				for _, p := range peers {
					p.check(s)
					for _, e := range p.ledger {
						answers, clashes, busy, cancels = answers+e.answers, clashes+e.clashes, busy+e.busy, cancels+e.cancels
					}
				}
				t.Logf("%d answers, %d of them for want of room, %d clashes, %d cancellations", answers, busy, clashes, cancels)
				require.NotZero(t, min(answers, clashes, busy, cancels), "the test is to see all of it")
			})
		})
	}
}
