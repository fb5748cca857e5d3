package streamhttp_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/wirespool/wirespool/streamhttp"
)

// byToken takes the token for the name of who sends it.
func byToken(r *http.Request) (string, error) {
	name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return "", &streamhttp.AuthError{}
	}
	name, _, _ = strings.Cut(name, ".") // what follows differs from token to token
	return name, nil
}

func shortWrites(s *http.Server) { s.WriteTimeout = 5 * time.Second }
