package framing

import "github.com/wirespool/wirespool/internal/scan"

// tailDepth stops a tail of brackets from nesting without bound; it is the
// depth that messages are held to.
const tailDepth = 512

// complete reports whether b is one complete JSON value.
func complete(b []byte) bool { return scan.Valid(b, tailDepth) }
