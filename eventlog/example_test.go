package eventlog_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wirespool/wirespool/eventlog"
)

// A client loses its connection after the first event and comes back with the
// id of that event.
func Example() {
	ctx := context.Background()
	log := eventlog.NewMemory(nil)
	defer log.Close()

	s := eventlog.Stream{Scope: "session", Key: eventlog.NewKey()}
	if err := log.Create(ctx, s, nil, eventlog.Limits{}); err != nil {
		fmt.Println(err)
		return
	}
	priming := &eventlog.Event{}
	progress := &eventlog.Event{Data: []byte(`{"jsonrpc":"2.0","method":"notifications/progress"}`)}
	answer := &eventlog.Event{Data: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)}
	if err := errors.Join(log.Append(ctx, s, priming, progress), log.Append(ctx, s, answer), log.Finish(ctx, s)); err != nil {
		fmt.Println(err)
		return
	}

	last, err := eventlog.ParseEventID(priming.ID.String()) // the Last-Event-ID header
	if err != nil {
		fmt.Println(err)
		return
	}
	resumed := eventlog.Stream{Scope: "session", Key: last.Key}
	for ev, err := range log.After(ctx, resumed, last, true) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(ev.ID.Pos, string(ev.Data), ev.More)
	}

	resumed.Scope = "somebody else's session"
	for _, err := range log.After(ctx, resumed, last, true) {
		fmt.Println(err)
	}
	// Output:
	// 2 {"jsonrpc":"2.0","method":"notifications/progress"} true
	// 3 {"jsonrpc":"2.0","id":1,"result":{}} false
	// eventlog: unknown stream
}

// The state of a call that waits for input is kept by its client, who can
// neither read nor change it.
func ExampleSealer() {
	key := eventlog.NewSealerKey() // in production: from a secret that all replicas have
	sealer, err := eventlog.NewSealer([][]byte{key}, &eventlog.SealerOptions{Audience: "https://example.com/mcp requestState"})
	if err != nil {
		fmt.Println(err)
		return
	}
	sealed, err := sealer.Seal("alice", []byte("step 2"), 10*time.Minute)
	if err != nil {
		fmt.Println(err)
		return
	}
	state, err := sealer.Open("alice", sealed)
	fmt.Println(string(state), err)
	_, err = sealer.Open("bob", sealed)
	fmt.Println(errors.Is(err, eventlog.ErrRefused), err)
	// Output:
	// step 2 <nil>
	// true eventlog: refused: sealed for somebody else
}
