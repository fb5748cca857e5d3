package codec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// TestAppendReplaced: one value changes, and not a byte besides.
func TestAppendReplaced(t *testing.T) {
	for name, tt := range map[string]struct {
		frame        string
		outer, inner codec.Fact
		want         string // empty: not ok
	}{
		"token in _meta":     {`{"jsonrpc":"2.0","id":1,"method":"m","params":{ "a" : 1,"_meta":{"x":[1 ,2],"progressToken": "t\"" ,"y":{}} }}`, codec.FactParams, codec.FactMetaProgressToken, `{ "a" : 1,"_meta":{"x":[1 ,2],"progressToken": 77 ,"y":{}} }`},
		"token of progress":  {`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":0.5}}`, codec.FactParams, codec.FactProgressToken, `{"progressToken":77,"progress":0.5}`},
		"subscription id":    {`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}`, codec.FactResult, codec.FactMetaSubscriptionID, `{"_meta":{"io.modelcontextprotocol/subscriptionId":77}}`},
		"escaped name":       {`{"jsonrpc":"2.0","method":"m","params":{"request\u0049d":1}}`, codec.FactParams, codec.FactRequestID, `{"request\u0049d":77}`},
		"no such fact":       {`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, codec.FactParams, codec.FactMetaProgressToken, ``},
		"no outer fact":      {`{"jsonrpc":"2.0","id":1,"method":"m"}`, codec.FactParams, codec.FactID, ``},
		"not inside":         {`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, codec.FactParams, codec.FactID, ``},
		"of another payload": {`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"progressToken":1}}}`, codec.FactParams, codec.FactMetaProgressToken, ``},
		"itself":             {`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, codec.FactParams, codec.FactParams, ``},
	} {
		t.Run(name, func(t *testing.T) {
			var m codec.Message
			require.NoError(t, codec.Decode([]byte(tt.frame), &m))
			got, ok := m.AppendReplaced([]byte("> "), tt.outer, tt.inner, []byte("77"))
			require.Equal(t, tt.want != "", ok)
			require.Equal(t, "> "+tt.want, string(got))
			m.Detach()
			got, _ = m.AppendReplaced([]byte("> "), tt.outer, tt.inner, []byte("77"))
			require.Equal(t, "> "+tt.want, string(got), "of a detached message")
		})
	}
}
