package bridge

import (
	"errors"
	"net/http"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/backoff"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// listener keeps one subscriptions/listen open at the back that brings what a
// client of the legacy revisions is told without asking for each: changes of
// lists, and of the resources it subscribed to.
type listener struct {
	u       *upward
	started bool          // guarded by upward.mu
	refused bool          // for good, by the server of now; guarded by upward.mu
	granted bool          // by the server of now, once; guarded by upward.mu
	news    chan struct{} // capacity 1: what is listened for has changed
	over    chan struct{} // closed when the server wants to be spoken to otherwise
}

func (n *listener) init(u *upward) {
	n.u, n.news, n.over = u, make(chan struct{}, 1), make(chan struct{})
}

// change has what is listened for looked at again.
func (n *listener) change() {
	n.u.mu.Lock()
	start := !n.started
	n.started = true
	n.u.mu.Unlock()
	if start {
		n.u.l.b.spawn(n.run)
	}
	select {
	case n.news <- struct{}{}:
	default:
	}
}

// run listens until the link ends.
func (n *listener) run() {
	l := n.u.l
	var now *call
	var ended <-chan struct{} // signals that something happened to now
	failures := 0
	var opened time.Time
	again := time.NewTimer(noTime)
	defer again.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-n.over:
			return
		case <-n.news:
		case <-again.C:
		case <-ended:
			queue, last := now.to.mail.take()
			if !last {
				continue
			}
			err := n.refusalIn(queue, now)
			// It ended without our asking: again, not too soon (SU-12), unless there is
			// nothing to ask.
			now, ended = nil, nil
			if err != nil {
				n.refuse(true)
				l.b.log.Warn("the server has no subscriptions: the client hears of no changes", "error", err)
				continue
			}
			if time.Since(opened) > listenMost {
				failures = 0
			}
			again.Reset(backoff.Ceiling(listenFirst, listenMost, failures))
			failures++
			continue
		}
		again.Stop()
		if n.isRefused() {
			continue
		}
		old := now
		now, ended, opened = n.open(), nil, time.Now()
		if now != nil {
			ended = now.to.mail.wake
		}
		if old != nil && l.remove(old) { // only now, so that nothing is missed
			l.giveUp(old, "another subscription takes its place")
		}
	}
}

// refusalIn returns the error of a server that has no subscriptions, from what came
// for a call, which it takes over; nil if that was none. A status 404 says nothing of
// a server that has granted a subscription: what is before it may say so while the
// server is started anew.
func (n *listener) refusalIn(queue []*transport.Inbound, c *call) (refusal error) {
	for _, in := range queue {
		if in.Kind == codec.ErrorResponse && in.WireError().Code == protocol.CodeMethodNotFound {
			refusal = in.WireError()
		}
		putInbound(in)
	}
	rpc, answered := errors.AsType[*codec.Error](c.cause)
	status, failed := errors.AsType[*streamhttp.StatusError](c.cause)
	if answered && rpc.Code == protocol.CodeMethodNotFound || failed && status.Status == http.StatusNotFound && !n.isGranted() {
		refusal = c.cause
	}
	return refusal
}

// refuse notes whether the server has no subscriptions.
func (n *listener) refuse(refused bool) {
	n.u.mu.Lock()
	defer n.u.mu.Unlock()
	n.refused, n.granted = refused, false
}

// grant notes that the server has subscriptions.
func (n *listener) grant() {
	n.u.mu.Lock()
	defer n.u.mu.Unlock()
	n.granted = true
}

func (n *listener) isGranted() bool {
	n.u.mu.Lock()
	defer n.u.mu.Unlock()
	return n.granted
}

func (n *listener) isRefused() bool {
	n.u.mu.Lock()
	defer n.u.mu.Unlock()
	return n.refused
}

// open sends the request; nil when there is nothing to listen for.
func (n *listener) open() *call {
	l := n.u.l
	filter := n.filter()
	if filter == nil {
		return nil
	}
	c := &call{slot: -1, method: protocol.MethodSubscriptionsListen}
	conn, refusal := l.enter(c, &reply{mail: newMailbox()})
	if refusal != nil {
		return nil
	}
	params := append(appendMember(codec.Value{'{'}, codec.Value(`"notifications"`), filter), '}')
	l.submit(conn, c, &codec.Message{Kind: codec.Request, Method: []byte(c.method), Params: n.u.params(c, params)})
	return c
}

// filter is what the server offers and the client wants; nil for nothing.
func (n *listener) filter() codec.Value {
	filter := codec.Value{'{'}
	for _, list := range lists {
		if says(n.u.server, list.capability, "listChanged") {
			filter = appendMember(filter, codec.Value(`"`+list.filter+`"`), codec.Value("true"))
		}
	}
	n.u.mu.Lock()
	uris := codec.Value{'['}
	for uri := range n.u.uris {
		if len(uris) > 1 {
			uris = append(uris, ',')
		}
		uris = codec.AppendString(uris, uri)
	}
	n.u.mu.Unlock()
	if len(uris) > 1 {
		filter = appendMember(filter, codec.Value(`"resourceSubscriptions"`), append(uris, ']'))
	}
	if len(filter) == 1 {
		return nil
	}
	return append(filter, '}')
}

// lists are what a server may say has changed, by the names that has in
// capabilities, in the filter of a subscription, and as a notification.
var lists = []struct{ capability, filter, method string }{
	{"tools", "toolsListChanged", protocol.NotificationToolsListChanged},
	{"resources", "resourcesListChanged", protocol.NotificationResourcesListChanged},
	{"prompts", "promptsListChanged", protocol.NotificationPromptsListChanged},
}
