package codec_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// article is one of the forty messages that articles about MCP print, as they
// print it. Those in framing of their own are no message to a codec; the
// verdicts beyond it belong to other packages.
type article struct {
	Article int
	Name    string
	Raw     string
	Kind    string // what a codec makes of it, empty when it is refused
	Code    int64  // why it is refused
	Offset  int
	Verdict string // what the whole engine makes of it
}

func articles(t testing.TB) []article {
	t.Helper()
	text, err := os.ReadFile("testdata/articles.jsonl")
	require.NoError(t, err)
	var out []article
	for line := range strings.Lines(string(text)) {
		var a article
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		out = append(out, a)
	}
	require.Len(t, out, 40)
	return out
}

func TestArticles(t *testing.T) {
	for _, a := range articles(t) {
		t.Run(a.Name, func(t *testing.T) {
			if a.Kind == "" {
				refuse(t, a.Code, a.Raw[:a.Offset]+mark+a.Raw[a.Offset:])
				return
			}
			m := accept(t, a.Raw)
			require.Equal(t, a.Kind, m.Kind.String())
			for i := range m.Len() {
				_, err := element(t, m, i)
				require.Nil(t, err)
			}
			if m.Kind == codec.Batch {
				require.Equal(t, strings.Count(a.Raw, "jsonrpc"), m.Len())
			}
			// Whatever comes through comes through byte for byte.
			for _, v := range []codec.Value{m.Params, m.Result, m.Error, m.Array} {
				require.Contains(t, a.Raw, string(v))
			}
		})
	}
}

// TestMemberOrder: members come in any order, and all of them give the same
// message, as it stands in a frame, in a batch, and with params turned too.
func TestMemberOrder(t *testing.T) {
	tried := 0
	for _, a := range articles(t) {
		if a.Kind == "" || a.Kind == "batch" {
			continue
		}
		outer := members(t, a.Raw)
		want := shot(accept(t, joined(outer, identity(len(outer)))))
		for order := range orders(len(outer)) {
			frame := joined(outer, order)
			require.Equal(t, want, shot(accept(t, frame)), "%s", frame)
			el, err := element(t, accept(t, `[`+frame+`]`), 0)
			require.Nil(t, err)
			require.Equal(t, want, shot(el), "%s", frame)
			tried++
		}
		reorderPayload(t, outer)
	}
	require.Greater(t, tried, 300)
}

// reorderPayload turns the members of params or result: the facts stay.
func reorderPayload(t *testing.T, outer []string) {
	t.Helper()
	at := slices.IndexFunc(outer, func(member string) bool {
		return strings.HasPrefix(member, `"params":{`) || strings.HasPrefix(member, `"result":{`)
	})
	if at < 0 {
		return
	}
	name, payload, _ := strings.Cut(outer[at], ":")
	inner := members(t, payload)
	changed := slices.Clone(outer)
	turned := func(order []int) map[string]string {
		changed[at] = name + ":" + joined(inner, order)
		got := shot(accept(t, joined(changed, identity(len(changed))))).Facts
		delete(got, strings.Trim(name, `"`))
		return got
	}
	want := turned(identity(len(inner)))
	for order := range orders(len(inner)) {
		require.Equal(t, want, turned(order))
	}
}

func identity(n int) []int {
	for order := range orders(n) {
		return order
	}
	return nil
}

