package typed_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/typed"
)

func bits(format string) string { return fmt.Sprintf(format, strconv.IntSize) }

// searchCall is the params of a tools/call as clients send it.
type searchCall struct {
	Meta struct {
		ProgressToken any    `json:"progressToken,omitempty"`
		Traceparent   string `json:"traceparent,omitempty"`
	} `json:"_meta"`
	Name      string     `json:"name"`
	Arguments searchArgs `json:"arguments"`
}

type searchArgs struct {
	Repository  string   `json:"repository"`
	State       string   `json:"state"`
	Labels      []string `json:"labels"`
	Since       string   `json:"since"`
	Page        int      `json:"page"`
	PerPage     int      `json:"perPage"`
	MinScore    float64  `json:"minScore"`
	IncludeBody bool     `json:"includeBody"`
	Assignee    *string  `json:"assignee"`
	Sort        struct {
		By    string `json:"by"`
		Order string `json:"order"`
	} `json:"sort"`
	Query string `json:"query"`
}

// anyCall is the same with arguments that only the tool knows.
type anyCall struct {
	Meta      map[string]any `json:"_meta"`
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// sizedCall returns params of about this many bytes.
func sizedCall(size int) []byte {
	const head = `{"_meta":{"progressToken":"9f0c4c1e-7d4b","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},` +
		`"name":"search_issues","arguments":{"repository":"example/project","state":"open","labels":["bug","needs triage"],` +
		`"since":"2026-03-01T00:00:00Z","page":2,"perPage":50,"minScore":0.75,"includeBody":true,"assignee":null,` +
		`"sort":{"by":"updated","order":"desc"},"query":"`
	const words = "panic when the child closes its output early and the reader still holds a frame "
	text := strings.Repeat(words, size/len(words)+1)[:size-len(head)-3]
	return []byte(head + text + `"}}`)
}

// work is one row of the benchmark: do does it once.
type work struct {
	shape, size, impl string
	bytes             int
	do                func() error
}

// works returns the rows: decoding and encoding of one call, as structs and
// with free arguments.
func works() []work {
	var rows []work
	for _, size := range []int{1 << 10, 8 << 10} {
		text := sizedCall(size)
		name := strconv.Itoa(size>>10) + "K"
		rows = append(rows, codings[searchCall]("call", name, text)...)
		rows = append(rows, codings[anyCall]("anycall", name, text)...)
	}
	return rows
}

func codings[T any](shape, size string, text []byte) []work {
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		panic(err)
	}
	var ours []byte
	var std bytes.Buffer
	enc := json.NewEncoder(&std)
	enc.SetEscapeHTML(false)
	return []work{
		{"decode-" + shape, size, "wirespool", len(text), func() error {
			var v T
			return typed.Decode(codec.Value(text), &v)
		}},
		{"decode-" + shape, size, "encoding_json", len(text), func() error {
			var v T
			return json.Unmarshal(text, &v)
		}},
		{"encode-" + shape, size, "wirespool", len(text), func() (err error) {
			ours, err = typed.Append(ours[:0], &value)
			return err
		}},
		{"encode-" + shape, size, "encoding_json", len(text), func() error {
			std.Reset()
			return enc.Encode(&value)
		}},
	}
}

func BenchmarkTyped(b *testing.B) {
	for _, w := range works() {
		b.Run("shape="+w.shape+"/size="+w.size+"/impl="+w.impl, func(b *testing.B) {
			b.SetBytes(int64(w.bytes))
			b.ReportAllocs()
			for b.Loop() {
				if err := w.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
