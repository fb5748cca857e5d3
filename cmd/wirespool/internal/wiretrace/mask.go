package wiretrace

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"

	"github.com/wirespool/wirespool/protocol"
)

// httpPart is what a line says of the HTTP request or response that its message
// was in.
type httpPart struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

func newSalt() string { return rand.Text() }

// mask replaces a secret by something that is the same wherever the secret is,
// within one trace, and tells nothing of it.
func (r *Recorder) mask(secret string) string {
	sum := sha256.Sum256([]byte(r.salt + secret))
	return "masked:" + hex.EncodeToString(sum[:4])
}

// part describes a request; status is 0 but for a response.
func (r *Recorder) part(req *http.Request, status int, headers http.Header) *httpPart {
	return &httpPart{Method: req.Method, Path: r.path(req.URL), Status: status, Headers: r.headers(headers)}
}

// path is the path of a URL, with every value of its query masked, and what
// stands there alone: tokens and session ids do.
func (r *Recorder) path(u *url.URL) string {
	if u.RawQuery == "" {
		return u.EscapedPath()
	}
	var query []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, ok := strings.Cut(pair, "=")
		if ok {
			name += "=" + r.mask(value)
		} else {
			name = r.mask(name)
		}
		query = append(query, name)
	}
	return u.EscapedPath() + "?" + strings.Join(query, "&")
}

// headers are those that matter to MCP.
func (r *Recorder) headers(from http.Header) map[string]string {
	to := map[string]string{}
	for name, values := range from {
		value := strings.Join(values, ", ")
		switch {
		case name == protocol.HeaderSessionID:
			value = r.mask(value)
		case name == protocol.HeaderAuthorization:
			scheme, credentials, ok := strings.Cut(value, " ")
			if !ok {
				scheme, credentials = "", value
			}
			value = strings.TrimSpace(scheme + " " + r.mask(credentials))
		case strings.HasPrefix(name, "Mcp-"), name == protocol.HeaderLastEventID, name == protocol.HeaderAccept,
			name == protocol.HeaderContentType, name == protocol.HeaderOrigin, name == protocol.HeaderAllow,
			name == protocol.HeaderWWWAuthenticate, name == "Retry-After":
		default:
			continue
		}
		to[name] = value
	}
	return to
}
