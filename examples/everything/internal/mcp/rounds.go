package mcp

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/typed"
)

// inputRequired is the result that asks for more (MR-02). It travels as an
// error from where something is asked to where the result is made.
type inputRequired struct {
	ResultType    string         `json:"resultType"`
	InputRequests map[string]Ask `json:"inputRequests"`
	RequestState  string         `json:"requestState,omitempty"`
}

func (*inputRequired) Error() string { return "more input is required" }

// roundAsker asks by results, in 2026-07-28.
type roundAsker struct {
	seal    sealer
	what    string
	sealed  bool
	offered Answers // what the client sent, asked for or not
}

func (q *roundAsker) ask(_ context.Context, c *Call, asks []Ask) error {
	missing := map[string]Ask{}
	for _, a := range asks {
		if _, known := c.answers[a.Key]; known {
			continue
		}
		if answer := q.offered[a.Key]; a.answeredBy(answer) {
			c.answers[a.Key] = answer
		} else {
			missing[a.Key] = a // or malformed: MR-08
		}
	}
	if len(missing) == 0 {
		return nil
	}
	result := &inputRequired{ResultType: protocol.ResultInputRequired, InputRequests: missing}
	if q.sealed || len(c.answers) > 0 {
		state, err := q.seal.close(q.what, c.answers)
		if err != nil {
			return err
		}
		result.RequestState = state
	}
	return result
}

// sealer turns what must survive until the next round into a string that the
// client keeps for us and cannot change (MR-07): the server itself remembers
// nothing between rounds.
type sealer struct{ key []byte }

func newSealer() sealer {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return sealer{key}
}

// stateLifetime bounds how long a round may take.
const stateLifetime = 10 * time.Minute

type state struct {
	What    string    `json:"what"` // the feature it belongs to
	Expires time.Time `json:"expires"`
	Answers Answers   `json:"answers"`
}

var stateEncoding = base64.RawURLEncoding.Strict()

func (s sealer) sum(text []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(text)
	return mac.Sum(nil)
}

func (s sealer) close(what string, answers Answers) (string, error) {
	text, err := typed.Append(nil, state{what, time.Now().Add(stateLifetime), answers})
	if err != nil {
		return "", err
	}
	return stateEncoding.EncodeToString(text) + "." + stateEncoding.EncodeToString(s.sum(text)), nil
}

// open returns the answers in a state that this server has closed for what.
func (s sealer) open(sealed, what string) (Answers, error) {
	refusal := invalidParams("requestState is not one that this server sent for this call, or it has expired")
	head, tail, _ := strings.Cut(sealed, ".")
	text, err := stateEncoding.DecodeString(head)
	if err != nil {
		return nil, refusal
	}
	sum, err := stateEncoding.DecodeString(tail)
	if err != nil || !hmac.Equal(sum, s.sum(text)) {
		return nil, refusal
	}
	var st state
	if err := typed.Decode(codec.Value(text), &st); err != nil {
		return nil, err
	}
	if st.What != what || time.Now().After(st.Expires) {
		return nil, refusal
	}
	if st.Answers == nil {
		st.Answers = Answers{}
	}
	return st.Answers, nil
}
