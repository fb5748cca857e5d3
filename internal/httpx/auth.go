package httpx

import (
	"errors"
	"net/http"
	"time"
)

// Authenticator says who sends a request: a name that stays the same when a
// token is renewed, so that what belongs to somebody can be bound to it, or ""
// for nobody in particular. It is called for every request, before anything of
// the body is read (SC-04, SC-11), and by many goroutines.
//
// A *[AuthError] is answered as it says. Any other error means that nobody can
// tell now, and is answered with 503 and without its text.
type Authenticator func(r *http.Request) (principal string, err error)

// AuthError refuses a request for who sent it.
type AuthError struct {
	// Status is 401 for a missing, invalid or expired token, 403 for one that
	// does not suffice, 429 for too many requests, 400 for a malformed one;
	// 0 means 401.
	Status int
	// Challenge is the value of WWW-Authenticate; empty leaves the default of
	// the handler for a 401, and the header out otherwise (SC-06, SC-09).
	Challenge string
	// RetryAfter is sent with a 429 when it is not zero.
	RetryAfter time.Duration
	// Reason goes over the wire; empty means the text of the status.
	Reason string
}

// Error returns the reason.
func (e *AuthError) Error() string { return e.refusal("").Error() }

func (e *AuthError) refusal(challenge string) *Refusal {
	status, reason := e.Status, e.Reason
	if status == 0 {
		status = http.StatusUnauthorized
	}
	if reason == "" {
		reason = http.StatusText(status)
	}
	r := Refuse(status, reason)
	if e.RetryAfter > 0 {
		r = Busy(status, reason, e.RetryAfter)
	}
	if e.Challenge != "" {
		challenge = e.Challenge
	} else if status != http.StatusUnauthorized {
		challenge = ""
	}
	if challenge != "" {
		r.With("Www-Authenticate", challenge)
	}
	return r
}

// Authenticate asks a, which may be nil, who sends r. challenge is the
// WWW-Authenticate of a 401 that brings none of its own.
func Authenticate(a Authenticator, r *http.Request, challenge string) (principal string, refusal *Refusal) {
	if a == nil {
		return "", nil
	}
	principal, err := a(r)
	if err == nil {
		return principal, nil
	}
	if e, ok := errors.AsType[*AuthError](err); ok {
		return "", e.refusal(challenge)
	}
	return "", Busy(http.StatusServiceUnavailable, "who sent this cannot be told now", time.Second)
}
