package streamhttp

import "github.com/wirespool/wirespool/internal/httpx"

// Challenge is what a server says when it refuses a request for want of
// authorization (SC-05 to SC-09). Everything in it is the server's word: where
// its URLs point has to be checked before they are followed (SC-12).
// It is the same type as that of package sse.
//
//	type Challenge struct {
//		Status int               // 401 or 403
//		URL    *url.URL          // of the refused request; not to be changed
//		Scheme string            // of the Bearer challenge, else of the first; empty without WWW-Authenticate
//		Params map[string]string // of that challenge, by lower-case name
//	}
//
//	func (c *Challenge) ResourceMetadata() []string // where to look for the metadata of the resource (SC-08)
//
// For instance, in Unauthorized of [ClientOptions]:
//
//	func(ctx context.Context, c *streamhttp.Challenge) error {
//		return tokens.Renew(ctx, c.ResourceMetadata(), c.Params["scope"])
//	}
type Challenge = httpx.Challenge
