package explain

import (
	"fmt"
	"strings"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// needs lists what each method cannot do without; "params" stands for params as such.
var needs = map[string][]codec.Fact{
	protocol.MethodInitialize:             {codec.FactProtocolVersion, codec.FactCapabilities, codec.FactClientInfo},
	protocol.MethodToolsCall:              {codec.FactName},
	protocol.MethodPromptsGet:             {codec.FactName},
	protocol.MethodResourcesRead:          {codec.FactURI},
	protocol.MethodResourcesSubscribe:     {codec.FactURI},
	protocol.MethodResourcesUnsubscribe:   {codec.FactURI},
	protocol.MethodLoggingSetLevel:        {codec.FactLevel},
	protocol.MethodTasksGet:               {codec.FactTaskID},
	protocol.MethodTasksUpdate:            {codec.FactTaskID},
	protocol.MethodTasksCancel:            {codec.FactTaskID},
	protocol.MethodTasksResult:            {codec.FactTaskID},
	protocol.MethodCompletionComplete:     {codec.FactParams},
	protocol.MethodElicitationCreate:      {codec.FactParams},
	protocol.MethodSamplingCreateMessage:  {codec.FactParams},
	protocol.MethodSubscriptionsListen:    {codec.FactParams},
	protocol.NotificationMessage:          {codec.FactLevel},
	protocol.NotificationProgress:         {codec.FactProgressToken, codec.FactProgress},
	protocol.NotificationResourcesUpdated: {codec.FactURI},
}

func needed(s *subject) string {
	if rev := s.modern(); rev != "" && s.info.Use(rev) == 0 {
		return "" // a revision that does not have the method asks nothing of it
	}
	var missing []string
	for _, f := range needs[s.info.Name] {
		if s.Fact(f) == nil && s.Params.Kind() != codec.Array {
			missing = append(missing, f.String())
		}
	}
	switch {
	case len(missing) == 0:
		return ""
	case s.Params == nil:
		return fmt.Sprintf("%s needs a params object with what it is about", s.info.Name)
	}
	return fmt.Sprintf("%s lacks %s", s.info.Name, strings.Join(missing, ", "))
}

// types lists the JSON types a fact may have.
var types = []struct {
	fact codec.Fact
	want []codec.ValueKind
}{
	{codec.FactMeta, []codec.ValueKind{codec.Object}},
	{codec.FactName, []codec.ValueKind{codec.String}},
	{codec.FactURI, []codec.ValueKind{codec.String}},
	{codec.FactArguments, []codec.ValueKind{codec.Object}},
	{codec.FactTaskID, []codec.ValueKind{codec.String}},
	{codec.FactRequestID, []codec.ValueKind{codec.String, codec.Number}},
	{codec.FactProgressToken, []codec.ValueKind{codec.String, codec.Number}},
	{codec.FactProgress, []codec.ValueKind{codec.Number}},
	{codec.FactTotal, []codec.ValueKind{codec.Number}},
	{codec.FactCursor, []codec.ValueKind{codec.String}},
	{codec.FactLevel, []codec.ValueKind{codec.String}},
	{codec.FactProtocolVersion, []codec.ValueKind{codec.String}},
	{codec.FactCapabilities, []codec.ValueKind{codec.Object}},
	{codec.FactClientInfo, []codec.ValueKind{codec.Object}},
	{codec.FactMetaProgressToken, []codec.ValueKind{codec.String, codec.Number}},
	{codec.FactMetaProtocolVersion, []codec.ValueKind{codec.String}},
	{codec.FactMetaClientCapabilities, []codec.ValueKind{codec.Object}},
	{codec.FactMetaClientInfo, []codec.ValueKind{codec.Object}},
	{codec.FactResultType, []codec.ValueKind{codec.String}},
	{codec.FactIsError, []codec.ValueKind{codec.Bool}},
	{codec.FactSupportedVersions, []codec.ValueKind{codec.Array}},
}

// valueTypes looks only at the messages of known methods and at results: what other methods put
// into their params is their own affair.
func valueTypes(s *subject) string {
	if s.Method != nil && !s.known {
		return ""
	}
next:
	for _, row := range types {
		got := s.Fact(row.fact).Kind()
		if got == codec.Absent {
			continue
		}
		for _, want := range row.want {
			if got == want {
				continue next
			}
		}
		return fmt.Sprintf("%s is %s and should be %s", row.fact, a(got), a(row.want[0]))
	}
	return ""
}
