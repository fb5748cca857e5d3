package streamhttp

import (
	"net/http"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
)

// mirrored checks the headers of a request of 2026-07-28 against its body, and
// that its method is known, in the order of the SH26 rows.
func (h *Handler) mirrored(header http.Header, m *codec.Message, revision protocol.Revision) *httpx.Refusal {
	if !mirrorsMethod(header[protocol.HeaderMethod], m.Method) {
		return mismatch(m.ID, "the Mcp-Method header is missing or differs from the method") // SH26-13
	}
	info, known := protocol.LookupMethod(m.Method)
	if known && info.Use(revision)&protocol.SentByClient == 0 && !info.Notification || h.serves != nil && !h.serves(m.Method) && !info.Notification {
		return &httpx.Refusal{
			Status: http.StatusNotFound,
			Code:   protocol.CodeMethodNotFound,
			Reason: "method " + string(m.Method) + " not found",
			ID:     m.ID,
		} // SH26-15
	}
	if known && info.NameParam != "" {
		if refusal := mirrorsName(header[protocol.HeaderName], m, info.NameParam); refusal != nil {
			return refusal
		}
	}
	if h.opts.Params == nil || string(m.Method) != protocol.MethodToolsCall {
		return nil
	}
	name, _ := m.Fact(codec.FactName).Text()
	return mirrorsParams(header, m, h.opts.Params(string(name)))
}

// mirrorsMethod compares exactly, and without a sentinel (SH26-13).
func mirrorsMethod(values []string, method []byte) bool {
	return len(values) == 1 && protocol.TrimOWS(values[0]) == string(method)
}

// mirrorsName checks the Mcp-Name header (SH26-14).
func mirrorsName(values []string, m *codec.Message, member string) *httpx.Refusal {
	want, ok := m.Fact(nameFact(member)).Text()
	if !ok { // HD-12
		return &httpx.Refusal{
			Status: http.StatusBadRequest,
			Code:   protocol.CodeInvalidParams,
			Reason: "params." + member + " must be a string",
			ID:     m.ID,
		}
	}
	if len(values) != 1 {
		return mismatch(m.ID, "the Mcp-Name header must be there once")
	}
	if values[0] == string(want) && plain(want) { // what nearly every client sends
		return nil
	}
	got, err := protocol.DecodeHeaderValue(values[0])
	if err != nil {
		return mismatch(m.ID, "the Mcp-Name header: "+err.Error())
	}
	if got != string(want) {
		return mismatch(m.ID, "the Mcp-Name header differs from params."+member)
	}
	return nil
}

// plain reports whether a value could only have been sent as it is.
func plain(value []byte) bool {
	for _, c := range value {
		if c <= ' ' || c > '~' || c == '=' {
			return false
		}
	}
	return true
}

// CheckParams is what [Options.Params] is for, for an acceptor that knows only with
// the request which tools there are: it compares the Mcp-Param headers of a
// tools/call with its arguments and returns the error to answer it with, nil if
// there is nothing to object. header and m are borrowed.
func CheckParams(header http.Header, m *codec.Message, params []ParamHeader) *codec.Error {
	refusal := mirrorsParams(header, m, params)
	if refusal == nil {
		return nil
	}
	return &codec.Error{Code: refusal.Code, Message: refusal.Reason}
}

// mirrorsParams checks the Mcp-Param headers that the tool defines, and no others
// (XH-08, HD-10).
func mirrorsParams(header http.Header, m *codec.Message, params []ParamHeader) *httpx.Refusal {
	for _, p := range params[:min(len(params), maxParams)] {
		value, err := codec.Find(m.Params, append([]string{"arguments"}, p.Path...)...)
		if err != nil {
			return invalid(m.ID, "arguments: "+err.Error())
		}
		if value == nil || value.Kind() == codec.Null {
			continue
		}
		values := header[p.Name]
		if len(values) != 1 {
			return mismatch(m.ID, "the "+p.Name+" header must be there once")
		}
		got, err := protocol.DecodeHeaderValue(values[0])
		if err != nil {
			return mismatch(m.ID, "the "+p.Name+" header: "+err.Error())
		}
		if !sameParam(got, value, p.Type == "integer") {
			return mismatch(m.ID, "the "+p.Name+" header differs from the argument")
		}
	}
	return nil
}

// sameParam compares a header with an argument: integers by value, anything else
// as text (HD-11).
func sameParam(got string, value codec.Value, integer bool) bool {
	if text, ok := value.Text(); ok {
		return got == string(text)
	}
	if integer && value.Kind() == codec.Number {
		want := codec.ID(value).Key() // integers by value, however they are spelt
		return want.Valid() && want == codec.ID(got).Key()
	}
	return got == string(value)
}