func TestArticleFacts(t *testing.T) {
	find := func(number int, name string) *codec.Message {
		for _, a := range articles(t) {
			if a.Article == number && a.Name == name {
				return accept(t, a.Raw)
			}
		}
		require.Fail(t, "no such article", "%d %s", number, name)
		return nil
	}
	for _, tt := range []struct {
		article int
		name    string
		want    map[codec.Fact]string
	}{
		{0, "request", map[codec.Fact]string{codec.FactName: `"bookMeetingRoom"`, codec.FactMeta: ""}},
		{0, "initialize", map[codec.Fact]string{
			codec.FactProtocolVersion: `"2024-11-05"`, codec.FactCapabilities: `{"roots":{"listChanged":true}}`,
			codec.FactClientInfo: `{"name":"SmartAssistant","version":"1.0.0"}`, codec.FactName: "",
		}},
		{0, "error", map[codec.Fact]string{codec.FactErrorCode: "-32001", codec.FactErrorData: `{"conflictTime":"14:00-15:00","bookedBy":"张三"}`}},
		{1, "simplest example", map[codec.Fact]string{codec.FactURI: `"file:///C:/test.txt"`}},
		{1, "error", map[codec.Fact]string{codec.FactErrorData: `"file:///C:/test.txt"`}},
		{1, "notification", map[codec.Fact]string{codec.FactLevel: `"info"`}},
		{1, "handshake", map[codec.Fact]string{codec.FactProtocolVersion: `"0.1.0"`, codec.FactCapabilities: ""}},
		{3, "2.2 _meta", map[codec.Fact]string{
			codec.FactName: `"long_running_task"`, codec.FactMetaProgressToken: `"task-001"`, codec.FactProgressToken: "",
			codec.FactMetaClientInfo: `{"name":"my-agent","version":"1.0.0"}`, codec.FactMetaProtocolVersion: "", codec.FactClientInfo: "",
		}},
		{3, "4.3", map[codec.Fact]string{codec.FactProtocolVersion: `"2025-11-25"`, codec.FactSupportedVersions: `["2025-11-25","2025-06-18"]`}},
		{4, "step 3", map[codec.Fact]string{codec.FactIsError: "false"}},
		{4, "failing tool", map[codec.Fact]string{codec.FactIsError: "true"}},
	} {
		m := find(tt.article, tt.name)
		for fact, want := range tt.want {
			require.Equal(t, want, string(m.Fact(fact)), "%s", fact)
			require.Equal(t, want == "", m.Fact(fact) == nil, "%s", fact)
		}
	}
	require.False(t, find(1, "pitfall 2").OneLine)
	require.Equal(t, `{"price":99.9}`, string(first(t, find(0, "batch of answers")).Result))
	require.Equal(t, codec.LayerInfrastructure, codec.LayerOf(find(0, "error").WireError().Code))
	require.Equal(t, "会议室已被占用", find(0, "error").WireError().Message)
	require.Equal(t, codec.LayerProtocol, codec.LayerOf(find(2, "error object").WireError().Code))
}

func first(t *testing.T, batch *codec.Message) *codec.Message {
	t.Helper()
	el, err := element(t, batch, 0)
	require.Nil(t, err)
	return el
}

// TestPitfallTwo: a message cut by a line feed is two frames that are no
// messages, not one wrong message.
func TestPitfallTwo(t *testing.T) {
	for _, a := range articles(t) {
		if a.Article == 1 && a.Name == "pitfall 2" {
			head, tail, _ := strings.Cut(a.Raw, "\n")
			refuse(t, parseError, head+mark)
			refuse(t, parseError, `"method"▲`+strings.TrimPrefix(tail, `"method"`))
			return
		}
	}
	require.Fail(t, "not found")
}

// TestSpecificationExamples are those of JSON-RPC 2.0 §7: which of them, and
// which elements, a codec refuses follows from the answers printed there.
func TestSpecificationExamples(t *testing.T) {
	text, err := os.ReadFile("testdata/jsonrpc.json")
	require.NoError(t, err)
	var file struct {
		Examples []struct {
			Name, Input string
			Output      json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.Len(t, file.Examples, 15)
	for _, ex := range file.Examples {
		t.Run(ex.Name, func(t *testing.T) {
			m, refused := decode(t, ex.Input)
			want := answers(t, ex.Output)
			if refused != nil {
				require.Len(t, want, 1)
				require.Equal(t, refused.Code, want[0].Error.Code)
				require.Equal(t, "null", string(want[0].ID))
				return
			}
			got := []*codec.Message{m}
			errs := []*codec.DecodeError{nil}
			if m.Kind == codec.Batch {
				got, errs = nil, nil
				for i := range m.Len() {
					el, err := element(t, m, i)
					got, errs = append(got, el), append(errs, err)
				}
			}
			for i, m := range got {
				if m.Kind == codec.Notification {
					continue
				}
				require.NotEmpty(t, want)
				if errs[i] != nil {
					require.Equal(t, errs[i].Code, want[0].Error.Code)
					require.Nil(t, m.ID)
				} else {
					require.Equal(t, codec.Request, m.Kind)
					require.NotEqualValues(t, invalidRequest, want[0].Error.Code)
					require.Equal(t, string(want[0].ID), m.ID.String())
				}
				want = want[1:]
			}
			require.Empty(t, want)
		})
	}
}

// printedAnswer is what the document prints as an answer.
type printedAnswer struct {
	ID    json.RawMessage
	Error struct{ Code int64 }
}

func answers(t *testing.T, output []byte) []printedAnswer {
	t.Helper()
	if strings.HasPrefix(string(output), "[") {
		var many []printedAnswer
		require.NoError(t, json.Unmarshal(output, &many))
		return many
	}
	var one *printedAnswer
	require.NoError(t, json.Unmarshal(output, &one))
	if one == nil {
		return nil
	}
	return []printedAnswer{*one}
}
