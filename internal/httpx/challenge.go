package httpx

import (
	"iter"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/wirespool/wirespool/protocol"
)

// Challenge is what a server says when it refuses a request for want of
// authorization (SC-05 to SC-09). Everything in it is the server's word: where
// its URLs point has to be checked before they are followed (SC-12).
type Challenge struct {
	Status int      // 401 or 403
	URL    *url.URL // of the refused request; not to be changed
	// Scheme is the scheme of the Bearer challenge, or of the first one where
	// there is no Bearer; empty without WWW-Authenticate.
	Scheme string
	// Params are the parameters of that challenge, by lower-case name:
	// resource_metadata, scope, error, error_description and others.
	Params map[string]string
}

// ResourceMetadata returns where to look for the metadata of the resource: the
// URL of the challenge, else the well-known ones in the order of SC-08.
func (c *Challenge) ResourceMetadata() []string {
	if u := c.Params["resource_metadata"]; u != "" {
		return []string{u}
	}
	const wellKnown = "/.well-known/oauth-protected-resource"
	root := url.URL{Scheme: c.URL.Scheme, Host: c.URL.Host, Path: wellKnown}
	at := root
	if path := strings.TrimSuffix(c.URL.Path, "/"); path != "" {
		at.Path += path
		return []string{at.String(), root.String()}
	}
	return []string{root.String()}
}

// challengeOf reads the challenge of a response to a request for u, which is kept.
func challengeOf(u *url.URL, resp *http.Response) *Challenge {
	c := &Challenge{Status: resp.StatusCode, URL: u}
	for _, field := range resp.Header.Values(protocol.HeaderWWWAuthenticate) {
		for scheme, params := range challenges(field) {
			bearer := strings.EqualFold(scheme, "Bearer")
			if c.Scheme == "" || bearer {
				c.Scheme, c.Params = scheme, params
			}
			if bearer {
				return c
			}
		}
	}
	return c
}

// challenges yields the challenges of one header field (RFC 9110 §11.6.1). What
// is malformed is skipped up to the next comma, or ends it.
func challenges(field string) iter.Seq2[string, map[string]string] {
	return func(yield func(string, map[string]string) bool) {
		rest := strings.TrimLeft(field, " \t,")
		for rest != "" {
			scheme, after := token(rest)
			if scheme == "" {
				return
			}
			params := map[string]string{}
			rest = strings.TrimLeft(after, " \t")
			for rest != "" {
				name, after := token(rest)
				after = strings.TrimLeft(after, " \t")
				if name == "" || !strings.HasPrefix(after, "=") {
					break // the next scheme, or a token68
				}
				value, after, ok := parameter(strings.TrimLeft(after[1:], " \t"))
				if ok {
					params[strings.ToLower(name)] = value
				} else { // a token68 with padding, or nonsense
					_, after, _ = strings.Cut(after, ",")
				}
				rest = strings.TrimLeft(after, " \t,")
			}
			if !yield(scheme, params) {
				return
			}
		}
	}
}

// token splits the token at the beginning of s off.
func token(s string) (tok, rest string) {
	i := strings.IndexFunc(s, func(r rune) bool { return !httpguts.IsTokenRune(r) })
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

// parameter splits the value of a parameter off, a token or a quoted string.
func parameter(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		value, rest = token(s)
		return value, rest, value != ""
	}
	var text strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return text.String(), s[i+1:], true
		case '\\':
			i++
			if i == len(s) {
				return "", "", false
			}
			text.WriteByte(s[i])
		default:
			text.WriteByte(s[i])
		}
	}
	return "", "", false
}
