package httpx

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// Follow is what a client does about an answer besides taking it.
type Follow struct {
	MaxRedirects int // how often a request is sent elsewhere: a loop must end
	// Unauthorized resolves a 401 or 403; nil leaves them to the caller.
	Unauthorized func(context.Context, *Challenge) error
	MaxErrorBody int // of a refusal that Unauthorized does not resolve
}

// Do performs a request for u by send, once or several times. It follows redirects
// that keep the request as it is and the origin the same, and asks once more after
// a refusal that Unauthorized resolved. A redirect too many, and one of another
// kind, comes back as it is.
func (f Follow) Do(ctx context.Context, method string, u *url.URL, send func(*url.URL) (*http.Response, error)) (*http.Response, error) {
	redirects, asked := 0, false
	for {
		resp, err := send(u)
		if err != nil {
			return nil, err
		}
		switch resp.StatusCode {
		case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			if redirects++; redirects > f.MaxRedirects {
				return resp, nil
			}
			if u, err = redirected(u, resp); err != nil {
				Discard(resp)
				return nil, fmt.Errorf("HTTP %s: %w", method, err)
			}
		case http.StatusUnauthorized, http.StatusForbidden:
			if asked || f.Unauthorized == nil {
				return resp, nil
			}
			asked = true
			if err := f.Unauthorized(ctx, challengeOf(u, resp)); err != nil {
				return nil, errors.Join(ReadStatus(method, resp, f.MaxErrorBody), err)
			}
		default:
			return resp, nil
		}
		Discard(resp)
	}
}

// redirected returns where a 307 or 308 sends the request to u: an origin other
// than that of u is refused, because it would be handed the caller's credentials
// (SC-12).
func redirected(u *url.URL, resp *http.Response) (*url.URL, error) {
	to, err := u.Parse(resp.Header.Get("Location"))
	if err != nil {
		return nil, fmt.Errorf("redirect: %w", err)
	}
	if to.Scheme != u.Scheme || to.Host != u.Host {
		return nil, fmt.Errorf("redirect to another origin, %s://%s, refused", to.Scheme, to.Host)
	}
	to.User, to.Fragment = nil, ""
	return to, nil
}
