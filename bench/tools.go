package bench

import (
	"fmt"
	"strconv"
)

// tools is the answer to tools/list of a server with many tools, each with a
// dense schema: names, types and short descriptions, hardly any long string.
func tools() []byte {
	b := []byte(`{"jsonrpc":"2.0","id":7,"result":{"tools":[`)
	for i, noun := range nouns {
		for k, verb := range verbs {
			if i+k > 0 {
				b = append(b, ',')
			}
			b = appendTool(b, verb, noun, i+k)
		}
	}
	return append(b, `],"nextCursor":"eyJwYWdlIjoyfQ=="}}`...)
}

var (
	verbs = []string{"list", "get", "create", "update", "delete"}
	nouns = []string{"issue", "branch", "release", "comment", "milestone"}
)

func appendTool(b []byte, verb, noun string, n int) []byte {
	writes := verb != "list" && verb != "get"
	b = fmt.Appendf(b, `{"name":"%[1]s_%[2]s","title":"%[1]s %[2]s","description":"Runs %[1]s for one %[2]s of `+
		`the repository and returns \"%[2]s\" as JSON.","inputSchema":{"type":"object","properties":{`+
		`"owner":{"type":"string","description":"Account that owns the repository"},`+
		`"repo":{"type":"string","minLength":1,"maxLength":100,"pattern":"^[\\w.-]+$"},`, verb, noun)
	for i := range 2 + n%3 {
		b = append(b, property[i](noun)...)
		b = append(b, ',')
	}
	b = append(b, `"page":{"type":"integer","minimum":1,"maximum":1000,"default":1},`+
		`"perPage":{"type":"integer","minimum":1,"maximum":100,"default":30},`+
		`"sort":{"type":"string","enum":["created","updated","comments"],"default":"created"},`+
		`"filter":{"type":"object","properties":{`+
		`"state":{"type":"string","enum":["open","closed","all"],"default":"open"},`+
		`"since":{"type":["string","null"],"format":"date-time"}},"additionalProperties":false}},`+
		`"required":["owner","repo"],"additionalProperties":false},"annotations":{"readOnlyHint":`...)
	b = strconv.AppendBool(b, !writes)
	b = append(b, `,"destructiveHint":`...)
	b = strconv.AppendBool(b, verb == "delete")
	return append(b, `,"idempotentHint":false,"openWorldHint":true}}`...)
}

// property are properties of a schema that differ by what the tool is about.
var property = []func(noun string) string{
	func(noun string) string { return `"` + noun + `":{"type":"integer","exclusiveMinimum":0}` },
	func(noun string) string {
		return `"` + noun + `Labels":{"type":"array","items":{"type":"string"},"maxItems":10,"uniqueItems":true}`
	},
	func(noun string) string {
		return `"` + noun + `Score":{"type":"number","minimum":0.0,"maximum":1e3,"multipleOf":0.25}`
	},
	func(noun string) string {
		return `"` + noun + `Body":{"oneOf":[{"type":"string"},{"type":"null"}],"description":"Markdown, UTF-8"}`
	},
}
