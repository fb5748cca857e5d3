package eventstream_test

import (
	_ "embed"
	"encoding/json"
	"testing"
)

// streamCase is what a browser makes of a stream, a fact that the web platform
// tests fix under the name WPT.
type streamCase struct {
	Name, WPT, ContentType, Input string

	Accept    bool
	Events    [][3]string // type, data, last event id
	RetryMs   *int64      // the reconnection time that was set
	Reconnect *string     // Last-Event-ID afterwards, empty for none
}

//go:embed testdata/streams.json
var streamsJSON []byte

func streamCases(t testing.TB) (cases []streamCase) {
	t.Helper()
	if err := json.Unmarshal(streamsJSON, &cases); err != nil || len(cases) != 29 {
		t.Fatalf("testdata/streams.json: %d cases, %v", len(cases), err)
	}
	return cases
}

// seen is an event with memory of its own.
type seen struct {
	name, data, id           string
	hasData, hasID, hasRetry bool
	retry                    int64 // ms
	err                      string
}

// message is an event as the table has it.
func (s seen) message() [3]string {
	if s.name == "" {
		s.name = "message"
	}
	return [3]string{s.name, s.data, s.id}
}
