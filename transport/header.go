package transport

import "context"

// headerKey finds what WithHeader put into a context.
type headerKey struct{}

// WithHeader returns a context for Send on a Conn over HTTP that adds h to the
// headers of the request that carries the message. What the protocol says itself
// it cannot replace; other transports do not look at it. h is borrowed until the
// message is answered.
func WithHeader(ctx context.Context, h map[string][]string) context.Context {
	return context.WithValue(ctx, headerKey{}, h)
}

// HeaderOf returns what WithHeader added, nil for nothing.
func HeaderOf(ctx context.Context) map[string][]string {
	h, _ := ctx.Value(headerKey{}).(map[string][]string)
	return h
}
