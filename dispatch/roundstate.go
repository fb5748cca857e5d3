package dispatch

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// The state of a round is a JSON object: what it belongs to, until when it is
// good, how many rounds there were, and the answers so far. What comes back is
// the work of an attacker until the seal proves otherwise (MR-07).

// errState says that a state is none of ours.
var errState = errors.New("the seal is broken")

// sealer seals states with a key.
type sealer struct{ key []byte }

func newSealer(o *Rounds) sealer {
	switch {
	case o == nil:
		return sealer{}
	case len(o.Key) > 0:
		return sealer{bytes.Clone(o.Key)}
	}
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return sealer{key}
}

var sealEncoding = base64.RawURLEncoding.Strict()

func (s sealer) sum(state []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(state)
	return mac.Sum(nil)
}

func (s sealer) seal(state []byte) string {
	return sealEncoding.EncodeToString(state) + "." + sealEncoding.EncodeToString(s.sum(state))
}

func (s sealer) open(sealed string) ([]byte, error) {
	head, tail, _ := strings.Cut(sealed, ".")
	state, err := sealEncoding.DecodeString(head)
	if err != nil {
		return nil, errState
	}
	sum, err := sealEncoding.DecodeString(tail)
	if err != nil || !hmac.Equal(sum, s.sum(state)) {
		return nil, errState
	}
	return state, nil
}

// owner is what a state belongs to: the method, its params but for what changes
// from round to round, the principal where the transport knows one, and what the
// application adds.
func (run *rerun) owner() string {
	r := run.request
	var members []string
	for name, value := range r.Params().Members() {
		switch text, _ := name.Text(); string(text) {
		case "_meta", "inputResponses", "requestState":
		default:
			sum := sha256.Sum256(append(append(slices.Clone(name), ':'), value...))
			members = append(members, string(sum[:]))
		}
	}
	slices.Sort(members) // a client may write them in another order next time
	sum := sha256.New()
	sum.Write([]byte(r.Method() + "\x00"))
	for _, m := range members {
		sum.Write([]byte(m))
	}
	if who, ok := r.via.(transport.Principal); ok {
		sum.Write(codec.AppendString(nil, who.Principal()))
	}
	if bind := r.peer.engine.opts.Rounds.Bind; bind != nil {
		sum.Write([]byte(bind(r)))
	}
	return sealEncoding.EncodeToString(sum.Sum(nil))
}

// seal returns the state that goes with the questions.
func (run *rerun) seal() (string, error) {
	r := run.request
	o := r.peer.engine.opts.Rounds
	ttl := o.TTL
	if ttl <= 0 {
		ttl = DefaultRoundTTL
	}
	dst := codec.AppendString([]byte(`{"owner":`), run.owner())
	dst = strconv.AppendInt(append(dst, `,"until":`...), time.Now().Add(ttl).UnixMilli(), 10)
	dst = strconv.AppendInt(append(dst, `,"round":`...), int64(run.round+1), 10)
	dst = append(dst, `,"answers":{`...)
	from := len(dst)
	for _, key := range slices.Sorted(maps.Keys(run.answers)) {
		a := run.answers[key]
		one := codec.AppendString(codec.Value(`{"method":`), a.method)
		one = append(append(append(one, `,"result":`...), a.result...), '}')
		dst = appendMember(dst, from, codec.AppendString(nil, key), one)
	}
	dst = append(dst, "}}"...)
	if o.Seal != nil && o.Open != nil {
		return o.Seal(&r.ctx, r, dst)
	}
	return r.peer.engine.sealer.seal(dst), nil
}

// open reads what the request brings from earlier rounds. Caller holds run.mu.
func (run *rerun) open(ctx context.Context) error {
	r := run.request
	run.answers = make(map[string]answered)
	switch run.offered = slices.Clone(r.Fact(codec.FactInputResponses)); run.offered.Kind() {
	case codec.Absent, codec.Object:
	default:
		return refusef(protocol.CodeInvalidParams, "inputResponses must be an object")
	}
	given := r.Fact(codec.FactRequestState)
	if given == nil {
		return nil // and what is offered was not asked for
	}
	refusal := refusef(protocol.CodeInvalidParams, "requestState is not one that was given for this call, or it has expired")
	sealed, ok := given.Text()
	if !ok {
		return refusal
	}
	state, err := run.unseal(ctx, string(sealed))
	if err != nil {
		r.peer.engine.log.Warn("requestState refused", "method", r.Method(), "error", err)
		return refusal
	}
	owner, _ := codec.Find(state, "owner")
	whose, _ := owner.Text()
	limit, _ := codec.Find(state, "until")
	until, _ := limit.Int64()
	if string(whose) != run.owner() || time.Now().UnixMilli() >= until {
		return refusal
	}
	n, _ := codec.Find(state, "round")
	round, _ := n.Int64()
	run.round, run.expected = int(round), true
	list, _ := codec.Find(state, "answers")
	for key, a := range list.Members() {
		text, _ := key.Text()
		name, _ := codec.Find(a, "method")
		method, _ := name.Text()
		result, _ := codec.Find(a, "result")
		run.answers[string(text)] = answered{string(method), result}
	}
	return nil
}

// unseal opens a state, which is JSON then.
func (run *rerun) unseal(ctx context.Context, sealed string) (codec.Value, error) {
	r := run.request
	o := r.peer.engine.opts.Rounds
	if o.Seal == nil || o.Open == nil {
		return r.peer.engine.sealer.open(sealed)
	}
	state, err := o.Open(ctx, r, sealed)
	if err != nil {
		return nil, err
	}
	res, err := resultOf(state) // what others kept may be anything
	if err != nil {
		return nil, err
	}
	return res.Value(), nil
}
