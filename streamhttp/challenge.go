package streamhttp

import "github.com/wirespool/wirespool/internal/httpx"

// Challenge is what a server says when it refuses a request for want of
// authorization (SC-05 to SC-09). Everything in it is the server's word: where
// its URLs point has to be checked before they are followed (SC-12).
type Challenge = httpx.Challenge
