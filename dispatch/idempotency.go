package dispatch

import (
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Idempotency keeps the outcomes of requests for callers who ask again because
// the answer did not reach them: a request that repeats another one is not run,
// but gets the same outcome, and waits for it while the first still runs.
//
// A request repeats another one when both have the same retry key
// ([protocol.MetaRetryKey]), or the same id where they have none, and the same
// method, on one connection or in one session, of one principal where the
// transport knows that. Its params must be the same bytes too, _meta and the
// white space between members left out; with others it is refused with -32600. In
// 2026-07-28 over HTTP, where there is no session and ids of strangers are alike,
// only requests with a retry key and a [transport.Principal] are told to repeat
// others. In arrays an id that is in flight is a mistake as ever.
//
// What is kept are results, those with isError included, and errors of the
// application layer. A result that asks for input is none yet: the rounds of a
// call may share one retry key, and who asks again after the last of them gets
// what that brought. Other errors, timeouts and cancellations are not: who asks
// again wants better than his old failure, and the handler runs anew. What a
// handler returns after its request was cancelled or timed out is kept if it is
// a result without isError, since then it has done its work.
//
// It costs memory, and it changes what a repeated id means, which the revisions
// with a handshake forbid anyway (CO-08). A zero field means its default, a
// negative one no limit.
type Idempotency struct {
	TTL        time.Duration // from the completion of the first request
	MaxEntries int           // outcomes; beyond it that one goes which would expire first
	MaxBytes   int           // of all outcomes together; a larger one is not kept
}

// outcomeStore holds the outcomes that are kept, and the requests that will have
// one. A nil *outcomeStore holds none.
type outcomeStore struct {
	limits Idempotency

	mu      sync.Mutex
	entries map[outcomeKey]*keptOutcome
	oldest  *keptOutcome // of those that are kept, in the order in which they expire
	newest  *keptOutcome
	running int
	kept    int
	bytes   int
	timer   *time.Timer // runs while something is kept that expires
	closed  bool
}

// outcomeKey says which requests repeat one another.
type outcomeKey struct {
	peer      weak.Pointer[Peer] // connection or session; an outcome does not keep it
	scope     transport.Scope    // of id, unless that is a retry key
	principal string
	method    string
	keyed     bool // id is a retry key
	id        codec.IDKey
}

// keptOutcome is what became of a request.
type keptOutcome struct {
	key    outcomeKey
	digest [sha256.Size]byte
	done   chan struct{} // closed when the handler has returned

	// Guarded by outcomeStore.mu while the handler runs.
	owner  *Request // it runs this one; nil afterwards
	joined int      // requests that wait for it

	// Constant once done is closed. Without result and err there is nothing that
	// others may have.
	result    []byte
	err       *codec.Error
	cancelled bool    // the peer cancelled the owner
	ownerKey  callKey // whose key this was

	expires time.Time
	next    *keptOutcome
}

// never is the TTL of what does not expire: longer than any program runs, and
// short enough to be added to a time.
const never = time.Duration(1 << 62)

func newOutcomeStore(limits Idempotency) *outcomeStore {
	fill(&limits.TTL, DefaultIdempotencyTTL, never)
	fill(&limits.MaxEntries, DefaultIdempotencyEntries, 1<<31-1)
	fill(&limits.MaxBytes, DefaultIdempotencyBytes, 1<<31-1)
	return &outcomeStore{limits: limits, entries: make(map[outcomeKey]*keptOutcome)}
}

// keyOf returns the key of a request, which is not valid if it repeats nothing.
func keyOf(p *Peer, in *transport.Inbound) (outcomeKey, *codec.Error) {
	key := outcomeKey{peer: weak.Make(p), method: string(in.Method)}
	if who, ok := in.Via.(transport.Principal); ok {
		key.principal = who.Principal()
	}
	own, refusal := retryKey(&in.Message)
	if own != nil {
		key.keyed, key.id = true, codec.ID(own).Key()
	} else {
		key.scope, key.id = in.Scope, in.ID.Key()
	}
	modern := in.Fact(codec.FactMetaProtocolVersion) != nil
	if p.pushed && modern && (!key.keyed || key.principal == "") {
		key.id = codec.IDKey{} // CO-10
	}
	return key, refusal
}

// digest identifies params without their _meta, which differs between attempts,
// and in 2026-07-28 without what differs between rounds.
func digest(m *codec.Message) (sum [sha256.Size]byte) {
	params, modern := m.Params, m.Fact(codec.FactMetaProtocolVersion) != nil
	h := sha256.New()
	if params.Kind() != codec.Object && params != nil {
		h.Write(params)
		h.Sum(sum[:0])
		return sum
	}
	for name, value := range params.Members() {
		switch text, _ := name.Text(); string(text) {
		case "_meta":
			continue
		case "inputResponses", "requestState":
			if modern {
				continue
			}
		}
		h.Write(name)
		h.Write([]byte{':'})
		h.Write(value)
		h.Write([]byte{','})
	}
	h.Sum(sum[:0])
	return sum
}

// enter finds the outcome of a request, or makes it the one that others repeat:
// then lead is true. owner is the request to wait for, nil if the outcome is
// there already. A nil outcome means that the request is on its own.
func (o *outcomeStore) enter(key outcomeKey, sum [sha256.Size]byte, r *Request) (e *keptOutcome, owner *Request, lead bool, refusal *codec.Error) {
	now := time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	e = o.entries[key]
	switch {
	case e == nil || e.owner == nil && !now.Before(e.expires):
	case e.digest != sum:
		return nil, nil, false, differs(key)
	case e.owner == nil:
		return e, nil, false, nil
	case e.joined >= maxJoined:
		return nil, nil, false, unrunf("busy: the limit of %d requests that wait for one outcome is reached", maxJoined)
	default:
		e.joined++
		return e, e.owner, false, nil
	}
	if o.running+o.kept >= o.limits.MaxEntries {
		if o.oldest == nil {
			return nil, nil, false, nil
		}
		o.drop()
	}
	e = &keptOutcome{key: key, digest: sum, owner: r, ownerKey: r.key, done: make(chan struct{})}
	o.entries[key] = e
	o.running++
	return e, nil, true, nil
}

func differs(key outcomeKey) *codec.Error {
	what := "id"
	if key.keyed {
		what = "retry key"
	}
	return refusef(protocol.CodeInvalidRequest, "the %s was used before with other params", what)
}

// settle ends the run of e with what its handler returned.
func (o *outcomeStore) settle(e *keptOutcome, r *Request, result []byte, err error) {
	r.peer.mu.Lock()
	e.cancelled = r.cancelled
	r.peer.mu.Unlock()
	e.result, e.err = worthKeeping(result, err, r.ctx.Err() != nil)

	o.mu.Lock()
	defer o.mu.Unlock()
	defer close(e.done)
	e.owner = nil
	o.running--
	size := e.size()
	if e.result == nil && e.err == nil || r.asksMore(e.result) || o.closed || size > o.limits.MaxBytes {
		delete(o.entries, e.key)
		return
	}
	for o.bytes+size > o.limits.MaxBytes {
		o.drop()
	}
	e.expires = time.Now().Add(o.limits.TTL)
	if o.oldest == nil {
		o.oldest = e
	} else {
		o.newest.next = e
	}
	o.newest = e
	o.kept++
	o.bytes += size
	o.wind()
}

// worthKeeping returns what of a handler's outcome others may have: copied, or
// nothing. over says that nobody waits for it any more.
func worthKeeping(result []byte, err error, over bool) ([]byte, *codec.Error) {
	if err == nil {
		if over {
			isError, _ := codec.Find(codec.Value(result), "isError")
			if yes, _ := isError.Bool(); yes {
				return nil, nil
			}
		}
		if len(result) == 0 {
			return nil, nil
		}
		return slices.Clone(result), nil
	}
	e, ok := errors.AsType[*codec.Error](err)
	if !ok || e == nil || over || codec.LayerOf(e.Code) != codec.LayerApplication || refusedUnrun(e) {
		return nil, nil
	}
	return nil, &codec.Error{Code: e.Code, Message: e.Message, Data: slices.Clone(e.Data)}
}

// asksMore reports whether a result is no outcome yet: it asks the client to come
// back with more.
func (r *Request) asksMore(result codec.Value) bool {
	if r.revision.Era() != protocol.Modern {
		return false
	}
	kind, _ := codec.Find(result, "resultType")
	text, _ := kind.Text()
	return string(text) == protocol.ResultInputRequired
}

// outcomeSize is about what an outcome costs besides its bytes.
const outcomeSize = 512

func (e *keptOutcome) size() int {
	n := outcomeSize + len(e.key.method) + len(e.key.principal) + len(e.result)
	if e.err != nil {
		n += len(e.err.Message) + len(e.err.Data)
	}
	return n
}

// drop forgets the oldest outcome. Caller holds o.mu.
func (o *outcomeStore) drop() {
	e := o.oldest
	if o.oldest = e.next; o.oldest == nil {
		o.newest = nil
	}
	e.next = nil
	o.kept--
	o.bytes -= e.size()
	if o.entries[e.key] == e { // else it expired, and another has its place
		delete(o.entries, e.key)
	}
}

// wind makes sure that what is kept is forgotten in time. Caller holds o.mu.
func (o *outcomeStore) wind() {
	if o.oldest == nil || o.timer != nil || o.limits.TTL == never {
		return
	}
	o.timer = time.AfterFunc(time.Until(o.oldest.expires), o.sweep)
}

// sweepMost bounds what is forgotten in one go, while others wait for o.mu.
const sweepMost = 256

// sweep forgets what has expired.
func (o *outcomeStore) sweep() {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	for range sweepMost {
		if o.oldest == nil || now.Before(o.oldest.expires) {
			break
		}
		o.drop()
	}
	if o.timer = nil; !o.closed {
		o.wind()
	}
}

// close forgets everything, and what is yet to come.
func (o *outcomeStore) close() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.timer != nil {
		o.timer.Stop()
	}
	o.oldest, o.newest, o.kept, o.bytes = nil, nil, 0, 0
	clear(o.entries)
}
