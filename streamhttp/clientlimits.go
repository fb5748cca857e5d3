package streamhttp

import (
	"math"
	"time"

	"github.com/wirespool/wirespool/internal/httpx"
)

// ClientLimits bound what a server can cost its client, and how long a client
// tries. A zero field means its default; a negative one no bound.
type ClientLimits struct {
	// MaxMessage bounds the bytes of one answer or event: a server cannot make
	// its client hold an endless body. Default 16 MiB.
	MaxMessage int
	// MaxErrorBody bounds what is read of the body of a refusal, which may be a
	// page made by a proxy. Default 64 KiB.
	MaxErrorBody int
	// MaxIdleConns bounds the connections that are kept for later calls.
	// Default 64.
	MaxIdleConns int
	// MaxRedirects bounds how often one request is sent elsewhere: a loop must
	// end. Default 3.
	MaxRedirects int
	// MaxTools bounds the tools whose header annotations are remembered: a list
	// may have endless pages. Default 10,000.
	MaxTools int
	// MaxResumes bounds how often in a row the stream of an answer is taken up
	// again without anything new coming over it. Default 10.
	MaxResumes int

	// PostTimeout bounds the time until a POST that carries no request is
	// answered, which says only that the message was taken. Default 30 s.
	PostTimeout time.Duration
	// StreamIdle is how long a stream that can be resumed, or that has sent a
	// keep-alive, may be silent before it counts as broken: a connection can be
	// cut without either end being told. The default is
	// [eventstream.DefaultIdle], 60 s.
	StreamIdle time.Duration
	// ResumeDelay is the first delay before a broken stream is taken up again
	// where the server has named none. It doubles up to MaxResumeDelay, with
	// jitter. Defaults 1 s and 30 s.
	ResumeDelay    time.Duration
	MaxResumeDelay time.Duration
	// MaxResumeWait is the longest wait that a server may ask for before a
	// stream is taken up again; a stream whose server wants more is lost. The
	// default is [eventstream.DefaultMaxWait], 5 min.
	MaxResumeWait time.Duration
	// CloseTimeout is how long Close may take to say goodbye: cancellations
	// under way and the end of the session. Default 5 s.
	CloseTimeout time.Duration
}

// The defaults of [ClientLimits].
const (
	DefaultMaxMessage     = 16 << 20
	DefaultMaxErrorBody   = 64 << 10
	DefaultMaxIdleConns   = 64
	DefaultMaxRedirects   = 3
	DefaultMaxTools       = 10_000
	DefaultMaxResumes     = 10
	DefaultPostTimeout    = 30 * time.Second
	DefaultResumeDelay    = time.Second
	DefaultMaxResumeDelay = 30 * time.Second
	DefaultCloseTimeout   = 5 * time.Second
)

// Times that are no option.
const (
	// streamHead is how long the first request after the handshake waits until
	// the server has taken note of the stream for what it says outside of
	// requests: servers drop what they have no stream for. Some do not answer
	// before there is something to say.
	streamHead = 250 * time.Millisecond
	// afterAnswer is how long an answer that came over a stream is held back for
	// the end of that stream, so that the next call finds the connection free.
	afterAnswer = 5 * time.Millisecond
	// lingerEnd is how long a stream whose calls are all answered, or cancelled,
	// may stay open before it is cut.
	lingerEnd = 2 * time.Second
	// pooledBody is how large a message is whose memory is used again; net/http
	// then writes its header and its body one after the other.
	pooledBody = 16 << 10
	// renewalLimit is how long the handshake of a new session may take in place of
	// a lost one: every request waits for it.
	renewalLimit = 30 * time.Second
	// maxToolPages is how many pages of tools are read anew for one call: a list
	// may have no end.
	maxToolPages = 1_000
)

func (l ClientLimits) filled() ClientLimits {
	l.MaxMessage = httpx.Limit(l.MaxMessage, DefaultMaxMessage, math.MaxInt32)
	l.MaxErrorBody = httpx.Limit(l.MaxErrorBody, DefaultMaxErrorBody, math.MaxInt32)
	l.MaxIdleConns = httpx.Limit(l.MaxIdleConns, DefaultMaxIdleConns, math.MaxInt32)
	l.MaxRedirects = httpx.Limit(l.MaxRedirects, DefaultMaxRedirects, math.MaxInt32)
	l.MaxTools = httpx.Limit(l.MaxTools, DefaultMaxTools, math.MaxInt32)
	l.MaxResumes = httpx.Limit(l.MaxResumes, DefaultMaxResumes, math.MaxInt32)
	l.PostTimeout = httpx.Limit(l.PostTimeout, DefaultPostTimeout, math.MaxInt64)
	l.ResumeDelay = httpx.Limit(l.ResumeDelay, DefaultResumeDelay, math.MaxInt64)
	l.MaxResumeDelay = httpx.Limit(l.MaxResumeDelay, DefaultMaxResumeDelay, math.MaxInt64)
	l.CloseTimeout = httpx.Limit(l.CloseTimeout, DefaultCloseTimeout, math.MaxInt64)
	return l
}
