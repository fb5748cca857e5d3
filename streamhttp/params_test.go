package streamhttp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestParams: the Mcp-Param headers that a tool's schema asks for (XH-08, XH-10,
// HD-09 to HD-11).
func TestParams(t *testing.T) {
	schema := codec.Value(`{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"count":{"type":"integer","x-mcp-header":"Count"},
		"deep":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"Dry"}}}}}`)
	params, err := streamhttp.ParamHeaders(schema)
	require.NoError(t, err)
	o := &streamhttp.Options{Params: func(tool string) []streamhttp.ParamHeader {
		if tool == "x" {
			return params
		}
		return nil
	}}
	endpoint(t, o, func(t *testing.T, r *rig) {
		for _, c := range []struct {
			args    string
			headers []string
			status  int
		}{
			{`{"region":"us-west1"}`, []string{"Mcp-Param-Region: us-west1"}, 200},
			{`{"region":"us-west1"}`, []string{"mcp-param-REGION:  us-west1 "}, 200},
			{`{"region":"us-west1"}`, nil, 400},
			{`{"region":"us-west1"}`, []string{"Mcp-Param-Region: US-WEST1"}, 400},
			{`{"region":"us-west1"}`, []string{"Mcp-Param-Region: us-west1", "Mcp-Param-Region: us-west1"}, 400},
			{`{"region":"us\u002dwest1"}`, []string{"Mcp-Param-Region: us-west1"}, 200},
			{`{"region":" padded "}`, []string{"Mcp-Param-Region: =?base64?IHBhZGRlZCA=?="}, 200},
			{`{"region":" padded "}`, []string{"Mcp-Param-Region: padded"}, 400},
			{`{"region":"x"}`, []string{"Mcp-Param-Region: =?base64?!?="}, 400},
			{`{"region":""}`, []string{"Mcp-Param-Region: "}, 200},
			{`{"region":""}`, []string{"Mcp-Param-Region: =?base64??="}, 200},
			{`{"region":""}`, nil, 400},
			{`{"region":null}`, nil, 200},
			{`{}`, []string{"Mcp-Param-Region: ignored", "Mcp-Param-Other: ignored"}, 200},
			{`{"count":42}`, []string{"Mcp-Param-Count: 42"}, 200},
			{`{"count":42}`, []string{"Mcp-Param-Count: 42.0"}, 200},
			{`{"count":4.2e1}`, []string{"Mcp-Param-Count: 42"}, 200},
			{`{"count":42}`, []string{"Mcp-Param-Count: 43"}, 400},
			{`{"count":42}`, []string{"Mcp-Param-Count: forty-two"}, 400},
			{`{"count":42}`, []string{"Mcp-Param-Count: 042"}, 400},
			{`{"count":"42"}`, []string{"Mcp-Param-Count: 42"}, 200},
			{`{"count":1.5}`, []string{"Mcp-Param-Count: 1.5"}, 400},
			{`{"deep":{"dry":true}}`, []string{"Mcp-Param-Dry: true"}, 200},
			{`{"deep":{"dry":true}}`, []string{"Mcp-Param-Dry: false"}, 400},
			{`{"deep":{"dry":true}}`, []string{"Mcp-Param-Dry: True"}, 400},
			{`{"deep":7}`, nil, 200},
			{`{"region":"a","region":"b"}`, []string{"Mcp-Param-Region: a"}, 400},
		} {
			body, headers := modernCall("1", "tools/call", `"name":"x","arguments":`+c.args)
			a := r.do("POST", body, append(append(headers, "Mcp-Name: x"), c.headers...)...)
			text := a.text()
			require.Equal(t, c.status, a.StatusCode, "%s %s: %s", c.args, c.headers, text)
			if c.status == 400 {
				require.Regexp(t, `"id":1,"error":{"code":-32(020|600)`, text)
			}
		}
		body, headers := modernCall("1", "tools/call", `"name":"y","arguments":{"region":"a"}`)
		require.Equal(t, 200, r.do("POST", body, append(headers, "Mcp-Name: y")...).StatusCode, "an unknown tool is dispatch's to answer")
		body, headers = modernCall("1", "prompts/get", `"name":"x","arguments":{"region":"a"}`)
		require.Equal(t, 200, r.do("POST", body, append(headers, "Mcp-Name: x")...).StatusCode, "only tools/call has them")
	})
}
